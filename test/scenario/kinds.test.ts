import { expect, it } from 'vitest';
import { FLAG, type ValueKind } from '../../src/base/value-kind.js';
import { ALGORITHM_CONSTANT } from '../../src/core/algorithms.js';
import { AUTO_FLAG, DRIFT_PPM, FLOW_BYTES, TIME_OR_NEVER } from '../../src/scenario/kinds.js';

const NEVER = Number.POSITIVE_INFINITY;

it.each<[ValueKind<unknown>, string, unknown]>([
  [ALGORITHM_CONSTANT, '0.5', 0.5],
  [ALGORITHM_CONSTANT, '1/16', 0.0625],
  [ALGORITHM_CONSTANT, '5 %', 0.05],
  [ALGORITHM_CONSTANT, '-1e-3', -0.001],
  [ALGORITHM_CONSTANT, '1/0', undefined],
  [ALGORITHM_CONSTANT, '1/', undefined],
  [ALGORITHM_CONSTANT, 'half', undefined],
  [DRIFT_PPM, '50ppm', 50],
  [DRIFT_PPM, '-20', -20],
  [DRIFT_PPM, '2%', undefined],
  [DRIFT_PPM, '100001', undefined],
  [FLOW_BYTES, '64KiB', 65_536],
  [FLOW_BYTES, 'endless', NEVER],
  [FLOW_BYTES, '0', undefined],
  [TIME_OR_NEVER, '5ms', 5e6],
  [TIME_OR_NEVER, 'never', NEVER],
  [TIME_OR_NEVER, '5', undefined],
  [AUTO_FLAG, 'auto', 'auto'],
  [AUTO_FLAG, 'false', false],
  [FLAG, 'true', true],
  [FLAG, 'yes', undefined],
])('reads %#: %s', (kind, text, value) => {
  expect(kind.parse(text)).toBe(value);
  if (value !== undefined) expect(kind.parse(kind.format(value))).toBe(value);
});
