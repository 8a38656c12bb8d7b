import { expect, it } from 'vitest';
import { resultLines } from '../../../src/report/output/result-lines.js';
import { RESULT } from './results.js';

const context = { wallS: 0.5, bottlenecks: ['left->right'], columnsWide: Number.POSITIVE_INFINITY };

it('says what came of a run in a page', () => {
  const lines = resultLines(RESULT, context);
  expect(lines.slice(0, 9)).toEqual([
    'lab: steady, seed 7',
    '2.000 s of virtual time in 500.0 ms, 123,456 events, 246,912 a second',
    '',
    '  utilisation      0.988 of the data share of left->right',
    '  fairness (Jain)  0.950 over 1ms, - over 10ms',
    '  credits dropped  30.00 % of those sent',
    '  frames dropped   3 of data at ports, 3 lost on links',
    '  largest queue    3.004 KiB of data at left->right',
    '  flows            2, 1 complete, 1 failed',
  ]);
  expect(lines).toContain('completion times');
  expect(lines.find((line) => line.startsWith('  left->right'))).toContain('5.000 %');
});

it('shows the first flows of many, and no times where no flow ends', () => {
  const flows = Array.from({ length: 5000 }, (_, id) => ({ ...RESULT.flows[1], id }));
  const lines = resultLines({ ...RESULT, flows, fct: {} }, { ...context, bottlenecks: [] });
  expect(lines).toContain('flows, the first 10 of 5,000');
  expect(lines).not.toContain('completion times');
  expect(lines[3]).toContain('of the busiest link');
  expect(lines.length).toBeLessThan(40);
});

it('says of a run over processes that it took the time of the machine', () => {
  expect(resultLines(RESULT, { ...context, wallS: 5.5, isReal: true })[1]).toBe(
    '2.000 s over processes and sockets, 5.500 s with start and rehearsal, 123,456 datagrams',
  );
});

it('folds its tables to fit a terminal', () => {
  const widest = (columnsWide: number): number =>
    Math.max(
      ...resultLines(RESULT, { ...context, columnsWide })
        .slice(9)
        .map(({ length }) => length),
    );
  expect(widest(Number.POSITIVE_INFINITY)).toBeGreaterThan(80);
  expect(widest(80)).toBeLessThanOrEqual(80);
});
