// Tested by test/core/credit-watch.test.ts and sender-flow.test.ts
import type { NumberRecord } from '../base/record-arena.js';
import * as time from '../base/time.js';
import type { EndpointConfig } from './config.js';
import * as flowRecord from './flow-record.js';
import { ownRecord } from './flow-record.js';
import type { RttEstimator } from './rtt.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { Hot } = flowRecord;

/** Weight of a new gap that is longer than the mean, as of a new sample in the smoothed RTT: RFC 6298 section 2. */
const GAIN = 1 / 8;
/**
 * Weight of a shorter one (ours). Credits come in turns of up to four (credit-budget.ts), three gaps of nothing and a long one: with the same weight the mean was a fifth of the long gap at the end of a turn, so that 10,000 flows asked again before
 * each turn, a quarter of all frames (docs/PERF-LOG.md). With this one it is half of it, and four of them last until the next turn and beyond.
 */
const SHORTER_GAIN = 1 / 32;
/** Gaps without a credit after which none is taken to be coming (ours: jitter and competition stretch a gap, but seldom fourfold). The mean lies above the middle, since shorter gaps count for less: where gaps are exponential these are 6.4 of them. */
const SILENT_GAPS = 4;

/**
 * "No credit for timeout" of ExpressPass 2017, Figure 7: when a sender with data asks for credits again (PROTOCOL §4.1). Where credits are meant to be far apart,
 * on a slow link or one that many flows share, it waits for several of their gaps: a request for each credit would cost more than it.
 */
export class CreditWatch {
  private readonly config: EndpointConfig;
  private readonly rtt: RttEstimator;
  private readonly numbers: Float64Array;
  private readonly at: number;

  constructor(config: EndpointConfig, rtt: RttEstimator, { numbers, at }: NumberRecord = ownRecord()) {
    this.config = config;
    this.rtt = rtt;
    this.numbers = numbers;
    this.at = at;
    numbers[at + Hot.lastCreditNs] = NEVER;
  }

  /** Data has come that needs a credit, after a time without. */
  begin(nowNs: number): void {
    this.wait(nowNs);
    // The last credit of the present run of credits; NEVER before the first.
    this.numbers[this.at + Hot.lastCreditNs] = NEVER;
  }

  /**
   * The wait for a credit begins: one was asked for. It ends a gap like any other: of flows whose credits are farther apart than the first timeout, each asked before each credit otherwise, and never
   * learned what their gap is (2,000 flows: 0.8 to 1.7 requests, and as many ACKs, for each data frame).
   */
  wait(nowNs: number): void {
    this.numbers[this.at + Hot.sinceNs] = nowNs;
  }

  onCredit(nowNs: number): void {
    const { numbers, at } = this;
    const lastCreditNs = numbers[at + Hot.lastCreditNs];
    if (lastCreditNs !== NEVER) {
      // An outage is no longer a gap than what counts of gaps.
      const gapNs = Math.min(nowNs - lastCreditNs, this.config.maxBackoffNs);
      const meanNs = numbers[at + Hot.creditGapNs];
      const gain = gapNs < meanNs ? SHORTER_GAIN : GAIN;
      numbers[at + Hot.creditGapNs] = meanNs + (meanNs === 0 ? gapNs : (gapNs - meanNs) * gain);
    }
    numbers[at + Hot.lastCreditNs] = nowNs;
    numbers[at + Hot.sinceNs] = nowNs;
  }

  /** When the next credit is overdue. */
  get deadlineNs(): number {
    const { creditTimeoutNs, maxBackoffNs } = this.config;
    const silenceNs = Math.min(SILENT_GAPS * this.numbers[this.at + Hot.creditGapNs], maxBackoffNs);
    return this.numbers[this.at + Hot.sinceNs] + Math.max(creditTimeoutNs, this.rtt.waitNs(2), silenceNs);
  }
}
