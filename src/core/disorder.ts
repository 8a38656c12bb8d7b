/** Degrees that are told apart; what lies above counts as this one (ours: the 185 frames of SprayPass's Figure 11 have room many times over). */
const MAX_DEGREE = 1_023;

/**
 * How far data frames arrive out of order, over all flows of a host. The degree of disorder of an arrival is the number of full frames that wait in the reorder buffer
 * once it has been placed there: 0 for a frame in order without a hole before it. The distribution is the reorder buffer-occupancy density of RFC 5236 section 5.
 */
export class Disorder {
  private readonly frames = new Float64Array(MAX_DEGREE + 1);

  count(degree: number): void {
    this.frames[Math.min(degree, MAX_DEGREE)]++;
  }

  /** Adds the counts of another host. */
  add(other: Disorder): void {
    for (let degree = 0; degree <= MAX_DEGREE; degree++) this.frames[degree] += other.frames[degree];
  }

  reset(): void {
    this.frames.fill(0);
  }

  /** The largest that has been counted; 0 without any. */
  get max(): number {
    return Math.max(
      0,
      this.frames.findLastIndex((count) => count > 0),
    );
  }

  /** By nearest rank: the smallest degree that this part of all frames does not exceed; 0 without any. */
  quantile(part: number): number {
    const total = this.frames.reduce((sum, count) => sum + count, 0);
    let seen = 0;
    for (let degree = 0; degree <= MAX_DEGREE; degree++) {
      seen += this.frames[degree];
      if (seen >= part * total) return degree;
    }
    return MAX_DEGREE;
  }
}
