import { describe, expect, it } from 'vitest';
import type { CreditAlgorithm, CreditSample } from '../../src/core/credit/algorithm.js';
import { CreditLedger } from '../../src/core/credit-ledger.js';
import { RateControl } from '../../src/core/rate-control.js';
import { RttEstimator } from '../../src/core/rtt.js';
import { encodeData } from '../../src/wire/encode.js';
import { DataFlag, HOP_BITS } from '../../src/wire/layout.js';
import { codeOfRate, rateOfCode } from '../../src/wire/rate-code.js';

const PERIOD_NS = 32 * 13_008;
const LINK = { maxRateBps: 1e9, bytesPerCredit: 1_626 };

/** Keeps the samples that it gets. */
class RecordingAlgorithm implements CreditAlgorithm {
  readonly name = 'recording';
  rateBps = 1e8;
  readonly samples: CreditSample[] = [];

  update(sample: CreditSample): void {
    this.samples.push({ ...sample });
    this.rateBps += 1;
  }

  updatePeriodNs(rttNs: number): number {
    return Math.max(rttNs, PERIOD_NS);
  }

  state(): Record<string, number> {
    return {};
  }
}

function bench() {
  const algorithm = new RecordingAlgorithm();
  const control = new RateControl(algorithm, LINK, 0);
  const ledger = new CreditLedger({ firstSequence: 0, maxOutstanding: 1_000 });
  for (let credit = 0; credit < 100; credit++) ledger.send(credit * 1_000);
  return { algorithm, control, ledger };
}

/** A data frame that says so of its credit, and brings the rate with this code. */
function data(isCreditMarked = false, rateCode = 0, hop = 0): Uint8Array {
  const bytes = new Uint8Array(64);
  const explicitRate = (rateCode << HOP_BITS) | hop;
  const flags = isCreditMarked ? DataFlag.creditCe : 0;
  encodeData(
    bytes,
    { destination: 0, source: 0, flowId: 1 },
    { creditSequence: 0, explicitRate, offset: 0, unused: 0, flags, pathId: 0 },
  );
  return bytes;
}

/** An estimator whose smoothed RTT that is. */
function rttOf(rttNs: number): RttEstimator {
  const rtt = new RttEstimator({ idleTimeoutNs: Number.POSITIVE_INFINITY });
  rtt.sample(rttNs);
  return rtt;
}

