/** Highest degree that is counted apart. Ours: several times the 185 frames of SprayPass's Figure 11. */
const MAX_DEGREE = 1_023;
/** Places at first. Ours: most hosts see degree 0 only, and V8 keeps arrays of up to 64 bytes inside their owner. */
const FIRST_DEGREES = 8;

/** What one host has counted, as plain data. */
export interface DisorderCounts {
  readonly inOrder: number;
  readonly frames: Float64Array;
}

/**
 * How far data frames arrive out of order, over all flows of a host. The degree of disorder of an arrival is the number of full frames in the reorder buffer
 * after it: 0 for a frame in order without a hole. The distribution is the reorder buffer-occupancy density of RFC 5236 section 5.
 */
export class Disorder {
  /** By degree from 1 on, as far as the highest that came so far. */
  private frames = new Float64Array(FIRST_DEGREES);
  /** Those of degree 0, most of all: a number of its own saves them the way to the array. */
  private inOrder = 0;

  count(degree: number): void {
    if (degree === 0) {
      this.inOrder++;
      return;
    }
    const place = Math.min(degree, MAX_DEGREE);
    if (place >= this.frames.length) this.grow(place);
    this.frames[place]++;
  }

  get counts(): DisorderCounts {
    return { inOrder: this.inOrder, frames: this.frames };
  }

  /** Adds the counts of another host. */
  add(other: Disorder): void {
    this.addCounts(other.counts);
  }

  addCounts(other: DisorderCounts): void {
    this.inOrder += other.inOrder;
    if (other.frames.length > this.frames.length) this.grow(other.frames.length - 1);
    for (let degree = 0; degree < other.frames.length; degree++) this.frames[degree] += other.frames[degree];
  }

  reset(): void {
    this.inOrder = 0;
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
    const total = this.frames.reduce((sum, count) => sum + count, this.inOrder);
    let seen = this.inOrder;
    for (let degree = 0; degree < this.frames.length; degree++) {
      seen += this.frames[degree];
      if (seen >= part * total) return degree;
    }
    return MAX_DEGREE;
  }

  private grow(place: number): void {
    const grown = new Float64Array(2 ** Math.ceil(Math.log2(place + 1)));
    grown.set(this.frames);
    this.frames = grown;
  }
}
