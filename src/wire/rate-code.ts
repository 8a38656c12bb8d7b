/**
 * A rate in 12 bits, on a logarithmic scale: code c from 1 to 4,095 is `1000 * 2^(c / 128)` bit/s, from 1 kbit/s to 4.3 Tbit/s in steps of 0.54 %.
 * 0 is no rate. PROTOCOL §9.7
 */
const STEPS_IN_OCTAVE = 128;
/** By how much the code of twice the rate is higher. */
export const CODES_IN_OCTAVE = STEPS_IN_OCTAVE;
const LOWEST_BPS = 1000;
const HIGHEST_CODE = 4095;
export const MAX_RATE_CODE = HIGHEST_CODE;

const RATES = Float64Array.from({ length: HIGHEST_CODE + 1 }, (_, code) =>
  code === 0 ? 0 : LOWEST_BPS * 2 ** (code / STEPS_IN_OCTAVE),
);

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
  const code = Math.round(STEPS_IN_OCTAVE * Math.log2(rateBps / LOWEST_BPS));
  return Math.min(HIGHEST_CODE, Math.max(1, code));
}
