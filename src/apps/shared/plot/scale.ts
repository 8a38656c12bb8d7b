/** An axis in numbers: where it begins and ends, and where its ticks are. Ours instead of the library's, so that a new version of it moves no tick. */
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
  const base = axis.scale === 'log2' ? 2 : axis.scale === 'log10' ? 10 : 0;
  return base === 0 ? linearScale(axis, extentOf(values, -Infinity), room) : logScale(axis, values, { ...room, base });
}

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
  const data = widened(room.fromZero ? { low: Math.min(0, extent.low), high: Math.max(0, extent.high) } : extent);
  const step = niceStep(((axis.max ?? data.high) - (axis.min ?? data.low)) / room.ticks);
  const spare = room.toTicks ? 0 : (data.high - data.low) * room.padding;
  const min = axis.min ?? (room.toTicks ? Math.floor(data.low / step + 1e-9) * step : data.low - spare);
  const max = axis.max ?? (room.toTicks ? Math.ceil(data.high / step - 1e-9) * step : data.high + spare);
  const ticks = multiples(step, min, max);
  return { base: 0, min, max, ticks, labels: ticks.map((tick) => linearLabel(tick, decimalsOf(step))) };
}

/** One value alone gets room on both sides, but zeros stand on the axis. */
function widened({ low, high }: Extent): Extent {
  if (low !== high) return { low, high };
  return low === 0 ? { low: 0, high: 1 } : { low: low - Math.abs(low) / 2, high: high + Math.abs(high) / 2 };
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
  const extent = extentOf(values, 0);
  let [low, high] = [power(axis.min ?? extent.low), power(axis.max ?? extent.high)];
  if (axis.min === undefined && (room.toTicks || low === high)) low = Math.floor(low + 1e-9);
  if (axis.max === undefined && (room.toTicks || low === high)) high = Math.max(low + 1, Math.ceil(high - 1e-9));
  const spare = room.toTicks ? 0 : (high - low) * room.padding;
  const step = Math.max(1, Math.ceil((high - low) / room.ticks));
  const powers = multiples(step, low, high);
  const ticks = powers.map((exponent) => base ** exponent);
  return {
    base,
    min: axis.min ?? base ** (low - spare),
    max: axis.max ?? base ** (high + spare),
    ticks,
    labels: powers.map((exponent) => logLabel(base, exponent)),
  };
}

/** Digits behind the point that a multiple of the step needs: 0 of 50, 1 of 2.5, 2 of 0.25. */
function decimalsOf(step: number): number {
  const decimals = [0, 1, 2, 3, 4, 5, 6].find((count) => Math.abs(Number(step.toFixed(count)) - step) < step * 1e-6);
  return decimals ?? 7;
}

function linearLabel(value: number, decimals: number): string {
  return Math.abs(value) >= 1e7 || decimals > 6 ? String(value) : grouped(value.toFixed(decimals));
}

/** From a millionth to a million in full. */
function logLabel(base: 2 | 10, exponent: number): string {
  const value = base ** exponent;
  if (base === 2 && exponent >= 0) return value < 1e6 ? grouped(String(value)) : `2^${exponent}`;
  if (Math.abs(exponent) > (base === 2 ? 3 : 6)) return `${base}^${exponent}`;
  return exponent < 0 && base === 10 ? value.toFixed(-exponent) : grouped(String(value));
}

/** `12,000`; four digits stay together. */
function grouped(text: string): string {
  const [whole, part] = text.split('.');
  const digits = whole.replace('-', '').length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return part === undefined ? digits : `${digits}.${part}`;
}
