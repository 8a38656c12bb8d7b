// Tested by test/apps/perf/report.test.ts
// The package as a whole takes twice as long to load: its log writer asks Intl for a format.
import { build } from 'hdr-histogram-js/dist/HistogramBuilder.js';
import { counter, gauge, initialValues, type Metric, type Values } from '../../base/metric.js';

/** A distribution of durations, each within 0.1 % of what was recorded. NaN in an empty one, but for its count. */
export const PERCENTILE_METRICS = {
  min: quantile('Shortest'),
  mean: quantile('Mean'),
  p50: quantile('Median'),
  p90: quantile('90th percentile'),
  p99: quantile('99th percentile'),
  p999: quantile('99.9th percentile'),
  max: quantile('Longest'),
  count: counter('samples', 'Durations recorded'),
};

/** In microseconds. */
export type Percentiles = Readonly<Values<typeof PERCENTILE_METRICS>>;

function quantile(help: string): Metric<number> {
  return { ...gauge('us', help), initial: Number.NaN };
}

/** What one count of the histogram stands for. Durations up to 21 s are then small integers, which V8 passes on without allocating. */
const UNIT_NS = 10;
/** Largest value in units: 21.5 s, twice the default idle timeout. Longer durations count as this long. */
const MAX_UNITS = 2 ** 31 - 1;
const SIGNIFICANT_DIGITS = 3;
const UNITS_PER_MICROSECOND = 1_000 / UNIT_NS;

/** HDR's own buckets for three digits: 2,048 of one unit, then for each power of two 1,024 that are twice as wide as those before. */
const SUB_BUCKETS = 2_048;
const HALF_BITS = 10;
const BUCKETS = 22 << HALF_BITS;

/**
 * A histogram of durations for the hot path: constant memory (180 kB), never allocates, 5 ns to record one. Only the counting is ours, into the
 * buckets that an HDR histogram has, which then takes the counts over whenever percentiles are wanted. Recording into hdr-histogram-js at once takes
 * 90 ns, and 20 ns in WebAssembly, whose memory no garbage collector frees (all as CPU time on the 2-core lab machine, alone in a loop; two are
 * recorded for each frame, and a frame has 10 us).
 */
export class DurationHistogram {
  private readonly counts = new Float64Array(BUCKETS);
  /** The counts at the last cut. */
  private countsBefore: Float64Array | null = null;

  /** What is out of range counts as the nearest value within it. */
  record(durationNs: number): void {
    const wanted = durationNs / UNIT_NS;
    const units = wanted < MAX_UNITS ? (wanted > 0 ? wanted | 0 : 0) : MAX_UNITS;
    const shift = units < SUB_BUCKETS ? 0 : 32 - (HALF_BITS + 1) - Math.clz32(units);
    this.counts[(shift << HALF_BITS) + (units >> shift)]++;
  }

  /** Forgets what was recorded. */
  reset(): void {
    this.counts.fill(0);
    this.countsBefore = null;
  }

  percentiles(): Percentiles {
    return percentilesOf(this.counts);
  }

  /** Of what was recorded since the last call. */
  cut(): Percentiles {
    const { counts, countsBefore } = this;
    this.countsBefore = counts.slice();
    return percentilesOf(countsBefore === null ? counts : counts.map((count, at) => count - countsBefore[at]));
  }

  /** How many durations there are in each class, from the first on; class k is up to 2 ** k us, and above the class before. */
  classes(): number[] {
    const classes: number[] = [];
    for (const [bucket, count] of this.counts.entries()) {
      if (count === 0) continue;
      const at = Math.max(0, Math.ceil(Math.log2((lowestUnits(bucket) + 1) / UNITS_PER_MICROSECOND)));
      classes[at] = (classes[at] ?? 0) + count;
    }
    return Array.from(classes, (count) => count ?? 0);
  }
}

export type Bar = readonly [upToUs: number, count: number];

/** Classes as bars, from the first that has some to the last; each begins where the one before ends. */
export function barsOf(classes: readonly number[]): Bar[] {
  const first = classes.findIndex((count) => count > 0);
  return classes.map((count, at) => [2 ** at, count] as const).slice(Math.max(0, first));
}

function percentilesOf(counts: Float64Array): Percentiles {
  const histogram = toHdr(counts);
  const count = histogram.totalCount;
  if (count === 0) return NO_DURATIONS;
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / UNITS_PER_MICROSECOND;
  return {
    min: at(0),
    mean: histogram.mean / UNITS_PER_MICROSECOND,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    max: at(100),
    count,
  };
}

function toHdr(counts: Float64Array) {
  const histogram = build({
    bitBucketSize: 64,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_UNITS,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
  });
  for (const [bucket, count] of counts.entries()) {
    if (count > 0) histogram.recordValueWithCount(lowestUnits(bucket), count);
  }
  return histogram;
}

/** The smallest value that is counted in a bucket. */
function lowestUnits(bucket: number): number {
  const shift = Math.max(0, (bucket >> HALF_BITS) - 1);
  return (bucket - (shift << HALF_BITS)) * 2 ** shift;
}

/** Of an empty histogram. */
export const NO_DURATIONS: Percentiles = initialValues(PERCENTILE_METRICS);
