import type { Random } from '../base/random.js';
import { NEVER } from '../base/time.js';
import { MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../wire/layout.js';

export interface PacerOptions {
  /** Largest UDP payload that a credit releases. */
  frameBytes: number;
  /** Part of the gap, either way. */
  jitter: number;
  catchUpNs: number;
}

/**
 * When the next credit of one flow is due. Each gap is jittered around `(88 + data) * 8 / rate` (PROTOCOL §4.4) and counted from the time that the
 * last credit was due, not from when it went out: a driver that wakes late sends what it missed and loses nothing in the long run, up to the catch-up
 * bound, beyond which lost time stays lost, so that a stall is not followed by a burst that overflows the credit queues.
 */
export class CreditPacer {
  private readonly bitsPerCredit: number;
  private readonly jitter: number;
  private readonly catchUpNs: number;
  private gapNs = NEVER;
  /** When the next credit is due. */
  dueNs = 0;
  /** Time given up because the driver woke later than the catch-up bound. */
  lostNs = 0;

  constructor(options: PacerOptions) {
    this.bitsPerCredit = (MEAN_CREDIT_WIRE_BYTES + wireBytes(options.frameBytes)) * 8;
    this.jitter = options.jitter;
    this.catchUpNs = options.catchUpNs;
  }

  /** Mean time between two credits. */
  get meanGapNs(): number {
    return this.gapNs;
  }

  /** `rateBps`: part of the link that credits and their data fill. */
  setRate(rateBps: number): void {
    this.gapNs = (this.bitsPerCredit * 1e9) / rateBps;
  }

  /** Begins afresh: the next credit is due now. */
  restart(nowNs: number): void {
    this.dueNs = nowNs;
  }

  /** Gives up what lies further back than the catch-up bound. */
  limitBacklog(nowNs: number): void {
    const earliestNs = nowNs - this.catchUpNs;
    if (this.dueNs >= earliestNs) return;
    this.lostNs += earliestNs - this.dueNs;
    this.dueNs = earliestNs;
  }

  /** The credit that was due has been sent. */
  advance(random: Random): void {
    this.dueNs += this.gapNs * (1 + this.jitter * (2 * random.next() - 1));
  }
}
