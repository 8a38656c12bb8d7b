import { describe, expect, it } from 'vitest';
import { studentT } from '../../../src/sim/measure/student.js';

describe("Student's t", () => {
  it.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [1_000, 1.962],
  ])('takes the quantile of Student for %d degrees of freedom from the tables', (degrees, expected) => {
    expect(Math.abs(studentT(degrees) / expected - 1)).toBeLessThan(0.005);
  });
});
