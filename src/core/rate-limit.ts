// Tested by test/core/endpoint.test.ts
import { SECOND_NS } from '../base/time.js';

/** A token bucket that holds what it gives in a second. */
export class RateLimit {
  private tokens: number;
  private refilledNs = 0;
  private readonly perSecond: number;

  constructor(perSecond: number) {
    this.perSecond = perSecond;
    this.tokens = perSecond;
  }

  allow(nowNs: number): boolean {
    this.tokens = Math.min(this.perSecond, this.tokens + ((nowNs - this.refilledNs) * this.perSecond) / SECOND_NS);
    this.refilledNs = nowNs;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}
