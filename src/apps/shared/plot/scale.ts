/** An axis in numbers: where it begins and ends, and where its ticks are. Ours instead of the library's, so that a new version of it moves no tick. */
import { assert } from '../../../base/assert.js';
import type { Axis } from './chart.js';

export interface Scale {
  /** 0: linear. */
  readonly base: 0 | 2 | 10;
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
}

export interface ScaleRoom {
  /** Ticks at most, one more where the steps fall so. */
  readonly ticks: number;
  /** Whether a linear axis has 0 on it. */
  readonly fromZero: boolean;
  /** Whether the ends move out to the next tick. */
  readonly toTicks: boolean;
  /** Share of the axis left free at ends that do not move out, so that no marker stands on the frame. */
  readonly padding: number;
}

/** The scale that holds all of `values`. */
export function scaleOf(axis: Axis, values: Iterable<number>, room: ScaleRoom): Scale {
  assert((axis.min ?? -Infinity) < (axis.max ?? Infinity), 'an axis begins before it ends');
  const base = axis.scale === 'log2' ? 2 : axis.scale === 'log10' ? 10 : 0;
  return base === 0 ? linearScale(axis, extentOf(values, -Infinity), room) : logScale(axis, values, { ...room, base });
}

/** Below this a number is 0 to an axis: its ticks would be beyond what a number can be. */
const SMALLEST = 1e-300;

interface Extent {
  readonly low: number;
  readonly high: number;
}

/** Of the finite values above `floor`; from 0 or 1 on where there are none. */
function extentOf(values: Iterable<number>, floor: number): Extent {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value) || value <= floor) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : { low: floor === 0 ? 1 : 0, high: floor === 0 ? 10 : 1 };
}

function linearScale(axis: Axis, extent: Extent, room: ScaleRoom): Scale {
  const data = widened(endsOf(axis, room.fromZero ? withZero(extent) : extent));
  const step = niceStep((data.high - data.low) / room.ticks);
  const spare = room.toTicks ? 0 : (data.high - data.low) * room.padding;
  const min = axis.min ?? (room.toTicks ? Math.floor(data.low / step + 1e-9) * step : data.low - spare);
  const max = axis.max ?? (room.toTicks ? Math.ceil(data.high / step - 1e-9) * step : data.high + spare);
  return { base: 0, min, max, ...linearTicks(step, min, max) };
}

function withZero({ low, high }: Extent): Extent {
  return { low: Math.min(0, low), high: Math.max(0, high) };
}

/** Ends that were asked for, whether there is data between them or not. */
function endsOf({ min, max }: Axis, { low, high }: Extent): Extent {
  return { low: min ?? Math.min(low, max ?? low), high: max ?? Math.max(high, min ?? high) };
}

/** One value alone, or values that no label could tell apart, get room on both sides; zeros stand on the axis. */
function widened({ low, high }: Extent): Extent {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size >= SMALLEST && high - low > size * 1e-9) return { low, high };
  return size < SMALLEST ? { low: 0, high: 1 } : { low: low - Math.abs(low) / 2, high: high + Math.abs(high) / 2 };
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `step`. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find((nice) => nice * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function multiples(step: number, min: number, max: number): number[] {
  const first = Math.ceil(min / step - 1e-6);
  const last = Math.floor(max / step + 1e-6);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
}

function logScale(axis: Axis, values: Iterable<number>, room: ScaleRoom & { base: 2 | 10 }): Scale {
  const { base } = room;
  const power = (value: number): number => (base === 2 ? Math.log2(value) : Math.log10(value));
  const ends = endsOf(axis, extentOf(values, 0));
  let [low, high] = [power(ends.low), power(ends.high)];
  if (low === high) [low, high] = [low - power(2), high + power(2)];
  if (axis.min === undefined && room.toTicks) low = Math.floor(low + 1e-9);
  if (axis.max === undefined && room.toTicks) high = Math.ceil(high - 1e-9);
  const spare = room.toTicks ? 0 : (high - low) * room.padding;
  const min = axis.min ?? base ** (low - spare);
  const max = axis.max ?? base ** (high + spare);
  return { base, min, max, ...logTicks(room, { low: power(min), high: power(max) }) };
}

type Ticks = Pick<Scale, 'ticks' | 'labels'>;

/** At powers of the base; where there are fewer than three, at 1, 2 and 5 times a power of ten, and else where a linear axis would have them. */
function logTicks({ base, ticks: most }: ScaleRoom & { base: 2 | 10 }, { low, high }: Extent): Ticks {
  const step = Math.max(1, Math.ceil((high - low) / most));
  const powers = multiples(step, low, high);
  if (powers.length >= 3) {
    const labels = powers.map((exponent) => logLabel(base, exponent));
    return { ticks: powers.map((exponent) => base ** exponent), labels };
  }
  const [min, max] = [base ** low, base ** high];
  const within = (value: number): boolean => value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9);
  const decades = multiples(1, Math.floor(Math.log10(min)), Math.ceil(Math.log10(max)));
  const ticks = decades.flatMap((decade) => [1, 2, 5].map((digit) => Number(`${digit}e${decade}`))).filter(within);
  if (ticks.length >= 3) return { ticks, labels: ticks.map((tick) => linearLabel(tick, decimalsOf(tick))) };
  return linearTicks(niceStep((max - min) / most), min, max);
}

function linearTicks(step: number, min: number, max: number): Ticks {
  const ticks = multiples(step, min, max);
  return { ticks, labels: ticks.map((tick) => linearLabel(tick, decimalsOf(step))) };
}

/** Where a value is between the ends of the axis: 0 to 1. */
export function positionOn({ base, min, max }: Scale, value: number): number {
  const place = (at: number): number => (base === 0 ? at : Math.log(at));
  return (place(value) - place(min)) / (place(max) - place(min));
}

/** Digits behind the point that a multiple of the step needs: 0 of 50, 1 of 2.5, 2 of 0.25. */
function decimalsOf(step: number): number {
  const decimals = [0, 1, 2, 3, 4, 5, 6].find((count) => Math.abs(Number(step.toFixed(count)) - step) < step * 1e-6);
  return decimals ?? 7;
}

function linearLabel(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e6 || decimals > 6) return value.toExponential().replace('e+', 'e').replace(/^0e0$/, '0');
  return grouped(value.toFixed(decimals));
}

/** Powers of two below 1 as fractions; powers of ten from a millionth to a million in full. */
function logLabel(base: 2 | 10, exponent: number): string {
  const value = base ** exponent;
  if (Math.abs(exponent) > (base === 2 ? 19 : 6)) return `${base}^${exponent}`;
  if (exponent >= 0) return grouped(String(value));
  return base === 2 ? `1/${grouped(String(1 / value))}` : value.toFixed(-exponent);
}

/** `12,000`; four digits stay together. */
function grouped(text: string): string {
  const [whole, part] = text.split('.');
  const digits = whole.replace('-', '').length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return part === undefined ? digits : `${digits}.${part}`;
}
