import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { endpointConfig } from '../../src/core/config.js';
import { Probe } from '../../src/core/probe.js';
import { RttEstimator } from '../../src/core/rtt.js';

function newProbe() {
  const rtt = new RttEstimator({ idleTimeoutNs: 240 * SECOND_NS });
  return { rtt, probe: new Probe(rtt, endpointConfig()) };
}

describe('a probe', () => {
  it('has the next number, the offset and the time of its sending', () => {
    const { probe } = newProbe();
    expect([probe.number, probe.answered]).toEqual([0, true]);
    probe.send(5_000, 70, false);
    expect([probe.number, probe.offset, probe.sentNs, probe.answered]).toEqual([1, 5_000, 70, false]);
  });

  it('wraps on the wire and not inside', () => {
    const { probe } = newProbe();
    for (let sent = 0; sent < 65_537; sent++) probe.send(0, 0, false);
    expect([probe.number, probe.wireNumber]).toEqual([65_537, 1]);
  });

  it('gives an RTT when it is answered, once', () => {
    const { probe, rtt } = newProbe();
    probe.send(0, 1_000, false);
    probe.answer(4_000);
    probe.answer(9_000);
    expect([rtt.smoothedNs, rtt.minNs]).toEqual([3_000, 3_000]);
  });

  it('gives one also when the next probe left before its answer came, but not if either repeats another', () => {
    const { probe, rtt } = newProbe();
    probe.send(0, 1_000, false);
    probe.send(0, 2_000, false);
    probe.answerEarlier(2, 3_000);
    probe.answerEarlier(1, 4_000);
    probe.answerEarlier(1, 9_000);
    expect([rtt.smoothedNs, rtt.minNs]).toEqual([3_000, 3_000]);
    const repeated = newProbe();
    repeated.probe.send(0, 1_000, false);
    repeated.probe.send(0, 2_000, true);
    repeated.probe.answerEarlier(1, 3_000);
    repeated.probe.send(0, 4_000, false);
    repeated.probe.answerEarlier(2, 5_000);
    expect(repeated.rtt.smoothedNs).toBe(0);
  });

  it('gives no RTT when it was repeated, or when what came may have been under way', () => {
    const { probe, rtt } = newProbe();
    probe.send(0, 1_000, false);
    probe.send(0, 2_000, true);
    probe.answer(3_000);
    probe.send(0, 5_000, false);
    probe.settle();
    probe.answer(6_000);
    expect(rtt.smoothedNs).toBe(0);
  });
});

describe('the wait for the answer to a request', () => {
  const repeatsMs = (flowIds: readonly number[]) =>
    flowIds.map((flowId) => {
      const { probe } = newProbe();
      probe.send(0, 0, false);
      return probe.requestDeadlineNs(flowId) / MILLISECOND_NS;
    });

  it('is spread evenly over a quarter of the retransmission time by the flow ids', () => {
    const random = new SeededRandom(1);
    for (const flowIds of [
      Array.from({ length: 2_000 }, () => random.uint32()),
      Array.from({ length: 2_000 }, (_, at) => at),
    ]) {
      const inParts = new Array(10).fill(0);
      for (const ms of repeatsMs(flowIds)) inParts[Math.floor((ms - 100) / 2.5)]++;
      expect(inParts).toHaveLength(10);
      // 200 of a binomial distribution, four times its deviation of 13.4.
      for (const count of inParts) expect(Math.abs(count - 200)).toBeLessThan(54);
    }
  });

  it('is that of any other probe from the second time on', () => {
    const { probe } = newProbe();
    probe.send(0, 0, false);
    probe.send(0, 0, true);
    expect(probe.requestDeadlineNs(12_345)).toBe(probe.deadlineNs);
  });
});

describe('the wait for an answer', () => {
  const initialMs = 100;

  it('doubles with each repetition up to a second, and begins afresh with a new probe', () => {
    const { probe } = newProbe();
    probe.send(0, 0, false);
    const waitsMs = [probe.deadlineNs / MILLISECOND_NS];
    for (let again = 0; again < 5; again++) {
      probe.send(0, 0, true);
      waitsMs.push(probe.deadlineNs / MILLISECOND_NS);
    }
    expect(waitsMs).toEqual([initialMs, 200, 400, 800, 1_000, 1_000]);
    probe.send(0, 0, false);
    expect(probe.deadlineNs).toBe(initialMs * MILLISECOND_NS);
  });

  it('stays finite however often it is repeated', () => {
    const { probe } = newProbe();
    for (let again = 0; again < 5_000; again++) probe.send(0, 0, true);
    expect(probe.deadlineNs).toBe(SECOND_NS);
  });

  it('is never shorter than one retransmission time, where that is more than a second', () => {
    const { probe, rtt } = newProbe();
    rtt.sample(2 * SECOND_NS);
    for (let again = 0; again < 3; again++) probe.send(0, 0, true);
    expect(probe.deadlineNs).toBe(2 * SECOND_NS + 4 * SECOND_NS);
  });
});
