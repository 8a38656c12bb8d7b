import { expect } from 'vitest';
import type { CreditAlgorithm } from '../../../src/core/credit/algorithm.js';
import { creditSample } from './sample.js';

/** Rates in Mbit/s, w, alpha and mode after each update. */
export function course(algorithm: CreditAlgorithm, samples: readonly Parameters<typeof creditSample>[0][]): number[][] {
  return samples.map((sample) => {
    algorithm.update(creditSample(sample));
    const { w, alpha, mode } = algorithm.state();
    return [algorithm.rateBps / 1e6, w, alpha, mode];
  });
}

export function expectCourse(found: readonly number[][], expected: readonly number[][]): void {
  for (const [step, values] of expected.entries())
    for (const [index, value] of values.entries())
      expect(found[step][index], `step ${step}, value ${index}`).toBeCloseTo(value, 6);
}
