// Tested by test/core/sender-flow.test.ts
import type { NumberRecord } from '../base/record-arena.js';
import * as time from '../base/time.js';
import type { EndpointConfig } from './config.js';
import * as flowRecord from './flow-record.js';
import { ownRecord } from './flow-record.js';
import type { RttEstimator } from './rtt.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { Hot } = flowRecord;

/** Weight of a new gap, as of a new sample in the smoothed RTT: RFC 6298 section 2. */
const GAIN = 1 / 8;
/** Gaps without a credit after which none is taken to be coming (ours: jitter and competition stretch a gap, but seldom fourfold). */
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
      numbers[at + Hot.creditGapNs] = meanNs + (meanNs === 0 ? gapNs : (gapNs - meanNs) * GAIN);
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
