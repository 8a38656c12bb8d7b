import type { Random } from '../base/random.js';
import type { NumberRecord } from '../base/record-arena.js';
import { NEVER } from '../base/time.js';
import { MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../wire/layout.js';
import { Hot, ownRecord } from './flow-record.js';

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
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly bitsPerCredit: number;
  /** Time given up because the driver woke later than the catch-up bound. */
  lostNs = 0;

  constructor(options: PacerOptions, { numbers, at }: NumberRecord = ownRecord()) {
    this.numbers = numbers;
    this.at = at;
    this.bitsPerCredit = (MEAN_CREDIT_WIRE_BYTES + wireBytes(options.frameBytes)) * 8;
    numbers[at + Hot.jitter] = options.jitter;
    numbers[at + Hot.catchUpNs] = options.catchUpNs;
    numbers[at + Hot.gapNs] = NEVER;
  }

  /** When the next credit is due. */
  get dueNs(): number {
    return this.numbers[this.at + Hot.dueNs];
  }

  /** Mean time between two credits. */
  get meanGapNs(): number {
    return this.numbers[this.at + Hot.gapNs];
  }

  /** See DueSource. */
  prefetch(): number {
    return this.at;
  }

  /** `rateBps`: part of the link that credits and their data fill. */
  setRate(rateBps: number): void {
    this.numbers[this.at + Hot.gapNs] = (this.bitsPerCredit * 1e9) / rateBps;
  }

  /** The next credit is due so much sooner, but not before now; nothing changes for less than 0. */
  hasten(byNs: number, nowNs: number): void {
    if (byNs > 0 && this.dueNs > nowNs) this.restart(Math.max(nowNs, this.dueNs - byNs));
  }

  /** Begins afresh: the next credit is due now. */
  restart(nowNs: number): void {
    this.numbers[this.at + Hot.dueNs] = nowNs;
  }

  /** The next credit is due now at the earliest: what could not be sent before is not made up for. */
  forgetBacklog(nowNs: number): void {
    if (this.dueNs < nowNs) this.restart(nowNs);
  }

  /** Gives up what lies further back than the catch-up bound. */
  limitBacklog(nowNs: number): void {
    const earliestNs = nowNs - this.numbers[this.at + Hot.catchUpNs];
    if (this.dueNs >= earliestNs) return;
    this.lostNs += earliestNs - this.dueNs;
    this.restart(earliestNs);
  }

  /** The credit that was due has been sent. Returns when the next is due. */
  advance(random: Random): number {
    const { numbers, at } = this;
    const gapNs = numbers[at + Hot.gapNs] * (1 + numbers[at + Hot.jitter] * (2 * random.next() - 1));
    numbers[at + Hot.dueNs] += gapNs;
    return numbers[at + Hot.dueNs];
  }
}
