import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import {
  bitsPerCredit,
  hasten,
  limitBacklog,
  paceNext,
  restartPacer,
  setPace,
  startPacer,
} from '../../src/core/credit-pacer.js';
import { ownRecord, ReceiverPlace } from '../../src/core/flow-record.js';
import { allowLongRuns, TEST_SEED } from '../harness/seeds.js';

allowLongRuns();

/** (88 + 1538) * 8 bits at 100 Mbit/s. PROTOCOL §4.4 */
const GAP_NS = 130_080;
const RATE_BPS = 100e6;

/** One flow's pacer, alone in its record. */
class Pacer {
  private readonly numbers = ownRecord().numbers;
  private readonly at = 0;

  private readonly jitter: number;

  constructor(jitter: number, catchUpNs: number) {
    this.jitter = jitter;
    startPacer(this.numbers, this.at, catchUpNs);
    this.setRate(RATE_BPS);
    this.restart(0);
  }

  get dueNs(): number {
    return this.numbers[this.at + ReceiverPlace.dueNs];
  }

  get meanGapNs(): number {
    return this.numbers[this.at + ReceiverPlace.gapNs];
  }

  setRate(rateBps: number): void {
    setPace(this.numbers, this.at, bitsPerCredit(1_472), rateBps);
  }

  restart(nowNs: number): void {
    restartPacer(this.numbers, this.at, nowNs);
  }

  hasten(byNs: number, nowNs: number): void {
    hasten(this.numbers, this.at, byNs, nowNs);
  }

  limitBacklog(nowNs: number): void {
    limitBacklog(this.numbers, this.at, nowNs);
  }

  advance(random: SeededRandom): void {
    paceNext(this.numbers, this.at, this.jitter, random);
  }
}

function pacer(jitter: number, catchUpNs = MILLISECOND_NS): Pacer {
  return new Pacer(jitter, catchUpNs);
}

/** Wakes after each of `sleeps` and sends what is due; returns how many credits went out. */
function drive(pacer: Pacer, random: SeededRandom, sleepsNs: Iterable<number>): number {
  let nowNs = 0;
  let sent = 0;
  for (const sleepNs of sleepsNs) {
    nowNs += sleepNs;
    pacer.limitBacklog(nowNs);
    for (; pacer.dueNs <= nowNs; sent++) pacer.advance(random);
  }
  return sent;
}

describe('the pacer', () => {
  it('spaces credits so that they and their data fill the rate', () => {
    const made = pacer(0);
    expect(made.meanGapNs).toBe(GAP_NS);
    made.advance(new SeededRandom(1));
    expect(made.dueNs).toBe(GAP_NS);
  });

  it('brings the next credit forward, to now at the earliest, and never puts it off', () => {
    const made = pacer(0);
    made.advance(new SeededRandom(1));
    made.hasten(30_080, 10_000);
    expect(made.dueNs).toBe(100_000);
    made.hasten(-50_000, 10_000);
    expect(made.dueNs).toBe(100_000);
    made.hasten(95_000, 10_000);
    expect(made.dueNs).toBe(10_000);
    made.hasten(5_000, 20_000);
    expect(made.dueNs).toBe(10_000);
  });

  it('draws each gap uniformly from its jitter on either side', () => {
    const made = pacer(0.02);
    const random = new SeededRandom(TEST_SEED);
    let lowest = Number.POSITIVE_INFINITY;
    let highest = 0;
    for (let credit = 0; credit < 10_000; credit++) {
      const before = made.dueNs;
      made.advance(random);
      lowest = Math.min(lowest, made.dueNs - before);
      highest = Math.max(highest, made.dueNs - before);
    }
    expect(lowest).toBeGreaterThanOrEqual(0.98 * GAP_NS - 1);
    expect(lowest).toBeLessThan(0.9805 * GAP_NS);
    expect(highest).toBeLessThanOrEqual(1.02 * GAP_NS + 1);
    expect(highest).toBeGreaterThan(1.0195 * GAP_NS);
    // The mean of 10,000 uniform draws has a deviation of 0.02 / sqrt(3) / 100 of the gap; six of them.
    expect(Math.abs(made.dueNs / 10_000 / GAP_NS - 1)).toBeLessThan(6 * 0.000_116);
  });

  it('loses nothing in the long run when it is woken late, within the catch-up bound', () => {
    const random = new SeededRandom(TEST_SEED);
    const sleepsNs = Array.from({ length: 20_000 }, () => random.next() * MILLISECOND_NS);
    const sumNs = sleepsNs.reduce((sum, sleepNs) => sum + sleepNs, 0);
    const made = pacer(0);
    expect(drive(made, random, sleepsNs)).toBe(Math.floor(sumNs / GAP_NS) + 1);
  });

  it('makes up for no more than the catch-up bound', () => {
    const made = pacer(0);
    const random = new SeededRandom(1);
    expect(drive(made, random, [SECOND_NS])).toBe(Math.floor(MILLISECOND_NS / GAP_NS) + 1);
    // Counted from the bound on: what lay before it stays lost.
    expect(made.dueNs).toBe(SECOND_NS - MILLISECOND_NS + (Math.floor(MILLISECOND_NS / GAP_NS) + 1) * GAP_NS);
  });

  it('makes up for nothing where the bound is zero', () => {
    const made = pacer(0, 0);
    expect(drive(made, new SeededRandom(1), [10.5 * GAP_NS, 10.5 * GAP_NS])).toBe(2);
  });

  it('takes a new rate from the next gap on', () => {
    const made = pacer(0);
    const random = new SeededRandom(1);
    made.advance(random);
    made.setRate(RATE_BPS / 4);
    expect(made.dueNs).toBe(GAP_NS);
    made.advance(random);
    expect(made.dueNs).toBe(5 * GAP_NS);
  });

  it('begins at once when credits start again', () => {
    const made = pacer(0);
    made.advance(new SeededRandom(1));
    made.restart(9 * SECOND_NS);
    expect(made.dueNs).toBe(9 * SECOND_NS);
  });
});
