import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { ResetCode } from '../../src/wire/layout.js';
import { ReceiverBench } from '../harness/receiver-bench.js';

/** Whole number of wire bytes of a CREDIT_REQUEST. PROTOCOL §3.1 */

/** A proved flow with a hundred credits out and nothing sent since. */
function credited(): ReceiverBench {
  const bench = new ReceiverBench().proved();
  bench.wait(100 * 13_008);
  bench.context.sent();
  return bench;
}

describe('an ACK', () => {
  it('comes at once for the first frame that opens or closes a hole, and after every 8 between', () => {
    const bench = credited();
    bench.data(200, 1);
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=1 ranges=200-300']);
    for (let frame = 2; frame < 9; frame++) bench.data(100 + frame * 100, frame);
    expect(bench.context.sent()).toEqual([]);
    bench.data(1_000, 9);
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=1 ranges=200-1100']);
    bench.data(100, 10);
    expect(bench.context.sent()).toEqual(['ACK cumulative=1100 probe=1 ranges=none']);
  });

  it('tells ranges that it has no room for in turns, three of them twice, and the lowest ones in answer to a probe', () => {
    const bench = credited();
    for (let frame = 1; frame < 80; frame++) bench.data(frame * 200, frame);
    const told = (frames: number): string[] => {
      bench.context.sent();
      if (frames === 0) bench.request();
      for (let frame = 0; frame < frames; frame++) bench.data(0, next++);
      const acks = bench.context.sent().filter((line) => line.startsWith('ACK'));
      return acks.map((line) => line.replace(/,.*,/, ' to '));
    };
    let next = 80;
    expect(told(0)).toEqual(['ACK cumulative=100 probe=2 ranges=200-300 to 6400-6500']);
    expect(told(8)).toEqual(['ACK [BEYOND] cumulative=100 probe=2 ranges=6000-6100 to 12200-12300']);
    expect(told(0)).toEqual(['ACK cumulative=100 probe=3 ranges=200-300 to 6400-6500']);
    told(8);
    bench.wait(100 * 13_008);
    expect(told(8)).toEqual(['ACK [BEYOND] cumulative=100 probe=3 ranges=11800-11900 to 15800-15900']);
    expect(told(8)).toEqual(['ACK cumulative=100 probe=3 ranges=200-300 to 6400-6500']);
  });

  it('repeats the latest probe, not one that was overtaken', () => {
    const bench = credited();
    bench.stop();
    bench.stop();
    bench.context.sent();
    bench.request();
    bench.request();
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=5 ranges=none']);
  });

  it('tells of the lowest ranges where they do not all fit', () => {
    const bench = credited();
    for (let frame = 1; frame <= 40; frame++) bench.data(frame * 200, frame);
    bench.context.sent();
    bench.stop();
    const [line] = bench.context.sent();
    expect(line.split(',')).toHaveLength(32);
    expect(line).toContain('6400-6500');
    expect(line).not.toContain('6600');
  });

  it('is no larger than the frames of the flow', () => {
    const bench = new ReceiverBench();
    bench.open(128).wait(0);
    bench.data(0);
    bench.wait(100 * 13_008);
    for (let frame = 1; frame <= 20; frame++) bench.data(frame * 200, frame);
    bench.context.sent();
    bench.stop();
    expect(bench.context.sent()[0].split(',')).toHaveLength(13);
  });
});

