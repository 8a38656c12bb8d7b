import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { ResetCode } from '../../src/wire/layout.js';
import { SenderBench } from '../harness/sender-bench.js';

const P = 1_446;

/** A running flow that has sent `frames` frames and has more to send. */
function running(frames: number): SenderBench {
  const bench = new SenderBench();
  bench.write(1_000 * P);
  for (let frame = 0; frame < frames; frame++) bench.credit();
  bench.context.sent();
  return bench;
}

/** Offsets, in frames, of the repairs among what the next `credits` credits release. */
function repairs(bench: SenderBench, credits: number): number[] {
  bench.context.sent();
  for (let credit = 0; credit < credits; credit++) bench.credit();
  const lines = bench.context.sent().filter((line) => line.includes('REPAIR'));
  return lines.map((line) => Number(/offset=(\d+)/.exec(line)?.[1]) / P);
}

describe('the sender takes a hole as lost', () => {
  it('when three full frames beyond it have arrived', () => {
    const bench = running(10);
    bench.ack(P, { ranges: [[2 * P, 5 * P - 1]], probe: 0 });
    expect(repairs(bench, 2)).toEqual([]);
    bench.ack(P, { ranges: [[2 * P, 5 * P]], probe: 0 });
    expect(repairs(bench, 2)).toEqual([1]);
  });

  it('whole, and each by what arrived beyond itself', () => {
    const bench = running(20);
    bench.ack(0, {
      ranges: [
        [4 * P, 6 * P],
        [9 * P, 11 * P],
      ],
      probe: 0,
    });
    expect(repairs(bench, 6)).toEqual([0, 1, 2, 3]);
  });

  it('when the ACK echoes a probe that was sent after it', () => {
    const bench = new SenderBench({ stopTimeoutNs: SECOND_NS }).sendFrames(4).wait(SECOND_NS);
    expect(bench.state).toBe('creditStopSent');
    bench.ack(2 * P, { ranges: [[3 * P, 4 * P]], probe: 1 });
    expect(bench.state).toBe('creditStopSent');
    bench.ack(2 * P, { ranges: [[3 * P, 4 * P]], probe: 2 });
    expect(repairs(bench, 2)).toEqual([2]);
  });

  it('beyond the last range only where the list is not full', () => {
    const bench = new SenderBench().sendFrames(70).wait(MILLISECOND_NS);
    const ranges = Array.from({ length: 32 }, (_, index): [number, number] => [
      (2 * index + 1) * P,
      (2 * index + 2) * P,
    ]);
    bench.ack(0, { ranges });
    const lost = repairs(bench, 40);
    expect(lost).toEqual(Array.from({ length: 32 }, (_, index) => 2 * index));
    const few = new SenderBench().sendFrames(70).wait(MILLISECOND_NS);
    few.ack(0, { ranges: ranges.slice(0, 31) });
    expect(repairs(few, 40)).toEqual([
      ...Array.from({ length: 31 }, (_, index) => 2 * index),
      ...Array.from({ length: 8 }, (_, index) => 62 + index),
    ]);
  });

  it('knows a list to be full at as many ranges as its frame size has room for', () => {
    const bench = new SenderBench({ frameBytes: 128 });
    const payload = 128 - 26;
    bench.write(60 * payload);
    for (let frame = 0; frame < 60; frame++) bench.credit();
    bench.wait(MILLISECOND_NS);
    const ranges = Array.from({ length: 13 }, (_, index): [number, number] => [
      (2 * index + 1) * payload,
      (2 * index + 2) * payload,
    ]);
    bench.ack(0, { ranges });
    bench.context.sent();
    for (let credit = 0; credit < 30; credit++) bench.credit();
    expect(bench.context.sent().filter((line) => line.includes('REPAIR'))).toHaveLength(13);
  });
});

describe('an ACK that tells of ranges beyond others', () => {
  it('says nothing of what lies before its first', () => {
    const bench = running(40);
    const ranges: [number, number][] = [
      [20 * P, 24 * P],
      [26 * P, 30 * P],
    ];
    bench.ack(P, { ranges, probe: 0, beyond: true });
    expect(repairs(bench, 4)).toEqual([24, 25]);
  });
});

