import type { Random } from '../../../src/base/random.js';
import type { ModelCredit } from './event-queue.js';
import { ModelOffer } from './model-offer.js';
import { CREDIT_BYTES, creditLink, type LinkSpec } from './model-spec.js';

/** Two of the largest credits. PROTOCOL §9.1 */
const BURST_BYTES = 184;

/** One port's credit queue behind its meter, a token bucket at the credits' share of the link (PROTOCOL §9.1), and the rate that it offers. */
export class ModelQueue {
  dropped = 0;
  passed = 0;

  private readonly capacity: number;
  private readonly bytesPerNs: number;
  private readonly lossRate: number;
  private readonly offer: ModelOffer | null;
  private readonly credits: ModelCredit[] = [];
  private tokens = BURST_BYTES;
  private filledNs = 0;

  constructor({ rateBps, queueCredits = 8, isSilent = false, lossRate = 0 }: LinkSpec) {
    const { bytesPerCredit } = creditLink(rateBps);
    this.capacity = queueCredits;
    this.bytesPerNs = ((CREDIT_BYTES.mean / bytesPerCredit) * rateBps) / 8e9;
    this.lossRate = lossRate;
    this.offer = isSilent ? null : new ModelOffer(rateBps, bytesPerCredit);
  }

  get length(): number {
    return this.credits.length;
  }

  /** Whether a credit or its data is lost on the link. Chance is asked only where it decides. */
  loses(random: Random): boolean {
    return this.lossRate > 0 && random.next() < this.lossRate;
  }

  push(credit: ModelCredit, nowNs: number): boolean {
    if (credit.flowBps > 0) this.offer?.count(credit.flowBps, credit.limitingHop === credit.hop, nowNs);
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
    if (this.offer !== null && this.offer.carriedBps < credit.offeredBps) {
      credit.offeredBps = this.offer.carriedBps;
      credit.offeringHop = credit.hop;
    }
    return credit;
  }

  private fill(nowNs: number): void {
    this.tokens = Math.min(BURST_BYTES, this.tokens + (nowNs - this.filledNs) * this.bytesPerNs);
    this.filledNs = nowNs;
  }
}
