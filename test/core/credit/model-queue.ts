import type { CreditLink } from '../../../src/core/credit/algorithm.js';
import type { ModelCredit } from './event-queue.js';

/** Two of the largest credits. PROTOCOL §9.1 */
const BURST_BYTES = 184;
/** Mean wire size of a credit. PROTOCOL §4.4 */
const MEAN_CREDIT_BYTES = 88;

/** One port's credit queue behind its meter: a token bucket at the credits' share of the link. PROTOCOL §9.1 */
export class ModelQueue {
  dropped = 0;
  passed = 0;

  private readonly capacity: number;
  private readonly bytesPerNs: number;
  private readonly credits: ModelCredit[] = [];
  private tokens = BURST_BYTES;
  private filledNs = 0;

  constructor(link: CreditLink, capacity: number) {
    this.capacity = capacity;
    this.bytesPerNs = ((MEAN_CREDIT_BYTES / link.bytesPerCredit) * link.maxRateBps) / 8e9;
  }

  get length(): number {
    return this.credits.length;
  }

  push(credit: ModelCredit): boolean {
    if (this.credits.length === this.capacity) {
      this.dropped++;
      return false;
    }
    this.credits.push(credit);
    return true;
  }

  /** When the head may leave; the queue is not empty. */
  readyAt(nowNs: number): number {
    this.fill(nowNs);
    return nowNs + Math.max(0, this.credits[0].bytes - this.tokens) / this.bytesPerNs;
  }

  shift(nowNs: number): ModelCredit {
    this.fill(nowNs);
    const credit = this.credits.shift()!;
    this.tokens -= credit.bytes;
    this.passed++;
    return credit;
  }

  private fill(nowNs: number): void {
    this.tokens = Math.min(BURST_BYTES, this.tokens + (nowNs - this.filledNs) * this.bytesPerNs);
    this.filledNs = nowNs;
  }
}
