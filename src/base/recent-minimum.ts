import { SECOND_NS } from './time.js';

/** A minimum counts for one to two of these. Ours, as BBR's 10 s: then a longer path is believed. */
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

  /** Forgets everything, where the values mean something else from now on. */
  reset(): void {
    this.current = this.previous = Number.POSITIVE_INFINITY;
  }
}
