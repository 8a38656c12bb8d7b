import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { Reassembly } from '../../src/core/reassembly.js';
import { ReceiveWindow } from '../../src/core/receive-window.js';
import { ReceiverBench } from '../harness/receiver-bench.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const WINDOW = 65_536;
const PAYLOAD = 1_446;
/** Full frames that fit into the window. */
const FRAMES = Math.floor(WINDOW / PAYLOAD);

/** A flow with a small window whose credits, FRAMES of them, are all out. */
function fullyCredited(): ReceiverBench {
  const bench = new ReceiverBench({ receiveWindowBytes: WINDOW });
  bench.open().wait(0);
  bench.data(0, 0, { length: PAYLOAD });
  bench.wait(MILLISECOND_NS);
  bench.context.sent();
  return bench;
}

/** All FRAMES frames of the window arrive in order, and the reader keeps them. */
function slowReader(): ReceiverBench {
  const bench = new ReceiverBench({ receiveWindowBytes: WINDOW });
  bench.reader.onBytes = () => {};
  bench.open().wait(0);
  for (let frame = 0; frame < FRAMES; frame++) {
    bench.data(frame * PAYLOAD, frame, { length: PAYLOAD });
    bench.wait(20_000);
  }
  bench.wait(10 * MILLISECOND_NS);
  return bench;
}

describe('the receive window', () => {
  it('has no more credits outstanding than fit into it, a full frame each', () => {
    const bench = fullyCredited();
    expect(bench.flow.statistics.creditsSent - 1).toBe(FRAMES);
    bench.data(PAYLOAD, 1, { length: PAYLOAD });
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(1);
  });

  it('counts what the reader has not released', () => {
    const bench = slowReader();
    expect(bench.flow.statistics.bytesHeld).toBe(FRAMES * PAYLOAD);
    expect(bench.flow.statistics.creditsSent).toBe(FRAMES);
    bench.context.sent();
    bench.flow.release(2 * PAYLOAD, bench.nowNs);
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(2);
  });

  it('says PAUSED while the reader holds it, and at once when there is room again', () => {
    const bench = slowReader();
    bench.context.sent();
    bench.request();
    expect(bench.context.sent()).toEqual([`ACK [PAUSED] cumulative=${FRAMES * PAYLOAD} probe=2 ranges=none`]);
    bench.flow.release(PAYLOAD, bench.nowNs);
    expect(bench.context.sent()).toEqual([`ACK cumulative=${FRAMES * PAYLOAD} probe=2 ranges=none`]);
    bench.flow.release(PAYLOAD, bench.nowNs);
    expect(bench.context.sent()).toEqual([]);
  });

  it('does not say PAUSED when it is full of credits that are under way', () => {
    const bench = fullyCredited();
    bench.request();
    expect(bench.context.sent()).toEqual([`ACK cumulative=${PAYLOAD} probe=2 ranges=none`]);
  });

  it('goes on sending credits after a pause that was longer than the data timeout', () => {
    const bench = slowReader();
    bench.wait(5 * SECOND_NS);
    bench.context.sent();
    bench.flow.release(FRAMES * PAYLOAD, bench.nowNs);
    bench.wait(2 * MILLISECOND_NS);
    expect(bench.state).toBe('creditSending');
    expect(bench.credits()).toBe(FRAMES);
  });

  it('still ends credits by the data timeout when nothing comes after the pause', () => {
    const bench = slowReader();
    bench.wait(5 * SECOND_NS);
    bench.flow.release(FRAMES * PAYLOAD, bench.nowNs);
    bench.wait(201 * MILLISECOND_NS);
    expect(bench.state).toBe('creditStopped');
  });

  it('does not make up for the credits that it could not send for want of room', () => {
    const bench = slowReader();
    bench.wait(SECOND_NS);
    bench.context.sent();
    bench.flow.release(FRAMES * PAYLOAD, bench.nowNs);
    bench.wait(MILLISECOND_NS);
    const { lines, stampsNs } = bench.context;
    const creditsNs = stampsNs.filter((_, index) => lines[index].startsWith('CREDIT '));
    const gapsNs = creditsNs.slice(1).map((stampNs, index) => stampNs - creditsNs[index]);
    expect(creditsNs[0]).toBeGreaterThanOrEqual(SECOND_NS);
    expect(Math.min(...gapsNs)).toBeGreaterThan(13_000);
  });
});

