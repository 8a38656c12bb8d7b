/** Multipliers of MurmurHash3's finaliser, https://github.com/aappleby/smhasher, and the golden ratio times 2^32 (Knuth, vol. 3, 6.4). */
const FIRST_MULTIPLIER = 0x85ebca6b;
const SECOND_MULTIPLIER = 0xc2b2ae35;
const THIRD_MULTIPLIER = 0x9e3779b1;

/**
 * A 32-bit hash whose low bits nobody can steer who does not know `seed`: the second multiplier is secret, so keys that meet under one seed part under
 * another. Seed 0 is a plain hash, the same in every run.
 */
export function keyedHash(value: number, seed: number): number {
  const first = Math.imul(value ^ seed, FIRST_MULTIPLIER);
  const second = Math.imul(first ^ (first >>> 16), (seed ^ SECOND_MULTIPLIER) | 1);
  const third = Math.imul(second ^ (second >>> 13), THIRD_MULTIPLIER);
  return third ^ (third >>> 16);
}
