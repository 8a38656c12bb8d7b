import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { NO_OBSERVER } from '../../src/core/flow-callbacks.js';
import { SenderState } from '../../src/core/sender-flow.js';
import { ReactiveBench } from '../harness/reactive-bench.js';

const RTT = 100_000;

/** A flow of a window of four whose first four frames are out, and whose opening is answered. */
function running(frames = 20, changes = {}): ReactiveBench {
  const bench = new ReactiveBench(changes);
  bench.write(frames).wait(RTT).ack(0);
  bench.sent();
  return bench;
}

describe('a reactive sender', () => {
  it('sends its first window right behind the opening, and marks it as early until it is answered', () => {
    const bench = new ReactiveBench();
    bench.write(6);
    expect(bench.context.lines[0]).toMatch(/^CREDIT_REQUEST \[OPEN REACTIVE\]/);
    expect(bench.context.lines[1]).toMatch(/^DATA \[REACTIVE EARLY\] frame=0 offset=0 /);
    expect(bench.sent()).toEqual(['CREDIT_REQUEST', '0@0', '1@1', '2@2', '3@3']);
    bench.wait(RTT).ack(1, { frame: 0 });
    expect(bench.context.lines).toEqual([expect.stringMatching(/^DATA \[REACTIVE\] frame=4 /)]);
  });

  it('repeats the opening until it is answered', () => {
    const bench = new ReactiveBench({ initialRetransmitNs: 20 * MILLISECOND_NS });
    bench.write(1);
    bench.sent();
    bench.wait(20 * MILLISECOND_NS);
    expect(bench.sent()).toContain('CREDIT_REQUEST');
    bench.ack(1, { frame: 0 });
    bench.sent();
    bench.wait(SECOND_NS);
    expect(bench.sent()).toEqual([]);
  });

  it('keeps as many frames out as the window says, a whole number of them and one at least', () => {
    const bench = running();
    bench.window.windowFrames = 5.9;
    bench.ack(1, { frame: 0 });
    expect(bench.sent()).toEqual(['4@4', '5@5']);
    bench.window.windowFrames = 0.5;
    for (let frame = 1; frame < 6; frame++) bench.ack(frame + 1, { frame });
    expect(bench.sent()).toEqual(['6@6']);
  });

  it('tells the algorithm what the acknowledgement says of the path', () => {
    const bench = running();
    bench.wait(50_000).ack(1, { frame: 0, arrivedWith: 59 * 4 + 3, remoteQueuing: 7, arrivalTime: 400 });
    const [sample] = bench.window.samples;
    expect(sample).toMatchObject({
      event: 0,
      nowNs: 150_000,
      rttNs: 150_000,
      minRttNs: 150_000,
      sentFrames: 4,
      inFlightFrames: 3,
      isWindowLimited: true,
      ackedFrames: 1,
      ackedBytes: 1_446,
      ackedNumber: 0,
      markedFrames: 1,
      remoteQueuingNs: 7_000,
      localQueuingNs: 0,
      forwardNs: 40_000,
      hops: 4,
    });
  });

  it('takes a frame as lost when three later ones have arrived, and sends its bytes before new ones', () => {
    const bench = running();
    bench.ack(0, { frame: 1, ranges: [[1, 2]] });
    bench.ack(0, { frame: 2, ranges: [[1, 3]] });
    expect(bench.sent()).toEqual(['4@4', '5@5']);
    bench.ack(0, { frame: 3, ranges: [[1, 4]] });
    expect(bench.sent()).toEqual(['6@0!', '7@6']);
    expect(bench.window.events()).toEqual(['acknowledged', 'acknowledged', 'acknowledged', 'recovery']);
  });

  it('begins one recovery for all that was lost of one round trip, and another for the next', () => {
    const bench = running(40);
    bench.window.windowFrames = 8;
    bench.wait(RTT).ack(1, { frame: 0 });
    bench.window.events();
    // 1 and 2 of 1 to 8 are lost, found one by one.
    for (const frame of [3, 4, 5]) bench.ack(1, { frame, ranges: [[3, frame + 1]] });
    expect(bench.window.events()).toEqual(['acknowledged', 'acknowledged', 'recovery', 'acknowledged']);
    expect(bench.flow.statistics.bytesRepaired).toBe(2 * 1_446);
  });

  it('waits a quarter of the RTT for fewer than three', () => {
    const bench = running(4);
    bench.wait(RTT).ack(0, { frame: 1, ranges: [[1, 2]] });
    bench.window.events();
    expect(bench.sent()).toEqual([]);
    // Both were sent at once, so the RTT of the later has passed already; the least RTT is that of the opening.
    bench.wait(0.25 * RTT - 1);
    expect(bench.sent()).toEqual([]);
    bench.wait(1);
    expect(bench.sent()).toEqual(['4@0!']);
    expect(bench.window.events()).toEqual(['recovery']);
  });

  it('does not repeat a frame whose acknowledgement was lost, and counts it with the next', () => {
    const bench = running(8);
    bench.ack(4, { frame: 3 });
    expect(bench.sent()).toEqual(['4@4', '5@5', '6@6', '7@7']);
    expect(bench.window.samples.at(-1)).toMatchObject({ event: 0, ackedFrames: 1 });
    bench.ack(8, { frame: 7 });
    expect(bench.window.samples.at(-1)).toMatchObject({ event: 0, ackedFrames: 4 });
    expect(bench.sent()).toEqual([]);
    bench.wait(SECOND_NS);
    expect(bench.sent()).toEqual([]);
  });

  it('sends one frame more when nothing is heard, and takes all for lost when nothing is heard of that', () => {
    const bench = running(4, { retransmitMarginNs: MILLISECOND_NS });
    // The opening was answered after 100 us: srtt + margin.
    bench.wait(MILLISECOND_NS);
    expect(bench.sent()).toEqual(['4@3!']);
    expect(bench.window.events()).toEqual([]);
    bench.window.windowFrames = 1;
    bench.wait(2 * (MILLISECOND_NS + RTT));
    expect(bench.window.events()).toEqual(['timeout']);
    expect(bench.sent()).toEqual(['5@0!']);
  });

  it('sends the newest frame that is missing when nothing is heard, not one that has arrived', () => {
    const bench = running(4, { retransmitMarginNs: MILLISECOND_NS });
    bench.ack(1, { ranges: [[3, 4]] });
    bench.wait(MILLISECOND_NS);
    expect(bench.sent()).toEqual(['4@2!']);
    bench.window.windowFrames = 1;
    bench.wait(2 * (MILLISECOND_NS + RTT));
    expect(bench.window.events()).toEqual(['timeout']);
    expect(bench.sent()).toEqual(['5@1!']);
  });

  it('goes by the copy that the acknowledgement names: a late original is no loss', () => {
    const bench = running(4, { retransmitMarginNs: MILLISECOND_NS });
    bench.wait(MILLISECOND_NS);
    bench.ack(4, { frame: 3 });
    expect(bench.flow.statistics).toMatchObject({ bytesAcknowledged: 4 * 1_446, rttNs: expect.closeTo(225_000, -5) });
    expect(bench.window.events()).toEqual([]);
  });

  it('paces where the algorithm asks, from the frame before', () => {
    const bench = running();
    bench.window.windowFrames = 0.5;
    bench.window.pacingGapNs = 3 * RTT;
    for (let frame = 0; frame < 4; frame++) bench.ack(frame + 1, { frame });
    expect(bench.sent()).toEqual([]);
    // The frames before went at 0.
    bench.wait(2 * RTT - 1);
    expect(bench.sent()).toEqual([]);
    bench.wait(1);
    expect(bench.sent()).toEqual(['4@4']);
    bench.wait(RTT).ack(5, { frame: 4 });
    bench.wait(2 * RTT - 1);
    expect(bench.sent()).toEqual([]);
    bench.wait(1);
    expect(bench.sent()).toEqual(['5@5']);
  });

  it('stops at the window end, asks when it stays there, and goes on when it moves', () => {
    const bench = new ReactiveBench();
    bench.window.windowFrames = 100;
    bench.write(60);
    // 65,536 bytes hold 45 full frames.
    expect(bench.sent()).toHaveLength(46);
    const end = { windowEnd: 65_536 };
    bench.wait(RTT).ack(44, { frame: 43, ...end });
    expect(bench.sent()).toEqual([]);
    // Nothing is on its way any more: what is left of the window is worth a frame.
    bench.ack(45, { frame: 44, ...end });
    expect(bench.sent()).toEqual(['45@45']);
    bench.ack(65_536 / 1_446, { frame: 45, ...end });
    bench.wait(SECOND_NS);
    const asked = bench.sent();
    expect(new Set(asked)).toEqual(new Set(['CREDIT_STOP']));
    // Backed off: 10, 20, 40 ms and so on.
    expect(asked.length).toBeLessThan(10);
    bench.ack(65_536 / 1_446, { windowEnd: 1e6 });
    expect(bench.sent()).toHaveLength(15);
  });

  it('ends with FIN when everything is sent, and closes when it is complete', () => {
    const bench = running(2);
    bench.flow.end(bench.nowNs);
    expect(bench.sent()).toEqual(['FIN']);
    expect(bench.flow.state).toBe(SenderState.finSent);
    bench.ack(2, { frame: 1 });
    bench.ack(2, { complete: true });
    expect(bench.writer.events).toEqual(['closed in order']);
  });

  it('does not close before the opening is answered: FIN could be there first', () => {
    const bench = new ReactiveBench();
    bench.write(1);
    bench.flow.end(0);
    expect(bench.sent()).toEqual(['CREDIT_REQUEST', '0@0']);
    bench.wait(RTT).ack(1, { frame: 0 });
    expect(bench.sent()).toEqual(['FIN']);
  });

  it('keeps a silent flow alive', () => {
    const bench = running(1);
    bench.ack(1, { frame: 0 });
    bench.wait(3.335 * SECOND_NS);
    expect(bench.sent()).toEqual(['CREDIT_STOP']);
  });

  it('counts what tells of frames that were never sent', () => {
    const bench = running();
    bench.ack(0, { frame: 99 });
    bench.ack(0, { frame: 1, ranges: [[5, 6]] });
    bench.ack(5);
    expect(bench.context.counters.invalid).toBe(3);
    bench.flow.handleCredit();
    expect(bench.context.counters.invalid).toBe(4);
  });

  it('lets a program write by each ACK, also by one that is about no frame', () => {
    const bench = running(2);
    let acks = 0;
    bench.flow.observer = { ...NO_OBSERVER, onAck: () => ++acks === 2 && bench.write(1) };
    bench.ack(1, { frame: 0 });
    bench.sent();
    // All that was sent has come, by the answer to a probe: a program that writes by what is under way has no other occasion.
    bench.ack(2);
    expect(bench.sent()).toEqual(['2@2']);
  });
});