describe('a repair', () => {
  it('goes before new bytes and uses a credit like any other frame', () => {
    const bench = running(10);
    bench.ack(P, { ranges: [[3 * P, 9 * P]], probe: 0 });
    for (let credit = 0; credit < 3; credit++) bench.credit();
    expect(bench.context.sent()).toEqual([
      'DATA [REPAIR] credit=10 offset=1446 payload=1446 unused=0',
      'DATA [REPAIR] credit=11 offset=2892 payload=1446 unused=0',
      'DATA credit=12 offset=14460 payload=1446 unused=0',
    ]);
  });

  it('is repeated only after the retransmission time', () => {
    const bench = running(10);
    const ack = () => bench.ack(P, { ranges: [[2 * P, 9 * P]], probe: 0 });
    ack();
    expect(repairs(bench, 1)).toEqual([1]);
    bench.wait(15 * MILLISECOND_NS);
    ack();
    expect(repairs(bench, 1)).toEqual([]);
    for (let turn = 0; turn < 6; turn++) {
      bench.wait(15 * MILLISECOND_NS);
      bench.credit();
    }
    ack();
    expect(repairs(bench, 1)).toEqual([1]);
  });

  it('is repeated when a frame that was sent after it arrived a quarter of an RTT ago', () => {
    const bench = new SenderBench();
    bench.write(1_000 * P);
    bench.wait(4 * MILLISECOND_NS);
    for (let frame = 0; frame < 10; frame++) bench.credit();
    bench.ack(P, { ranges: [[2 * P, 9 * P]], probe: 0 });
    expect(repairs(bench, 2)).toEqual([1]);
    for (const waitNs of [0, 0.9, 0.2, 0.9, 0.1].map((part) => part * MILLISECOND_NS)) {
      expect(repairs(bench, 1)).toEqual([]);
      bench.wait(waitNs);
      bench.ack(P, { ranges: [[2 * P, 11 * P]], probe: 0 });
    }
    expect(repairs(bench, 1)).toEqual([1]);
  });

  it('is repeated when a probe that was sent after it shows the hole', () => {
    const bench = new SenderBench().sendFrames(5).wait(MILLISECOND_NS);
    bench.ack(4 * P);
    expect(repairs(bench, 1)).toEqual([4]);
    bench.wait(MILLISECOND_NS);
    expect(bench.state).toBe('creditStopSent');
    bench.ack(4 * P);
    expect(repairs(bench, 1)).toEqual([4]);
  });
});

describe('an ACK that was overtaken', () => {
  it('takes nothing back, and asks for no repair of what has been acknowledged since', () => {
    const bench = running(30);
    bench.ack(20 * P, { probe: 0 });
    bench.ack(0, {
      ranges: [
        [P, 2 * P],
        [3 * P, 14 * P],
      ],
      probe: 0,
    });
    expect(bench.flow.statistics.bytesAcknowledged).toBe(20 * P);
    expect(repairs(bench, 3)).toEqual([]);
  });

  it('is valid right up to the cumulative offset', () => {
    const bench = running(30);
    bench.ack(2 * P, { probe: 0 });
    bench.ack(2 * P, { ranges: [[3 * P, 10 * P]], probe: 0 });
    expect(repairs(bench, 2)).toEqual([2]);
  });
});

describe('an ACK that no correct receiver sends', () => {
  it('is counted and ignored when it covers more than was sent', () => {
    const bench = running(2);
    bench.ack(3 * P, { probe: 0 });
    expect(bench.context.counters.invalid).toBe(1);
    expect(bench.flow.statistics.bytesAcknowledged).toBe(0);
    bench.ack(0, { ranges: [[P, 3 * P]], probe: 0 });
    expect(bench.context.counters.invalid).toBe(2);
    expect(repairs(bench, 3)).toEqual([]);
  });
});

describe('a receiver that has forgotten what it acknowledged', () => {
  it('ends the flow when it answers the latest probe', () => {
    const bench = running(30);
    bench.ack(20 * P, { probe: 1 });
    bench.ack(5 * P, { probe: 1 });
    expect(bench.writer.events).toEqual([]);
    bench.wait(20 * MILLISECOND_NS);
    bench.context.sent();
    bench.ack(5 * P, { probe: 2 });
    expect(bench.writer.events).toEqual(['closed reset']);
    expect(bench.context.sent()).toEqual(['RESET code=PROTOCOL']);
  });
});

describe('the send buffer of a flow', () => {
  it('refuses a write that does not fit, and tells when it is half empty', () => {
    const bench = new SenderBench({ sendBufferBytes: 65_536 });
    expect(bench.write(60_000)).toBe(true);
    expect(bench.write(6_000)).toBe(false);
    for (let credit = 0; credit < 42; credit++) bench.credit();
    bench.ack(10 * P, { probe: 0 });
    expect(bench.writer.events).toEqual([]);
    bench.ack(30 * P, { probe: 0 });
    expect(bench.writer.events).toEqual(['writable']);
    bench.ack(40 * P, { probe: 0 });
    expect(bench.writer.events).toEqual(['writable']);
  });

  it('takes one write of any size when it is empty', () => {
    const bench = new SenderBench({ sendBufferBytes: 65_536 });
    expect(bench.write(100_000)).toBe(true);
    expect(bench.write(1)).toBe(false);
  });

  it('takes no more than 65,536 writes at a time, however small', () => {
    const bench = new SenderBench();
    for (let write = 0; write < 65_536; write++) bench.write(1);
    expect(bench.write(1)).toBe(false);
    for (let credit = 0; credit < 24; credit++) bench.credit();
    bench.ack(24 * P, { probe: 0 });
    expect(bench.writer.events).toEqual(['writable']);
  });
});

