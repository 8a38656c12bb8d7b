/**
 * Quantities as people write them. Prefixes k, M, G and T are powers of 1000 and Ki, Mi, Gi and Ti powers of 1024 (IEC 80000-13), in upper or lower
 * case; a space may stand before the unit. `format` writes what `parse` reads; the display functions below round for tables.
 */
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from './time.js';
import { type Bounds, isWithin, range, type ValueKind } from './value-kind.js';

type Units = readonly (readonly [name: string, factor: number])[];

/** Smallest first; `format` uses these spellings. */
const RATE_UNITS: Units = [
  ['bit', 1],
  ['kbit', 1e3],
  ['mbit', 1e6],
  ['gbit', 1e9],
  ['tbit', 1e12],
];

const SIZE_UNITS: Units = [
  ['', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
];

const DURATION_UNITS: Units = [
  ['ns', 1],
  ['us', MICROSECOND_NS],
  ['ms', MILLISECOND_NS],
  ['s', SECOND_NS],
  ['min', 60 * SECOND_NS],
  ['h', 3_600 * SECOND_NS],
];

/** Every spelling that is read, in small letters. */
const RATE_FACTORS = factors([...RATE_UNITS, ['', 1], ['k', 1e3], ['m', 1e6], ['g', 1e9], ['t', 1e12]]);
const SIZE_FACTORS = factors([
  ...SIZE_UNITS,
  ...SIZE_UNITS.slice(1).map(([name, factor]) => [name.slice(0, 2), factor] as const),
  ...['', 'k', 'm', 'g', 't'].flatMap((prefix, power) => [
    [prefix, 1000 ** power] as const,
    [`${prefix}b`, 1000 ** power] as const,
  ]),
]);
const DURATION_FACTORS = factors([...DURATION_UNITS, ['µs', MICROSECOND_NS], ['μs', MICROSECOND_NS]]);

const NUMBER_AND_UNIT = /^(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s?([a-zµμ/]*)$/i;

export interface RateBounds extends Bounds {
  /** Whether `unlimited` may be written; it reads as Infinity. */
  readonly unlimited?: boolean;
}

/**
 * A rate in bit/s: `100mbit`, `1.5gbit`, `10g`, `1000000`, `100 Mbit/s`. `bps` is not read, since tc(8) means bytes by it and others mean bits.
 */
export function rate({ unlimited = false, ...bounds }: RateBounds = {}): ValueKind<number> {
  const limits = { lowest: 1, ...bounds };
  return {
    allowed: `a rate ${range(limits, formatRate)}, such as 100mbit, 1.5gbit or 10g${unlimited ? ', or unlimited' : ''}`,
    parse: (text) => {
      if (unlimited && text.toLowerCase() === 'unlimited') return Number.POSITIVE_INFINITY;
      const rateBps = readUnit(text.replace(/(?<=bit)\/s$/i, ''), RATE_FACTORS);
      return rateBps !== undefined && isWithin(rateBps, limits) ? rateBps : undefined;
    },
    format: formatRate,
  };
}

/** A number of bytes: `1500`, `64KiB`, `16MiB`, `1k` and `1kB` (1000). `b` is a byte, never a bit. */
export function size(bounds: Bounds = {}): ValueKind<number> {
  return {
    allowed: `a size ${range(bounds, formatSize)}, such as 1500, 64KiB, 16MiB or 1GB`,
    parse: (text) => {
      const bytes = readUnit(text, SIZE_FACTORS);
      return bytes !== undefined && Number.isSafeInteger(bytes) && isWithin(bytes, bounds) ? bytes : undefined;
    },
    format: formatSize,
  };
}

export interface DurationBounds extends Bounds {
  /** The unit of a number that stands alone; without it a unit must be written, so that `20` is not taken for what it is not. */
  readonly bareUnitNs?: number;
}

/** A duration in whole nanoseconds: `20us`, `1.5ms`, `2s`, `5min`. */
export function duration({ bareUnitNs, ...bounds }: DurationBounds = {}): ValueKind<number> {
  const spellings = bareUnitNs === undefined ? DURATION_FACTORS : new Map([...DURATION_FACTORS, ['', bareUnitNs]]);
  const bare = bareUnitNs === undefined ? '' : `; a number alone counts ${formatDuration(bareUnitNs).slice(1)}`;
  return {
    allowed: `a duration ${range(bounds, formatDuration)}, such as 20us, 1.5ms or 2s${bare}`,
    parse: (text) => {
      const durationNs = text === '0' ? 0 : readUnit(text, spellings);
      if (durationNs === undefined) return undefined;
      const wholeNs = Math.round(durationNs);
      return Number.isSafeInteger(wholeNs) && isWithin(wholeNs, bounds) ? wholeNs : undefined;
    },
    format: formatDuration,
  };
}

/** A part of a whole, 0 to 1: `5%` or `0.05`. */
export function fraction({ lowest = 0, highest = 1 }: Bounds = {}): ValueKind<number> {
  const say = (part: number): string => `${Number((part * 100).toPrecision(12))}%`;
  return {
    allowed: `a part ${range({ lowest, highest }, say)}, such as 5% or 0.05`,
    parse: (text) => {
      const match = /^(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s?(%?)$/i.exec(text);
      if (match === null) return undefined;
      const number = Number(`${match[1]}${match[2] ?? ''}`);
      const part = match[3] === '%' ? number / 100 : number;
      return isWithin(part, { lowest, highest }) ? part : undefined;
    },
    format: String,
  };
}

/** The shortest exact spelling: `100mbit`, `unlimited`. */
export function formatRate(rateBps: number): string {
  return rateBps === Number.POSITIVE_INFINITY ? 'unlimited' : writeUnit(rateBps, RATE_UNITS, RATE_FACTORS);
}

/** The shortest exact spelling: `16MiB`, `1500`. */
export function formatSize(bytes: number): string {
  return writeUnit(bytes, SIZE_UNITS, SIZE_FACTORS);
}

/** The shortest exact spelling: `20us`, `0ns`. */
export function formatDuration(durationNs: number): string {
  return writeUnit(durationNs, DURATION_UNITS, DURATION_FACTORS);
}

function readUnit(text: string, spellings: ReadonlyMap<string, number>): number | undefined {
  const match = NUMBER_AND_UNIT.exec(text);
  if (match === null) return undefined;
  const factor = spellings.get(match[3].toLowerCase());
  const value = Number(`${match[1]}${match[2] ?? ''}`) * (factor ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** In the largest unit of which there is at least one and which gives the value back exactly, without an exponent. */
function writeUnit(value: number, units: Units, spellings: ReadonlyMap<string, number>): string {
  for (let at = units.length - 1; at > 0; at--) {
    const [name, factor] = units[at];
    const text = `${value / factor}${name}`;
    if (value >= factor && text.length <= MAX_SPELLING && readUnit(text, spellings) === value) return text;
  }
  return `${value}${units[0][0]}`;
}

/** Longer than `1023.9375MiB`: beyond this a smaller unit reads better than more digits. */
const MAX_SPELLING = 12;

function factors(units: Units): ReadonlyMap<string, number> {
  return new Map(units.map(([name, factor]) => [name.toLowerCase(), factor]));
}
