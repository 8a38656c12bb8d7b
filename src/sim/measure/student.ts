/** Student's t, for confidence intervals of a mean. */

/** Of the normal distribution: 97.5 % lie below. */
const Z = 1.959963985;

/**
 * The quantile of Student's t below which 97.5 % lie: exact for 1 and 2 degrees of freedom, then Cornish and Fisher's expansion about the normal one
 * (Abramowitz and Stegun 26.7.5), within 0.5 % from 3 up.
 */
export function studentT(freedom: number): number {
  if (freedom < 1) return Number.NaN;
  if (freedom === 1) return 12.7062047;
  if (freedom === 2) return 4.30265273;
  const [z, z2] = [Z, Z * Z];
  const terms = [
    (z * (z2 + 1)) / 4,
    (z * (5 * z2 * z2 + 16 * z2 + 3)) / 96,
    (z * (3 * z2 ** 3 + 19 * z2 * z2 + 17 * z2 - 15)) / 384,
    (z * (79 * z2 ** 4 + 776 * z2 ** 3 + 1482 * z2 * z2 - 1920 * z2 - 945)) / 92_160,
  ];
  return terms.reduce((sum, term, at) => sum + term / freedom ** (at + 1), z);
}