describe('a hole that fills the window', () => {
  function withHole(): ReceiverBench {
    const bench = fullyCredited();
    for (let frame = 2; frame <= FRAMES; frame++) bench.data(frame * PAYLOAD, frame, { length: PAYLOAD });
    bench.wait(MILLISECOND_NS);
    return bench;
  }

  it('gets credits for its repair, as many as frames are missing', () => {
    const bench = withHole();
    expect(bench.flow.statistics.bytesHeld).toBe((FRAMES - 1) * PAYLOAD);
    expect(bench.flow.statistics.creditsSent).toBe(1 + FRAMES + 1);
  });

  it('is closed by the repair, and the window is open again', () => {
    const bench = withHole();
    bench.context.sent();
    bench.data(PAYLOAD, FRAMES + 1, { length: PAYLOAD, repair: true });
    expect(bench.reader.received).toBe((FRAMES + 1) * PAYLOAD);
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(FRAMES);
  });

  it('gets no credits while the reader leaves no room for the repair either', () => {
    const bench = new ReceiverBench({ receiveWindowBytes: WINDOW });
    bench.reader.onBytes = () => {};
    bench.open().wait(0);
    const full = FRAMES - 2;
    for (let frame = 0; frame < full; frame++) {
      bench.data(frame * PAYLOAD, frame, { length: PAYLOAD });
      bench.wait(20_000);
    }
    bench.wait(MILLISECOND_NS);
    bench.data(WINDOW - 100, full, { length: 100 });
    bench.data(full * PAYLOAD, full + 1, { length: PAYLOAD });
    bench.wait(MILLISECOND_NS);
    expect(bench.flow.statistics.creditsSent).toBe(FRAMES + 1);
    bench.data((full + 1) * PAYLOAD, FRAMES, { length: 1_000 });
    bench.wait(50 * MILLISECOND_NS);
    expect(bench.flow.statistics.creditsSent).toBe(FRAMES + 1);
    bench.flow.release(PAYLOAD, bench.nowNs);
    bench.wait(MILLISECOND_NS);
    expect(bench.flow.statistics.creditsSent).toBe(FRAMES + 2);
  });
});

describe('what a flow and its reader hold', () => {
  it('is never more than the window, whatever the peer sends and however slow the reader is', () => {
    const step = fc.record({ offset: fc.integer({ min: -3, max: 60 }), release: fc.integer({ min: 0, max: 3 }) });
    holds(fc.array(step, { maxLength: 150 }), 40, (steps) => {
      const bench = new ReceiverBench({ receiveWindowBytes: WINDOW });
      let kept = 0;
      bench.reader.onBytes = (count) => {
        kept += count;
      };
      bench.open();
      for (const { offset, release } of steps) {
        bench.wait(30_000);
        const at = Math.max(0, bench.flow.statistics.bytesDelivered + offset * PAYLOAD);
        bench.data(at, bench.flow.statistics.creditsSent - 1, { length: PAYLOAD });
        const released = Math.min(kept, Math.floor((release * PAYLOAD) / 2));
        kept -= released;
        bench.flow.release(released, bench.nowNs);
        expect(bench.flow.statistics.bytesHeld).toBeLessThanOrEqual(WINDOW);
      }
    });
  });
});

/** PROTOCOL §5.6 as it is written, one credit at a time: full frames beyond all that has arrived, or at most 16 for what is missing before it. */
function creditsOneByOne(reassembly: Reassembly, end: number): number {
  const { nextOffset, highestEnd, heldBytes } = reassembly;
  let credits = 0;
  const fitsBeyond = () => highestEnd + (credits + 1) * PAYLOAD <= end;
  const isMissing = () => credits < 16 && credits * PAYLOAD < highestEnd - nextOffset - heldBytes;
  const fitsBefore = () => isMissing() && nextOffset + (credits + 1) * PAYLOAD <= end;
  while (fitsBeyond() || fitsBefore()) credits++;
  return credits;
}

it('computes how many credits fit as if it tried one after the other, whatever has arrived and is held', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: WINDOW }), fc.integer({ min: 1, max: 3 * PAYLOAD }));
  holds(fc.tuple(fc.array(range, { maxLength: 8 }), fc.nat()), 300, ([ranges, released]) => {
    let delivered = 0;
    const onLength = (length: number) => {
      delivered += length;
    };
    const reassembly = new Reassembly(WINDOW, { onBytes: () => {}, onLength });
    const window = new ReceiveWindow(reassembly, WINDOW);
    window.setFrameBytes(PAYLOAD + 26);
    for (const [offset, length] of ranges) reassembly.insertLength(offset, length, WINDOW);
    window.deliver(delivered);
    window.release(released % (delivered + 1));
    expect(window.credits).toBe(creditsOneByOne(reassembly, window.end));
  });
});
