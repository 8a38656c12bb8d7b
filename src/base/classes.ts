/** A histogram of few classes: counting is some comparisons and an increment, and memory is constant. */
export class Classes {
  private readonly bounds: readonly number[];
  private readonly counts: Float64Array;

  /** `bounds`: the classes' upper bounds, ascending, themselves included; a last class has none. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  add(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > bounds[at]) at++;
    this.counts[at]++;
  }

  /** `[upper bound, count]` of each class; the last bound is Infinity. */
  snapshot(): [number, number][] {
    return Array.from(this.counts, (count, at) => [this.bounds[at] ?? Number.POSITIVE_INFINITY, count]);
  }
}
