/** Kinds of values that people write as text, on the command line or in a file, and that programs give as values. */

/** One kind of value: how to read it, how to write it, and what to say about it. */
export interface ValueKind<T> {
  /** What may be written, as it stands in errors after "allowed: " and in help. */
  readonly allowed: string;
  /** All of them, where it is a list of words. */
  readonly words?: readonly string[];
  /** Undefined when the text is not of this kind. Never throws. */
  parse(text: string): T | undefined;
  /** Text that `parse` turns into the same value. */
  format(value: T): string;
}

/** A kind whose values code gives as well. */
export interface CheckedKind<T> extends ValueKind<T> {
  /** What values are allowed, as `allowed` says it of texts. */
  readonly values: string;
  accepts(value: unknown): value is T;
}

/** Numbers of a range and a unit. */
export interface NumberKind extends CheckedKind<number> {
  /** Both included. */
  readonly lowest: number;
  readonly highest: number;
  /** `ns`, `bit/s`, `B`, `credits`; '' for a plain number. */
  readonly unit: string;
}

/** Lowest and highest allowed value; both may be written. */
export interface Bounds {
  readonly lowest?: number;
  readonly highest?: number;
}

interface NumberText {
  readonly allowed: string;
  /** The number in its unit; undefined or NaN for what is none. Bounds are checked behind it. */
  readonly read: (text: string) => number | undefined;
  readonly format?: (value: number) => string;
}

/** Finite numbers from 0 up, unless the bounds say otherwise; `whole`: no fractions. */
export function numberKind(
  {
    lowest = 0,
    highest = Number.POSITIVE_INFINITY,
    unit = '',
    whole = false,
  }: Bounds & { unit?: string; whole?: boolean },
  { allowed, read, format = String }: NumberText,
): NumberKind {
  const accepts = (value: unknown): value is number =>
    Number.isFinite(value) &&
    (value as number) >= lowest &&
    (value as number) <= highest &&
    (!whole || Number.isSafeInteger(value));
  return {
    allowed,
    values: `${whole ? 'a whole number' : 'a number'} ${range({ lowest, highest })}`,
    lowest,
    highest,
    unit,
    accepts,
    parse: (text) => {
      const value = read(text);
      return accepts(value) ? value : undefined;
    },
    format,
  };
}

/** Any text but the empty one; `what` says what it means: "a file", "HOST or HOST:PORT". */
export function text(what: string): ValueKind<string> {
  return { allowed: what, parse: (written) => (written === '' ? undefined : written), format: String };
}

/** One of the words given. */
export function choice<const T extends string>(words: readonly T[]): CheckedKind<T> {
  const allowed = words.join(', ');
  const accepts = (value: unknown): value is T => words.some((word) => word === value);
  return {
    allowed,
    words,
    values: allowed,
    accepts,
    parse: (written) => (accepts(written) ? written : undefined),
    format: String,
  };
}

/** `true` or `false`. */
export const FLAG: CheckedKind<boolean> = {
  allowed: 'true, false',
  values: 'true, false',
  accepts: (value) => typeof value === 'boolean',
  parse: (written) => (written === 'true' || written === 'false' ? written === 'true' : undefined),
  format: String,
};

/** A whole number in decimal; from 0 up unless the bounds say otherwise. */
export function integer(bounds: Bounds & { unit?: string } = {}): NumberKind {
  const read = (written: string): number => (/^[+-]?\d+$/.test(written) ? Number(written) : Number.NaN);
  return numberKind({ ...bounds, whole: true }, { allowed: `a whole number ${range(bounds)}`, read });
}

/** A number in decimal; from 0 up unless the bounds say otherwise. */
export function decimal(bounds: Bounds & { unit?: string } = {}): NumberKind {
  const read = (written: string): number => (DECIMAL.test(written) ? Number(written) : Number.NaN);
  return numberKind(bounds, { allowed: `a number ${range(bounds)}`, read });
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number, a part or a ratio: `0.5`, `5%`, `1/16`, as papers write the constants of algorithms. */
export function constant(lowest: number, highest: number, unit: string): NumberKind {
  const read = (written: string): number | undefined => {
    const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(?:(%)|\/\s*(\d+(?:\.\d*)?))?$/i.exec(written);
    return match === null ? undefined : Number(match[1]) / (match[2] === '%' ? 100 : Number(match[3] ?? 1));
  };
  return numberKind({ lowest, highest, unit }, { allowed: 'a number such as 0.5, 5% or 1/16', read });
}

/** `kind`, or a word in any case that stands for a value of its own: `off`, `none`, `never`. */
export function orWord(kind: NumberKind, word: string, value: number): NumberKind {
  return {
    ...kind,
    allowed: `${kind.allowed}; or ${word}`,
    values: kind.accepts(value) ? kind.values : `${kind.values}, or ${value}`,
    accepts: (given): given is number => given === value || kind.accepts(given),
    parse: (written) => (written.toLowerCase() === word ? value : kind.parse(written)),
    format: (given) => (given === value ? word : kind.format(given)),
  };
}

/** "from 1 to 5", "from 0 up"; `say` writes a bound. */
export function range(
  { lowest = 0, highest = Number.POSITIVE_INFINITY }: Bounds,
  say: (bound: number) => string = String,
): string {
  return highest === Number.POSITIVE_INFINITY ? `from ${say(lowest)} up` : `from ${say(lowest)} to ${say(highest)}`;
}

/** `linkRate` as people write it: `link-rate`. */
export function longName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
