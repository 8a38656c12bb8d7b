import { expect, it } from 'vitest';
import { phasesOf, synchronisedRates } from '../../../../src/apps/figures/catalogue/stability.js';

it('plays the first steps as by hand: increase, then the loss of the sum', () => {
  const [first, second] = synchronisedRates({ rule: 'expresspass-literal', flows: 4, periods: 2, initialRate: 0.5 });
  // Four flows at half the rate: half of the credits are lost; 5 * (1 - 0.5) * 1.1.
  expect(first).toBeCloseTo(2.75e9, 0);
  // 11 in all loses 1/11, no more than the target: (1 - w) * 2.75 + w * 11 with w halved to 0.25.
  expect(second).toBeCloseTo(0.75 * 2.75e9 + 0.25 * 11e9, 0);
});

it('takes means of what followed a lower and a higher rate', () => {
  expect(phasesOf([[1, 3, 2, 4, 4]])).toEqual({ afterIncrease: 3.5, afterDecrease: 2 });
  expect(
    phasesOf([
      [1, 2],
      [5, 3],
    ]),
  ).toEqual({ afterIncrease: 2, afterDecrease: 3 });
});
