import { expect, it, vi } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { Pair } from '../../harness/pair.js';
import { pattern } from '../../harness/streams.js';

/** It takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

/** A round trip of 10 ms, which is 77 full frames and their credits at 100 Mbit/s; the queue that is allowed is 10 more. */
const ONE_WAY = [5 * MILLISECOND_NS];
const QUEUE_CREDITS = 10;
const BOUNDED = { rateBps: 100e6, hostCredits: 1_024, queueBoundNs: 1.3 * MILLISECOND_NS };
const BURST_BYTES = 120 * 1_446;
const BURSTS = 5;

/** A flow that sends in bursts, and what its receiver's host has of it. */
class Bursts {
  readonly pair = new Pair(1, BOUNDED);
  readonly flow = this.pair.hosts[0].endpoint.open(
    1,
    { onWritable: () => undefined, onClosed: () => undefined },
    {},
    0,
  );
  readonly budget = this.pair.hosts[1].endpoint.budget;
  mostOutstanding = 0;
  private sent = 0;

  constructor() {
    this.pair.network = () => ONE_WAY;
    this.pair.onStep = () => {
      this.mostOutstanding = Math.max(this.mostOutstanding, this.budget.outstanding);
    };
  }

  get received(): number {
    return this.pair.sinks[1].readers[0]?.received ?? 0;
  }

  get statistics() {
    return this.pair.sinks[1].readers[0].flow.statistics;
  }

  /** Sends one; returns how long it takes until all of it has come. */
  burst(): number {
    const { pair } = this;
    const sinceNs = pair.nowNs;
    expect(this.flow.write(pattern(this.sent, BURST_BYTES), sinceNs)).toBe(true);
    this.sent += BURST_BYTES;
    while (this.received < this.sent && pair.nowNs < sinceNs + SECOND_NS) this.pause(MILLISECOND_NS / 20);
    return pair.nowNs - sinceNs;
  }

  pause(ns: number): void {
    this.pair.run(this.pair.nowNs + ns);
  }
}

/** How long each takes with pauses between them. */
function waitsNs(pauseNs: number): number[] {
  const bursts = new Bursts();
  const waits = Array.from({ length: BURSTS }, () => {
    const waitNs = bursts.burst();
    bursts.pause(pauseNs);
    return waitNs;
  });
  expect(bursts.pair.sinks[1].readers[0].wrong).toBe(0);
  return waits;
}

it('a flow that wakes from its rest is as fast as one that has never rested', () => {
  const restless = waitsNs(50 * MILLISECOND_NS);
  expect(waitsNs(SECOND_NS)).toEqual(restless);
  // The first burst does not know the path.
  expect(Math.max(...restless.slice(1))).toBeLessThan(0.6 * restless[0]);
});

it("a flow at rest remembers its credits, its rate and its path, and takes none of the host's budget", () => {
  const bursts = new Bursts();
  bursts.burst();
  bursts.pause(30 * MILLISECOND_NS);
  const awake = bursts.statistics;
  bursts.pause(SECOND_NS);
  expect(bursts.statistics).toEqual(awake);
  expect([awake.creditsOutstanding, bursts.budget.outstanding]).toEqual([0, 0]);
  bursts.burst();
  const { creditsSent, creditsUsed, dataFrames } = bursts.statistics;
  expect(dataFrames).toBe(awake.dataFrames + BURST_BYTES / 1_446);
  expect(creditsUsed).toBe(awake.creditsUsed + BURST_BYTES / 1_446);
  expect(creditsSent).toBeGreaterThanOrEqual(creditsUsed);
  expect(bursts.pair.hosts[1].endpoint.counters).toMatchObject({ unknownCredit: 0, duplicateData: 0, lateEchoes: 0 });
  expect(bursts.flow.statistics.creditsReceived).toBe(creditsSent);
});

it("a flow that wakes keeps to the bound of the host's credits again", () => {
  const bursts = new Bursts();
  for (let burst = 0; burst < 3; burst++) {
    bursts.burst();
    bursts.pause(SECOND_NS);
    bursts.mostOutstanding = 0;
  }
  bursts.burst();
  expect(bursts.mostOutstanding).toBeGreaterThan(2 * QUEUE_CREDITS);
  expect(bursts.mostOutstanding).toBeLessThan(100);
});
