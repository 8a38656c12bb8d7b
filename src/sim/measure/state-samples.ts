/**
 * What the algorithm of one flow remembers, sample by sample. A value has a name from the sample on in which it is there first; before and after, it
 * is NaN.
 */
export class StateSamples {
  private readonly values = new Map<string, number[]>();

  /** `index` is the number of the sample, which ascend; none comes for those in which the flow is not there. */
  add(index: number, state: Readonly<Record<string, number>>): void {
    for (const name in state) {
      let values = this.values.get(name);
      if (values === undefined) {
        values = [];
        this.values.set(name, values);
      }
      pad(values, index);
      values.push(state[name]);
    }
  }

  /** By name, of `samples` samples. */
  series(samples: number): Record<string, Float64Array> {
    const found: Record<string, Float64Array> = {};
    for (const [name, values] of this.values) {
      pad(values, samples);
      found[name] = Float64Array.from(values);
    }
    return found;
  }
}

function pad(values: number[], length: number): void {
  while (values.length < length) values.push(Number.NaN);
}
