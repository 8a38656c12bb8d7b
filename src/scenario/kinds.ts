// Tested by test/scenario/kinds.test.ts
import { duration, size } from '../base/quantities.js';
import { FLAG, numberKind, orWord, type ValueKind } from '../base/value-kind.js';

/** Kinds of values that only scenarios have. */

/** Seeds of the generator are 32-bit. */
export const MAX_SEED = 2 ** 32 - 1;

/** Beyond this a quartz is broken (ours: real ones are off by less than 100 ppm). */
const MAX_DRIFT_PPM = 100_000;

/** How much faster a clock runs than it should: `50ppm`, `-20`. */
export const DRIFT_PPM = numberKind(
  { lowest: -MAX_DRIFT_PPM, highest: MAX_DRIFT_PPM, unit: 'ppm' },
  {
    allowed: `parts per million from -${MAX_DRIFT_PPM} to ${MAX_DRIFT_PPM}, such as 50ppm or -20ppm`,
    read: (text) => Number(/^([+-]?\d+(?:\.\d*)?)\s?(?:ppm)?$/i.exec(text)?.[1]),
    format: (value) => `${value}ppm`,
  },
);

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
