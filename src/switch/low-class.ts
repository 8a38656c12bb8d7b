// Tested by test/switch/credit-classes.test.ts
import type { Random } from '../base/random.js';
import { flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { CreditFlag } from '../wire/layout.js';
import { CreditMarking } from './credit-marking.js';
import { ExplicitRate } from './explicit-rate.js';

/** Wire bytes of the largest credit. PROTOCOL §4.4 */
const LARGEST_CREDIT_BYTES = 92;

/** Whether a CREDIT is of the low class. PROTOCOL §3.2 */
export function isLowCredit(bytes: Uint8Array): boolean {
  return (flags(bytes) & CreditFlag.lowClass) !== 0;
}

/**
 * Low class of credits at one port, made for its first low credit: which class goes next (PROTOCOL §9.8). Start-time fair queueing (Goyal, SIGCOMM 1996) of two
 * classes, as the one number by which they differ.
 */
export class LowClass {
  readonly queue = new FrameQueue();
  readonly marking: CreditMarking;
  readonly explicitRate = new ExplicitRate(Number.POSITIVE_INFINITY, 1, 1);
  /** Weight of a high credit's bytes: 1 / W, 0 where the high class always goes first. */
  private highCost: number;
  /** Bytes that the low class has had more than its share while both waited. */
  private aheadBytes = 0;

  /** `weight`: W of the high class against 1; Infinity: strict. `markFrames`: N_cdt. */
  constructor(weight: number, markFrames: number, random: Random) {
    this.highCost = 1 / weight;
    this.marking = new CreditMarking(markFrames, random);
  }

  /** Each class offers what the other one leaves of the link. `high`: the offers of the other class. PROTOCOL §9.8 */
  shareOffers(high: ExplicitRate): void {
    const lowPart = this.highCost / (1 + this.highCost);
    this.explicitRate.takeLinkOf(high);
    this.explicitRate.share(high, lowPart);
    high.share(this.explicitRate, 1 - lowPart);
  }

  configure(weight: number, markFrames: number): void {
    this.highCost = 1 / weight;
    this.aheadBytes = 0;
    this.marking.configure(markFrames);
  }

  /** The credit that goes next, left in its place. `high`: the queue of the other class. */
  peek(high: FrameQueue): Frame | null {
    return (this.isTurn(high) ? this.queue : high).peek();
  }

  /** Takes that credit. */
  shift(high: FrameQueue): Frame | null {
    const isLow = this.isTurn(high);
    const frame = (isLow ? this.queue : high).shift();
    if (frame === null) return null;
    const aheadBytes = this.aheadBytes + (isLow ? frame.wireBytes : -frame.wireBytes * this.highCost);
    // A class without a credit waiting saves up one credit's turn, and no more.
    const mostBehindBytes = LARGEST_CREDIT_BYTES * Math.max(1, this.highCost);
    this.aheadBytes = Math.max(-mostBehindBytes, Math.min(LARGEST_CREDIT_BYTES, aheadBytes));
    return frame;
  }

  private isTurn(high: FrameQueue): boolean {
    return this.queue.length > 0 && (high.length === 0 || this.aheadBytes < 0);
  }
}
