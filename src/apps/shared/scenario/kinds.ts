// Tested by test/apps/shared/scenario/kinds.test.ts
import { duration, size } from '../../../base/quantities.js';
import { orWord, type ValueKind } from '../../../base/value-kind.js';

/** Kinds of values that only scenarios have. */

/** Seeds of the generator are 32-bit. */
export const MAX_SEED = 2 ** 32 - 1;

/** A number, a part or a ratio: `0.5`, `5%`, `1/16`, as papers write the constants of algorithms. */
export const CONSTANT: ValueKind<number> = {
  allowed: 'a number such as 0.5, 5% or 1/16',
  parse: (text) => {
    const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(?:(%)|\/\s*(\d+(?:\.\d*)?))?$/i.exec(text);
    if (match === null) return undefined;
    const value = Number(match[1]) / (match[2] === '%' ? 100 : Number(match[3] ?? 1));
    return Number.isFinite(value) ? value : undefined;
  },
  format: String,
};

/** Beyond this a quartz is broken (ours: real ones are off by less than 100 ppm). */
const MAX_DRIFT_PPM = 100_000;

/** How much faster a clock runs than it should: `50ppm`, `-20`. */
export const DRIFT_PPM: ValueKind<number> = {
  allowed: `parts per million from -${MAX_DRIFT_PPM} to ${MAX_DRIFT_PPM}, such as 50ppm or -20ppm`,
  parse: (text) => {
    const match = /^([+-]?\d+(?:\.\d*)?)\s?(?:ppm)?$/i.exec(text);
    const value = match === null ? Number.NaN : Number(match[1]);
    return Math.abs(value) <= MAX_DRIFT_PPM ? value : undefined;
  },
  format: (value) => `${value}ppm`,
};

/** Bytes of a flow, or `endless`. */
export const FLOW_BYTES = orWord(size({ lowest: 1 }), 'endless', Number.POSITIVE_INFINITY);

/** A time, or `never`. */
export const TIME_OR_NEVER = orWord(duration(), 'never', Number.POSITIVE_INFINITY);

/** `auto`, `true` or `false`. */
export const AUTO_FLAG: ValueKind<boolean | 'auto'> = {
  allowed: 'auto, true, false',
  parse: (text) => (text === 'auto' ? text : FLAG.parse(text)),
  format: String,
};

export const FLAG: ValueKind<boolean> = {
  allowed: 'true, false',
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  format: String,
};
