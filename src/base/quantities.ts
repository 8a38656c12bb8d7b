/**
 * Quantities as people write them: k, M, G, T are powers of 1000 and Ki, Mi, Gi, Ti powers of 1024 (IEC 80000-13), in either case; a space may precede the
 * unit. `format` writes what `parse` reads; display.ts rounds for tables.
 */
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from './time.js';
import { type Bounds, type NumberKind, numberKind, orWord, range } from './value-kind.js';

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

/** A rate in bit/s: `100mbit`, `1.5gbit`, `10g`, `1000000`, `100 Mbit/s`. Not `bps`, which means bytes in tc(8). `unlimited` allows that word, for Infinity. */
export function rate({ unlimited = false, lowest = 1, highest }: Bounds & { unlimited?: boolean } = {}): NumberKind {
  const bounds = { lowest, ...(highest !== undefined && { highest }), unit: 'bit/s' };
  const kind = numberKind(bounds, {
    allowed: `a rate ${range(bounds, formatRate)}, such as 100mbit, 1.5gbit or 10g`,
    read: (text) => readUnit(text.replace(/(?<=bit)\/s$/i, ''), RATE_FACTORS),
    format: formatRate,
  });
  return unlimited ? orWord(kind, 'unlimited', Number.POSITIVE_INFINITY) : kind;
}

/** A number of bytes: `1500`, `64KiB`, `16MiB`, `1k` and `1kB` (1000). `b` is a byte, never a bit. */
export function size(bounds: Bounds = {}): NumberKind {
  return numberKind(
    { ...bounds, unit: 'B', whole: true },
    {
      allowed: `a size ${range(bounds, formatSize)}, such as 1500, 64KiB, 16MiB or 1GB`,
      read: (text) => readUnit(text, SIZE_FACTORS),
      format: formatSize,
    },
  );
}

export interface DurationBounds extends Bounds {
  /** The unit of a number that stands alone; without it a unit must be written, so that `20` is not taken for what it is not. */
  readonly bareUnitNs?: number;
}

/** A duration: `20us`, `1.5ms`, `2s`, `5min`, read as whole nanoseconds. */
export function duration({ bareUnitNs, ...bounds }: DurationBounds = {}): NumberKind {
  const spellings = bareUnitNs === undefined ? DURATION_FACTORS : new Map([...DURATION_FACTORS, ['', bareUnitNs]]);
  const bare = bareUnitNs === undefined ? '' : `; a number alone counts ${formatDuration(bareUnitNs).slice(1)}`;
  return numberKind(
    { ...bounds, unit: 'ns' },
    {
      allowed: `a duration ${range(bounds, formatDuration)}, such as 20us, 1.5ms or 2s${bare}`,
      read: (text) => {
        const durationNs = text === '0' ? 0 : readUnit(text, spellings);
        const wholeNs = durationNs === undefined ? Number.NaN : Math.round(durationNs);
        return Number.isSafeInteger(wholeNs) ? wholeNs : undefined;
      },
      format: formatDuration,
    },
  );
}

/** A part of a whole, 0 to 1: `5%` or `0.05`. */
export function fraction({ lowest = 0, highest = 1 }: Bounds = {}): NumberKind {
  const say = (part: number): string => `${Number((part * 100).toPrecision(12))}%`;
  return numberKind(
    { lowest, highest },
    {
      allowed: `a part ${range({ lowest, highest }, say)}, such as 5% or 0.05`,
      read: (text) => {
        const match = /^(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s?(%?)$/i.exec(text);
        if (match === null) return undefined;
        const number = Number(`${match[1]}${match[2] ?? ''}`);
        return match[3] === '%' ? number / 100 : number;
      },
    },
  );
}

/** The shortest exact spelling: `100mbit`, `unlimited`. */
export function formatRate(rateBps: number): string {
  return rateBps === Number.POSITIVE_INFINITY ? 'unlimited' : writeUnit(rateBps, RATE_UNITS, RATE_FACTORS);
}

/** The shortest exact spelling: `16MiB`, `1500`. */
export function formatSize(bytes: number): string {
  const [text, plain] = [writeUnit(bytes, SIZE_UNITS, SIZE_FACTORS), `${bytes}`];
  return text.length > plain.length ? plain : text;
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
