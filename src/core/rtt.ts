/** Smoothed round-trip time and its variation: RFC 6298 section 2, without its clamps. Times in ns. */
export class RttEstimator {
  /** Smoothed RTT; 0 before the first sample. */
  smoothedNs = 0;
  variationNs = 0;
  /** Smallest sample so far; Infinity before the first. */
  minNs = Number.POSITIVE_INFINITY;

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

  /** `srtt + max(4 * rttvar, margin)`, or `initialNs` before the first sample. PROTOCOL §5.5 */
  retransmitNs(marginNs: number, initialNs: number): number {
    if (this.smoothedNs === 0) return initialNs;
    return this.smoothedNs + Math.max(4 * this.variationNs, marginNs);
  }
}
