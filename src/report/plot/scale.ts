/** An axis in numbers: where it begins and ends, and where its ticks are. */
import { assert } from '../../base/assert.js';
import type { Axis } from './chart.js';

export interface Scale {
  readonly ticks: readonly Tick[];
  /** Whether the axis has a place for a value, and for a value between its ends. */
  isDrawable(value: number): boolean;
  isInside(value: number): boolean;
  /** Where a value is between the ends of the axis: 0 to 1. */
  at(value: number): number;
}

/** A scale with its place in the drawing. */
export interface PlacedScale extends Scale {
  px(value: number): number;
}

export function placedScale(scale: Scale, fromPx: number, toPx: number): PlacedScale {
  return { ...scale, px: (value) => fromPx + (toPx - fromPx) * scale.at(value) };
}

export interface Tick {
  readonly value: number;
  /** Empty for a minor tick. */
  readonly label: string;
}

export interface ScaleRoom {
  /** Labels at most, one more where the steps fall so. */
  readonly ticks: number;
  /** Whether a linear axis has 0 on it. */
  readonly fromZero: boolean;
  /** Whether the ends move out to the next tick. */
  readonly toTicks: boolean;
  /** Share of the axis left free at ends that do not move out, so that no marker stands on the frame. */
  readonly padding: number;
}

/** Below this a number is 0 to an axis: its ticks would be beyond what a number can be. */
const SMALLEST = 1e-300;
/** In steps; covers the rounding of a division. */
const SLACK = 1e-9;
const BASES = { linear: 0, log2: 2, log10: 10 } as const;

/** The scale that holds all of `values`. */
export function scaleOf(axis: Axis, values: Iterable<number>, room: ScaleRoom): Scale {
  assert((axis.min ?? -Infinity) < (axis.max ?? Infinity), 'an axis begins before it ends');
  const base = BASES[axis.scale ?? 'linear'];
  const isDrawable = (value: number): boolean => Number.isFinite(value) && (base === 0 || value > 0);
  // A logarithmic axis is a linear one of exponents.
  const place = (value: number): number => (base === 0 ? value : Math.log(value) / Math.log(base));
  const [first, last] = endsOf(axis, [...values].filter(isDrawable), base === 0 && room.fromZero).map(place);
  const step = base === 0 ? niceStep((last - first) / room.ticks) : 1;
  const spare = (last - first) * room.padding;
  const low = room.toTicks ? Math.floor(first / step + SLACK) * step : first - spare;
  const high = room.toTicks ? Math.ceil(last / step - SLACK) * step : last + spare;
  const start = axis.min === undefined ? low : place(axis.min);
  const end = axis.max === undefined ? high : place(axis.max);
  return {
    ticks: base === 0 ? linearTicks(step, start, end) : logTicks({ base, ticks: room.ticks }, start, end),
    isDrawable,
    isInside: (value) =>
      isDrawable(value) && place(value) >= start - SLACK * step && place(value) <= end + SLACK * step,
    at: (value) => (place(value) - start) / (end - start),
  };
}

/** A scale with a place for each group of bars. */
export function groupScale(groups: readonly string[]): Scale {
  const ticks = groups.map((label, value) => ({ value, label }));
  return { ticks, isDrawable: () => true, isInside: () => true, at: (value) => (value + 0.5) / groups.length };
}

/** Ends that were asked for, whether there is data between them or not; one value alone gets room on both sides. */
function endsOf({ min, max, scale = 'linear' }: Axis, values: readonly number[], fromZero: boolean): [number, number] {
  const isLinear = scale === 'linear';
  const known = [...(values.length > 0 ? values : isLinear ? [0, 1] : [1, 10]), ...(fromZero ? [0] : [])];
  const lowest = known.reduce((least, value) => Math.min(least, value));
  const highest = known.reduce((most, value) => Math.max(most, value));
  const [low, high] = [min ?? Math.min(lowest, max ?? lowest), max ?? Math.max(highest, min ?? highest)];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size >= SMALLEST && high - low > size * SLACK) return [low, high];
  if (size < SMALLEST) return [0, 1];
  return isLinear ? [low - size / 2, high + size / 2] : [low / 2, high * 2];
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 2.5, 5].find((nice) => nice * power >= step * (1 - SLACK)) ?? 10) * power;
}

function multiples(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step - SLACK * 1e3);
  const last = Math.floor(to / step + SLACK * 1e3);
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function linearTicks(step: number, from: number, to: number): Tick[] {
  const decimals =
    [0, 1, 2, 3, 4, 5, 6].find((count) => Math.abs(Number(step.toFixed(count)) - step) < step * 1e-6) ?? 7;
  return multiples(step, from, to).map((value) => ({ value, label: labelOf(value, decimals) }));
}

/**
 * At powers of the base, with a label from the first on. Decades have minor ticks where each power has a label. An axis with fewer than three powers has labels
 * at 1, 2 and 5 times a power of ten, or where a linear axis would have them.
 */
function logTicks({ base, ticks: most }: { base: 2 | 10; ticks: number }, from: number, to: number): Tick[] {
  const powers = multiples(1, from, to).map((exponent) => base ** exponent);
  const [low, high] = [base ** from, base ** to];
  const decades = multiples(1, Math.floor(Math.log10(low)), Math.log10(high));
  const digits = (some: readonly number[]): Tick[] =>
    decades
      .flatMap((decade) => some.map((digit) => Number(`${digit}e${decade}`)))
      .filter((value) => value >= low * (1 - SLACK) && value <= high * (1 + SLACK))
      .map((value) => ({ value, label: logLabel(value) }));
  if (powers.length < 3) {
    const few = digits([1, 2, 5]);
    return few.length >= 3 ? few : linearTicks(niceStep((high - low) / most), low, high);
  }
  const every = Math.ceil(powers.length / most);
  const minor = base === 10 && every === 1 ? digits([2, 3, 4, 5, 6, 7, 8, 9]) : [];
  return [
    ...powers.map((value, at) => ({ value, label: at % every === 0 ? logLabel(value, base) : '' })),
    ...minor.map(({ value }) => ({ value, label: '' })),
  ];
}

/** Powers of two below 1 as fractions. */
function logLabel(value: number, base = 10): string {
  if (base === 2 && value < 1) return `1/${labelOf(1 / value, 0)}`;
  return labelOf(value, Math.max(0, -Math.floor(Math.log10(value) + SLACK)));
}

/** `12,000`; large and small numbers with an exponent. */
function labelOf(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e7 || decimals > 6) return value.toExponential().replace('e+', 'e').replace(/^0e0$/, '0');
  return value.toFixed(decimals).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}
