/**
 * Jain's fairness index, `(sum x)^2 / (n * sum x^2)`: 1 when all are equal, 1/n when one has everything (DEC-TR-301, 1984). NaN without shares or when all are
 * zero.
 */
export function jainIndex(shares: ArrayLike<number>): number {
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < shares.length; index++) {
    const share = shares[index];
    sum += share;
    squares += share * share;
  }
  return jainOf(shares.length, sum, squares);
}

/** The same from `count` shares' sum and the sum of their squares. */
export function jainOf(count: number, sum: number, squares: number): number {
  return (sum * sum) / (count * squares);
}
