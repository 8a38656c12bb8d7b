/**
 * Charts as plain data, without a word of the library that draws them (draw.ts). A value that is not finite, or not above 0 on a logarithmic axis, is a gap.
 */
export type Chart = LineChart | BarChart | ScatterChart;

interface ChartBase {
  /** Above the chart; none where a caption says it. */
  readonly title?: string;
  readonly y: Axis;
  /** Values to compare with, such as a paper's. */
  readonly references?: readonly Reference[];
  /** 640 x 400 by default; grows in height where the legend needs more than three rows. */
  readonly widthPx?: number;
  readonly heightPx?: number;
}

export interface Axis {
  /** With its unit: `time (ms)`. */
  readonly name: string;
  /** `linear` by default. Logarithmic axes have their ticks at powers of their base. */
  readonly scale?: 'linear' | 'log2' | 'log10';
  /** What the axis ends at; by default what the data needs, and 0 on a linear y axis. Data beyond is cut off. */
  readonly min?: number;
  readonly max?: number;
}

/** A horizontal line across the chart, with its label in the right margin; left out where it is beyond the axis. */
export interface Reference {
  /** Short: `paper 0.978`. */
  readonly label: string;
  readonly y: number;
}

export interface LineChart extends ChartBase {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly series: readonly LineSeries[];
}

export interface LineSeries {
  readonly name: string;
  /** Ascending. */
  readonly x: ArrayLike<number>;
  /** One for each x. */
  readonly y: ArrayLike<number>;
  /** A shaded area around the line, such as the range over seeds; one value for each x. */
  readonly band?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
  /** Each value holds until the next x, as in a CDF, instead of leading there in a straight line. */
  readonly stepped?: boolean;
}

/** Bars side by side, one of each series in every group. */
export interface BarChart extends ChartBase {
  readonly kind: 'bars';
  readonly x: { readonly name: string };
  /** What stands below each group. */
  readonly groups: readonly string[];
  /** One value for each group; null: no bar. */
  readonly series: readonly BarSeries[];
}

export interface BarSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** A line along each bar, from one value to the other, such as a confidence interval. */
  readonly ranges?: readonly (readonly [number, number] | null)[];
}

export interface ScatterChart extends ChartBase {
  readonly kind: 'scatter';
  readonly x: Axis;
  readonly series: readonly { readonly name: string; readonly points: readonly ScatterPoint[] }[];
}

export interface ScatterPoint {
  readonly x: number;
  readonly y: number;
  /** Written beside the point. */
  readonly label?: string;
}

/**
 * The share of the samples that is at most x, as a stepped line from 0 at the smallest sample to 1 at the largest. Samples that are not finite are left out;
 * without any, the line is empty.
 */
export function cdfSeries(name: string, samples: ArrayLike<number>): LineSeries {
  const sorted = Float64Array.from(samples).filter(Number.isFinite).sort();
  const x: number[] = [];
  const y: number[] = [];
  if (sorted.length > 0) add(sorted[0], 0);
  for (let at = 0; at < sorted.length; at++) {
    if (sorted[at] !== sorted[at + 1]) add(sorted[at], (at + 1) / sorted.length);
  }
  return { name, x, y, stepped: true };

  function add(value: number, share: number): void {
    x.push(value);
    y.push(share);
  }
}
