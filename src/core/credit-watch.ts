// Tested by test/core/sender-flow.test.ts
import { NEVER } from '../base/time.js';
import type { EndpointConfig } from './config.js';
import type { RttEstimator } from './rtt.js';

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
  private sinceNs = 0;
  /** The last credit of the present run of credits; NEVER before the first. */
  private lastCreditNs = NEVER;
  private gapNs = 0;

  constructor(config: EndpointConfig, rtt: RttEstimator) {
    this.config = config;
    this.rtt = rtt;
  }

  /** The wait for a credit begins: one was asked for, or data has come that needs one. */
  begin(nowNs: number): void {
    this.sinceNs = nowNs;
    this.lastCreditNs = NEVER;
  }

  onCredit(nowNs: number): void {
    if (this.lastCreditNs !== NEVER) {
      const gapNs = nowNs - this.lastCreditNs;
      this.gapNs += this.gapNs === 0 ? gapNs : (gapNs - this.gapNs) * GAIN;
    }
    this.lastCreditNs = nowNs;
    this.sinceNs = nowNs;
  }

  /** When the next credit is overdue. */
  get deadlineNs(): number {
    const { creditTimeoutNs, maxBackoffNs } = this.config;
    const silenceNs = Math.min(SILENT_GAPS * this.gapNs, maxBackoffNs);
    return this.sinceNs + Math.max(creditTimeoutNs, this.rtt.waitNs(2), silenceNs);
  }
}
