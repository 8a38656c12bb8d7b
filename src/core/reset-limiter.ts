import { SECOND_NS } from '../base/time.js';

/** Answers to strangers, at most so many a second. PROTOCOL §6.8 */
const PER_SECOND = 100;

/** A token bucket of one second: what a host says to frames of flows that it does not know. */
export class ResetLimiter {
  private tokens = PER_SECOND;
  private refilledNs = 0;

  allow(nowNs: number): boolean {
    this.tokens = Math.min(PER_SECOND, this.tokens + ((nowNs - this.refilledNs) * PER_SECOND) / SECOND_NS);
    this.refilledNs = nowNs;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}
