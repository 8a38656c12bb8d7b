import { expect, it } from 'vitest';
import { manyFlows } from '../../../../src/apps/figures/catalogue/many-flows.js';
import type { LinkResult } from '../../../../src/sim/result.js';
import { evaluated, jainByWindow, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

function figure(jain: number, says: Partial<LinkResult> = {}, utilisation = 1) {
  const links = [madeUpLink(says), madeUpLink({ name: 'right->left', dataQueueBytesMax: 9e9 })];
  return evaluated(
    manyFlows,
    () => madeUpRun({ jainByWindow: jainByWindow({ 100e6: jain }), links, utilisation }),
    'quick',
  );
}

it('holds rules of credits to Jain of 0.95 over 100 ms', () => {
  expect(rowOf(figure(0.95), 'steady: Jain').verdict).toBe('met');
  expect(rowOf(figure(0.949), 'steady: Jain').verdict).toBe('missed');
  expect(rowOf(figure(0.5), 'expresspass: Jain')).toMatchObject({ paper: 'high to 2,048', verdict: 'missed' });
  expect(rowOf(figure(0.5), 'hull: Jain').verdict).toBe('no claim');
});

it('holds the queue of the measured time to some frames, and shows that of the start', () => {
  const outcome = figure(1, { dataQueueBytesMax: 6_152, dataQueueBytesMaxEver: 90_000 });
  expect(rowOf(outcome, 'steady: largest data queue (B)').verdict).toBe('met');
  expect(rowOf(figure(1, { dataQueueBytesMax: 6_153 }), 'steady: largest data queue (B)').verdict).toBe('missed');
  expect(rowOf(outcome, 'steady: largest data queue since the start')).toMatchObject({
    authorsCode: '-, 5208, 21336, 85848, -',
    ours: '90000, 90000, 90000, 90000, 90000',
  });
});

it('holds DCTCP to the unfairness of the paper at 2,048 flows, where no side is the good one', () => {
  expect(rowOf(figure(0.045), 'dctcp: Jain').verdict).toBe('met');
  expect(rowOf(figure(0.5), 'dctcp: Jain').verdict).toBe('outside');
});

it('counts lost frames of all runs and holds the link to be full', () => {
  expect(rowOf(figure(1, { dataDrops: 1 }), 'steady: data frames lost')).toMatchObject({
    ours: '5',
    verdict: 'missed',
  });
  expect(rowOf(figure(1), 'steady: data frames lost').verdict).toBe('met');
  expect(rowOf(figure(1, {}, 0.94), 'steady: utilisation').verdict).toBe('missed');
  expect(rowOf(figure(1, {}, 0.95), 'steady: utilisation').verdict).toBe('met');
});
