/** The unit of an axis, by the largest value on it: numbers from 1 to 1000 at its end. */
export interface Unit {
  readonly name: string;
  /** Multiply a value by it to have it in the unit. */
  readonly factor: number;
}

/** Of values in ns. */
export function timeUnit(largestNs: number): Unit {
  return pick(largestNs, ['ns', 'us', 'ms', 's']);
}

/** Of values in bit/s. */
export function rateUnit(largestBps: number): Unit {
  return pick(largestBps, ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']);
}

/** Of values in bytes, by powers of 1000. */
export function bytesUnit(largestBytes: number): Unit {
  return pick(largestBytes, ['B', 'kB', 'MB', 'GB', 'TB']);
}

/** Largest of the finite values; 0 without any. */
export function largestOf(values: Iterable<number>): number {
  let largest = 0;
  for (const value of values) if (Number.isFinite(value) && value > largest) largest = value;
  return largest;
}

function pick(largest: number, names: readonly string[]): Unit {
  let [at, divisor] = [0, 1];
  while (at < names.length - 1 && largest >= divisor * 1000) {
    at++;
    divisor *= 1000;
  }
  return { name: names[at], factor: 1 / divisor };
}