describe('the rate of a flow', () => {
  it('follows the mean of the explicit rates of the period, and the latest hop; those of one before do not count', () => {
    const { algorithm, control, ledger } = bench();
    const codes = [codeOfRate(1e6), codeOfRate(4e6)];
    control.countData(data(false, codes[0], 3), false);
    control.countData(data(false, codes[1], 2), false);
    ledger.echo(9, 0);
    control.update(ledger, rttOf(50_000), PERIOD_NS);
    ledger.echo(19, 0);
    control.update(ledger, rttOf(50_000), 2 * PERIOD_NS);
    expect(algorithm.samples.map(({ explicitBps, hop }) => [explicitBps, hop])).toEqual([
      [(rateOfCode(codes[0]) + rateOfCode(codes[1])) / 2, 2],
      [0, 15],
    ]);
  });

  it('is updated once a period is over, with what became known in it', () => {
    const { algorithm, control, ledger } = bench();
    ledger.echo(9, 2);
    control.countData(data(), true);
    control.countData(data(), false);
    control.countData(data(true), true);
    control.noteHeldBack();
    expect(control.update(ledger, rttOf(50_000), PERIOD_NS - 1)).toBe(false);
    expect(control.update(ledger, rttOf(50_000), PERIOD_NS)).toBe(true);
    expect(control.rateBps).toBe(1e8 + 1);
    expect(algorithm.samples).toEqual([
      {
        nowNs: PERIOD_NS,
        elapsedNs: PERIOD_NS,
        heldBack: true,
        rttNs: 50_000,
        minRttNs: 50_000,
        rttVariationNs: 25_000,
        latestRttNs: PERIOD_NS - 9_000,
        spanNs: 9_000,
        known: 10,
        used: 1,
        unused: 2,
        dropped: 7,
        takenBack: 0,
        dataFrames: 3,
        marked: 2,
        creditMarked: 1,
        explicitBps: 0,
        hop: 15,
        rateBps: (1_626 * 8e9) / PERIOD_NS,
      },
    ]);
  });

  it('takes the smoothed RTT for the latest where no data came', () => {
    const { algorithm, control, ledger } = bench();
    ledger.echo(9, 0);
    control.update(ledger, rttOf(50_000), PERIOD_NS);
    expect(algorithm.samples[0].latestRttNs).toBe(50_000);
  });

  it('begins each period with nothing counted', () => {
    const { algorithm, control, ledger } = bench();
    ledger.echo(9, 0);
    control.countData(data(true), true);
    control.update(ledger, rttOf(0), PERIOD_NS);
    ledger.echo(10, 0);
    control.update(ledger, rttOf(0), 2 * PERIOD_NS);
    expect(algorithm.samples[1]).toMatchObject({
      known: 1,
      used: 1,
      dropped: 0,
      dataFrames: 0,
      marked: 0,
      creditMarked: 0,
      spanNs: 1_000,
    });
  });

  it('says which credits were taken back, for the period of their echo alone', () => {
    const { algorithm, control, ledger } = bench();
    ledger.echo(9, 0);
    ledger.echo(8, 0);
    control.update(ledger, rttOf(0), PERIOD_NS);
    ledger.echo(10, 0);
    control.update(ledger, rttOf(0), 2 * PERIOD_NS);
    expect(algorithm.samples).toMatchObject([
      { known: 10, used: 2, dropped: 8, takenBack: 1 },
      { known: 1, used: 1, dropped: 0, takenBack: 0 },
    ]);
  });

  it('waits for an RTT where that is longer than 32 credits take', () => {
    const { control, ledger } = bench();
    ledger.echo(9, 0);
    expect(control.update(ledger, rttOf(3 * PERIOD_NS), 3 * PERIOD_NS - 1)).toBe(false);
    expect(control.update(ledger, rttOf(3 * PERIOD_NS), 3 * PERIOD_NS)).toBe(true);
  });

  it('is left alone while the fate of no credit is known', () => {
    const { algorithm, control, ledger } = bench();
    expect(control.update(ledger, rttOf(0), 10 * PERIOD_NS)).toBe(false);
    expect(algorithm.samples).toEqual([]);
  });

  it('counts a period from when credits start again', () => {
    const { control, ledger } = bench();
    ledger.echo(9, 0);
    control.restart(5 * PERIOD_NS);
    expect(control.update(ledger, rttOf(0), 6 * PERIOD_NS - 1)).toBe(false);
    expect(control.update(ledger, rttOf(0), 6 * PERIOD_NS)).toBe(true);
  });

  it('does not take the pace of a flow that heard nothing for its own, until credits are known that were sent after the first echo', () => {
    const { algorithm, control, ledger } = bench();
    const slowing = Object.assign(algorithm, { unheardRateBps: (sent: number) => (sent > 40 ? 1e7 : 1e8) });
    expect([control.unheardRateBps(40), control.unheardRateBps(41)]).toEqual([1e8, 1e7]);
    // 100 credits are out, 1 us apart. 50 at 1e8 bit/s would have taken 6.5 ms: the span stays what it was.
    control.heard(100);
    ledger.echo(49, 0);
    control.update(ledger, rttOf(0), PERIOD_NS);
    expect(slowing.samples[0].spanNs).toBe(49_000);
    const fast = Object.assign(new RecordingAlgorithm(), { rateBps: 1e11, unheardRateBps: () => 1e7 });
    const faster = new RateControl(fast, LINK, 0);
    faster.heard(100);
    ledger.echo(98, 0);
    faster.update(ledger, rttOf(0), PERIOD_NS);
    // 49 credits at 1e11 bit/s in place of 49 us.
    expect(fast.samples[0].spanNs).toBeCloseTo((49 * 1_626 * 8e9) / 1e11, 6);
    for (let credit = 0; credit < 10; credit++) ledger.send(100_000 + credit * 1_000);
    ledger.echo(109, 0);
    faster.update(ledger, rttOf(0), 2 * PERIOD_NS);
    // The first of these, number 99, was sent before the echo; then no more.
    ledger.send(200_000);
    ledger.echo(110, 0);
    faster.update(ledger, rttOf(0), 3 * PERIOD_NS);
    expect(fast.samples[2].spanNs).toBe(91_000);
  });
});
