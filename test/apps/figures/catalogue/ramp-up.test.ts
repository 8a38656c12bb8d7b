import { expect, it } from 'vitest';
import { payloadBps } from '../../../../src/apps/figures/blocks/payload.js';
import { rampUp } from '../../../../src/apps/figures/catalogue/ramp-up.js';
import { evaluated, madeUpRun, rowOf } from '../made-up-runs.js';

function climbing(...shares: number[]) {
  const series = { flows: [{ goodputBps: Float64Array.from(shares, (share) => share * payloadBps(10e9)) }] };
  return evaluated(rampUp, () => ({ ...madeUpRun(), series }) as never, 'quick');
}

it('counts RTTs from the first with data to 90 % of what the link carries', () => {
  const words = 'expresspass-2016';
  expect(rowOf(climbing(0, 0.3, 0.5, 0.8, 0.89, 0.91), words)).toMatchObject({
    paper: '4',
    ours: '4.0',
    verdict: 'met',
  });
  expect(rowOf(climbing(0, 0.91), words).verdict).toBe('outside');
  expect(rowOf(climbing(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9), words).verdict).toBe('missed');
  expect(rowOf(climbing(0, 0.5), words)).toMatchObject({ ours: '-', verdict: 'missed' });
});
