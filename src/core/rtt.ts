import { SECOND_NS } from '../base/time.js';

/** How long a shortest time counts at least; twice as long at most. A path that has become longer is believed after that (ours, as BBR's 10 s). */
const RECENT_NS = 5 * SECOND_NS;

/** The least of the values of the last 5 to 10 s. */
export class RecentMinimum {
  private current = Number.POSITIVE_INFINITY;
  private previous = Number.POSITIVE_INFINITY;
  private sinceNs = 0;

  /** Infinity before the first sample. */
  get value(): number {
    return Math.min(this.current, this.previous);
  }

  sample(value: number, nowNs: number): void {
    if (nowNs - this.sinceNs > RECENT_NS) {
      this.previous = this.current;
      this.current = Number.POSITIVE_INFINITY;
      this.sinceNs = nowNs;
    }
    if (value < this.current) this.current = value;
  }
}

/** Smoothed round-trip time and its variation: RFC 6298 section 2, without its clamps. Times in ns. */
export class RttEstimator {
  /** Smoothed RTT; 0 before the first sample. */
  smoothedNs = 0;
  variationNs = 0;
  /** Smallest sample so far; Infinity before the first. */
  minNs = Number.POSITIVE_INFINITY;
  private readonly longestWaitNs: number;

  /** `longestWaitNs`: no time to wait that is derived from the RTT is longer. */
  constructor(longestWaitNs: number) {
    this.longestWaitNs = longestWaitNs;
  }

  sample(rttNs: number): void {
    if (rttNs < 0) return;
    if (rttNs < this.minNs) this.minNs = rttNs;
    if (this.smoothedNs === 0) {
      this.smoothedNs = rttNs;
      this.variationNs = rttNs / 2;
      return;
    }
    this.variationNs += (Math.abs(this.smoothedNs - rttNs) - this.variationNs) / 4;
    this.smoothedNs += (rttNs - this.smoothedNs) / 8;
  }

  /** So many smoothed RTTs; 0 before the first sample. */
  waitNs(roundTrips: number): number {
    return Math.min(roundTrips * this.smoothedNs, this.longestWaitNs);
  }

  /** `srtt + max(4 * rttvar, margin)`, or `initialNs` before the first sample. PROTOCOL §5.5 */
  retransmitNs(marginNs: number, initialNs: number): number {
    if (this.smoothedNs === 0) return initialNs;
    return Math.min(this.smoothedNs + Math.max(4 * this.variationNs, marginNs), this.longestWaitNs);
  }
}