describe('a data frame', () => {
  it('is dropped and counted when its echo names no credit that is out', () => {
    const bench = credited();
    bench.data(100, 5_000);
    expect(bench.context.counters.unknownCredit).toBe(1);
    expect(bench.reader.received).toBe(100);
  });

  it('is taken when its credit was sent so long ago that nothing is known of it', () => {
    const bench = credited();
    const sampledNs = bench.flow.statistics.rttNs;
    // Credits that are given up at once when the sender stops: none of them is outstanding for long, so the book stays small.
    for (let turn = 0; turn < 30; turn++) {
      bench.stop();
      bench.request();
      bench.wait(1_000_000);
    }
    expect(bench.flow.statistics.creditsSent).toBeGreaterThan(1_000);
    bench.data(100, 51);
    expect(bench.reader.received).toBe(200);
    expect(bench.context.counters.unknownCredit).toBe(0);
    expect(bench.flow.statistics.rttNs).toBe(sampledNs);
  });

  it('is dropped and counted when its credit was echoed before', () => {
    const bench = credited();
    bench.data(100, 50);
    bench.data(200, 50);
    expect(bench.context.counters.duplicateData).toBe(1);
    expect(bench.reader.received).toBe(200);
  });

  it('counts as data when a later echo came first', () => {
    const bench = credited();
    bench.data(200, 2);
    bench.data(100, 1);
    expect(bench.context.counters.lateEchoes).toBe(1);
    expect(bench.reader.received).toBe(300);
    expect(bench.flow.statistics).toMatchObject({ creditsUsed: 3, creditsDropped: 0 });
  });

  it('that begins before the stream is invalid', () => {
    const bench = credited();
    bench.data(-50, 1);
    expect(bench.context.counters.invalid).toBe(1);
    expect(bench.reader.received).toBe(100);
  });

  it('gives the RTT of its credit, also when the echo is late', () => {
    const bench = new ReceiverBench({ maxOutstandingCredits: 2 }).open().wait(0);
    bench.wait(300 * MILLISECOND_NS);
    bench.data(0, 0);
    expect(bench.flow.statistics.rttNs).toBe(300 * MILLISECOND_NS);
  });

  it('is counted with its marks', () => {
    const bench = credited();
    bench.data(100, 1, { ce: true, repair: true });
    bench.data(200, 2, { creditCe: true });
    bench.data(300, 3, { creditCe: true });
    expect(bench.flow.statistics).toMatchObject({
      dataFrames: 4,
      markedFrames: 1,
      creditMarkedFrames: 2,
      repairedFrames: 1,
    });
  });

  it.each([
    ['END before the end of what arrived', (bench: ReceiverBench) => bench.data(50, 1, { end: true, length: 20 })],
    [
      'a second END elsewhere',
      (bench: ReceiverBench) => {
        bench.data(200, 1, { end: true });
        bench.data(200, 2, { end: true, length: 200 });
      },
    ],
    [
      'bytes beyond END',
      (bench: ReceiverBench) => {
        bench.data(200, 1, { end: true });
        bench.data(250, 2);
      },
    ],
    [
      'a FIN that contradicts END',
      (bench: ReceiverBench) => {
        bench.data(200, 1, { end: true });
        bench.fin(301);
      },
    ],
    ['a FIN before the end of what arrived', (bench: ReceiverBench) => bench.fin(99)],
  ])('%s ends the flow as a breach of the protocol', (_, breach) => {
    const bench = credited();
    breach(bench);
    expect(bench.reader.events.at(-1)).toBe('closed protocol');
    expect(bench.context.sent().at(-1)).toBe('RESET [FROM_RECEIVER] code=PROTOCOL');
    expect(bench.context.forgotten).toBe(1);
    expect(bench.context.budget.outstanding).toBe(0);
  });
});

describe('before the path is proved', () => {
  it('any number of credits is outstanding where amplification has no limit', () => {
    const bench = new ReceiverBench().open();
    bench.wait(5 * MILLISECOND_NS);
    expect(bench.credits()).toBeGreaterThan(300);
  });
});

describe('callbacks of the reader', () => {
  it('may reset the flow in the middle of what a repair sets free: nothing is told afterwards', () => {
    const bench = credited();
    bench.data(200, 1, { end: true });
    bench.reader.onBytes = () => bench.flow.reset(bench.nowNs);
    bench.context.sent();
    bench.data(100, 2);
    expect(bench.reader.events).toEqual(['data 100', 'data 100', 'closed reset']);
    expect(bench.context.sent()).toEqual(['RESET [FROM_RECEIVER] code=ABORTED']);
    expect([bench.context.deadlineNs, bench.context.dueNs]).toEqual([Infinity, Infinity]);
    expect(bench.context.budget.outstanding).toBe(0);
  });

  it('may reset the flow at its end', () => {
    const bench = credited();
    bench.reader.onStreamEnd = () => bench.flow.reset(bench.nowNs);
    bench.fin(100);
    expect(bench.reader.events).toEqual(['data 100', 'end', 'closed reset']);
    expect(bench.context.sent()).toEqual(['RESET [FROM_RECEIVER] code=ABORTED']);
  });

  it('come no more once the flow is closed, and its verbs do nothing', () => {
    const bench = credited();
    bench.reader.onBytes = () => {};
    bench.data(100, 1);
    bench.reader.onFlowClosed = () => {
      bench.flow.reset(bench.nowNs);
      bench.flow.release(50, bench.nowNs);
    };
    bench.flow.handleReset(ResetCode.aborted);
    bench.flow.handleReset(ResetCode.aborted);
    bench.flow.release(50, bench.nowNs);
    expect(bench.reader.events).toEqual(['data 100', 'data 100', 'closed reset']);
    expect(bench.context.sent()).toEqual([]);
    expect(bench.context.forgotten).toBe(1);
  });

  it('find an ACK that they cause to be whole: no range touches what is in order', () => {
    const bench = credited();
    for (let frame = 2; frame < 6; frame++) bench.data(frame * 100, frame);
    bench.reader.onBytes = (count) => {
      bench.flow.release(count, bench.nowNs);
      bench.request();
    };
    bench.context.sent();
    bench.data(100, 6);
    for (const line of bench.context.sent()) expect(line).toMatch(/^ACK cumulative=600 probe=\d ranges=none$/);
  });
});
