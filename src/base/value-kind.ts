/** Kinds of values that people write as text, on the command line or in a file. */

/** One kind of value: how to read it, how to write it, and what to say about it. */
export interface ValueKind<T> {
  /** What may be written, as it stands in errors after "allowed: " and in help. */
  readonly allowed: string;
  /** Undefined when the text is not of this kind. Never throws. */
  parse(text: string): T | undefined;
  /** Text that `parse` turns into the same value. */
  format(value: T): string;
}

/** Lowest and highest allowed value; both may be written. */
export interface Bounds {
  readonly lowest?: number;
  readonly highest?: number;
}

export function isWithin(value: number, { lowest = 0, highest = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return value >= lowest && value <= highest;
}

/** Any text but the empty one; `what` says what it means: "a file", "HOST or HOST:PORT". */
export function text(what: string): ValueKind<string> {
  return {
    allowed: what,
    parse: (written) => (written === '' ? undefined : written),
    format: (value) => value,
  };
}

/** One of the words given. */
export function choice<const T extends string>(words: readonly T[]): ValueKind<T> {
  return {
    allowed: words.join(', '),
    parse: (written) => words.find((word) => word === written),
    format: (value) => value,
  };
}

/** A whole number in decimal; from 0 up unless the bounds say otherwise. */
export function integer(bounds: Bounds = {}): ValueKind<number> {
  return {
    allowed: `a whole number ${range(bounds)}`,
    parse: (written) => {
      const value = Number(written);
      return /^[+-]?\d+$/.test(written) && Number.isSafeInteger(value) && isWithin(value, bounds) ? value : undefined;
    },
    format: String,
  };
}

/** A number in decimal; from 0 up unless the bounds say otherwise. */
export function decimal(bounds: Bounds = {}): ValueKind<number> {
  return {
    allowed: `a number ${range(bounds)}`,
    parse: (written) => {
      const value = DECIMAL.test(written) ? Number(written) : Number.NaN;
      return Number.isFinite(value) && isWithin(value, bounds) ? value : undefined;
    },
    format: String,
  };
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** `kind`, or a word that stands for a value of its own: `off`, `none`, `never`. */
export function orWord(kind: ValueKind<number>, word: string, value: number): ValueKind<number> {
  return {
    allowed: `${kind.allowed}; or ${word}`,
    parse: (text) => (text === word ? value : kind.parse(text)),
    format: (given) => (given === value ? word : kind.format(given)),
  };
}

/** "from 1 to 5", "from 0 up"; `say` writes a bound. */
export function range({ lowest = 0, highest }: Bounds, say: (bound: number) => string = String): string {
  return highest === undefined ? `from ${say(lowest)} up` : `from ${say(lowest)} to ${say(highest)}`;
}
