/** A rate in 12 bits: code c from 1 to 4,095 is `1000 * 2^(c / 128)` bit/s, 1 kbit/s to 4.3 Tbit/s in steps of 0.54 %; 0 is no rate. PROTOCOL §9.7 */
export const CODES_IN_OCTAVE = 128;
const LOWEST_BPS = 1000;
export const MAX_RATE_CODE = 4095;

/** By square roots and products, which have the same last bit everywhere: powers differ between versions of V8, and with them whole simulations. */
const RATES = new Float64Array(MAX_RATE_CODE + 1);
for (let code = 0; code <= MAX_RATE_CODE; code++)
  RATES[code] = code < CODES_IN_OCTAVE ? LOWEST_BPS * partOfOctave(code) : 2 * RATES[code - CODES_IN_OCTAVE];
RATES[0] = 0;

/** 2^(steps / 128) */
function partOfOctave(steps: number): number {
  let factor = 1;
  let root = 2;
  for (let bit = CODES_IN_OCTAVE / 2; bit >= 1; bit /= 2) {
    root = Math.sqrt(root);
    if ((steps & bit) !== 0) factor *= root;
  }
  return factor;
}

const BIT_NS = RATES.map((rateBps) => 1e9 / rateBps);

/** Bit/s; 0 for no rate. */
export function rateOfCode(code: number): number {
  return RATES[code];
}

/** What a bit takes at that rate, ns; for codes from 1. */
export function nsPerBit(code: number): number {
  return BIT_NS[code];
}

/** The code whose rate is nearest, at least 1: `rateBps` is above 0, Infinity is the highest. */
export function codeOfRate(rateBps: number): number {
  const code = Math.round(CODES_IN_OCTAVE * Math.log2(rateBps / LOWEST_BPS));
  return Math.min(MAX_RATE_CODE, Math.max(1, code));
}