describe('callbacks of the writer', () => {
  it('may write, and end the stream', () => {
    const bench = new SenderBench({ sendBufferBytes: 65_536 });
    bench.writer.onRoom = () => {
      bench.write(10);
      bench.end();
    };
    bench.write(65_536);
    bench.write(1);
    for (let credit = 0; credit < 46; credit++) bench.credit();
    bench.wait(MILLISECOND_NS);
    expect(bench.state).toBe('creditStopSent');
    bench.context.sent();
    bench.ack(65_536);
    expect(bench.state).toBe('creditRequestSent');
    bench.credit();
    expect(bench.context.sent().at(-1)).toBe('FIN final=65546 probe=4 unused=0');
  });

  it('may reset the flow', () => {
    const bench = new SenderBench({ sendBufferBytes: 65_536 });
    bench.writer.onRoom = () => bench.flow.reset(bench.nowNs);
    bench.write(65_536);
    bench.write(1);
    for (let credit = 0; credit < 46; credit++) bench.credit();
    bench.context.sent();
    bench.ack(40 * P, { ranges: [[41 * P, 45 * P]], probe: 0 });
    expect(bench.context.sent()).toEqual(['RESET code=ABORTED']);
    expect(bench.writer.events).toEqual(['writable', 'closed reset']);
    expect(bench.context.deadlineNs).toBe(Number.POSITIVE_INFINITY);
  });

  it('come no more once the flow is closed, and its verbs do nothing', () => {
    const bench = new SenderBench();
    bench.writer.onFlowClosed = () => {
      expect(bench.write(10)).toBe(false);
      bench.end();
      bench.flow.reset(bench.nowNs);
    };
    bench.write(10);
    bench.flow.handleReset(ResetCode.aborted);
    bench.flow.handleReset(ResetCode.aborted);
    bench.context.sent();
    bench.credit();
    bench.ack(0, { probe: 0 });
    bench.flow.reset(bench.nowNs);
    expect(bench.write(10)).toBe(false);
    expect(bench.context.sent()).toEqual([]);
    expect(bench.writer.events).toEqual(['closed reset']);
    expect(bench.context.forgotten).toBe(1);
  });
});

describe('a flow that is given up', () => {
  it('says RESET to a peer that it has spoken to, and nothing to one that it has not', () => {
    const spoken = running(1);
    spoken.flow.reset(0);
    expect(spoken.context.sent()).toEqual(['RESET code=ABORTED']);
    const silent = new SenderBench();
    silent.flow.reset(0);
    expect(silent.context.sent()).toEqual([]);
    expect(silent.writer.events).toEqual(['closed reset']);
  });

  it.each([
    [ResetCode.refused, 'refused'],
    [ResetCode.unknownFlow, 'reset'],
    [ResetCode.frameSize, 'frameSize'],
    [ResetCode.tooManyFlows, 'tooManyFlows'],
    [ResetCode.shutdown, 'shutdown'],
  ])('by RESET with code %i closes with the error %s', (code, name) => {
    const bench = running(1);
    bench.flow.handleReset(code);
    expect(bench.writer.events).toEqual([`closed ${name}`]);
  });
});

describe('the RTT of a sender', () => {
  it('is sampled from the first request to the first credit', () => {
    const bench = new SenderBench();
    bench.write(10);
    bench.wait(3 * MILLISECOND_NS);
    bench.credit();
    expect(bench.flow.statistics.rttNs).toBe(3 * MILLISECOND_NS);
  });

  it('is not sampled from a request that was repeated', () => {
    const bench = new SenderBench();
    bench.write(10);
    bench.wait(126 * MILLISECOND_NS);
    bench.credit();
    expect(bench.flow.statistics.rttNs).toBe(0);
  });

  it('is not sampled from a credit that was under way before a later request', () => {
    const bench = new SenderBench();
    bench.write(10);
    bench.wait(3 * MILLISECOND_NS);
    bench.credit();
    bench.wait(5 * MILLISECOND_NS);
    expect(bench.state).toBe('creditStopSent');
    bench.write(10);
    bench.wait(1_000);
    bench.credit();
    expect(bench.flow.statistics.rttNs).toBe(3 * MILLISECOND_NS);
  });
});
