import { expect, it } from 'vitest';
import { jitter } from '../../../../src/apps/figures/catalogue/jitter.js';
import { evaluated, jainByWindow, madeUpRun, rowOf } from '../made-up-runs.js';

/** Jain over 1 ms by set-up, jitter and flows; 4 ms are better by a tenth. */
function runsOf(jain: (setup: string, gap: number, flows: number) => number) {
  return (key: string) => {
    const [setup, gap, flows] = key.split('-');
    const short = jain(setup, Number(gap), Number(flows));
    return madeUpRun({ jainByWindow: jainByWindow({ 1e6: short, 4e6: short + 0.1 }) });
  };
}

const CODE = new Map([
  ['unmetered 0.02', [0.75, 0.42, 0.32, 0.3]],
  ['unmetered 0.08', [0.97, 0.88, 0.83, 0.8]],
  ['sizes 0', [0.99, 0.97, 0.93, 0.9]],
  ['sizes 0.02', [0.99, 0.97, 0.94, 0.9]],
]);

/** As the authors' code has it, where it was run. */
function asCode(setup: string, gap: number, flows: number): number {
  return CODE.get(`${setup} ${gap}`)?.[[2, 8, 32, 64].indexOf(flows)] ?? 0.5;
}

it('is as the authors have it where Jain is within 0.07 of theirs, and lists all flows', () => {
  const outcome = evaluated(jitter, runsOf(asCode), 'quick');
  const row = rowOf(outcome, "unmetered NIC, jitter 0.08: as the authors' code");
  expect(row).toMatchObject({ ours: '0.970, 0.880, 0.830, 0.800', verdict: 'met' });
  expect(row.authorsCode).toBe('0.97, 0.88, 0.83 (2, 8, 32 flows)');
  const lower = evaluated(
    jitter,
    runsOf((...of) => asCode(...of) - 0.08),
    'quick',
  );
  expect(rowOf(lower, "unmetered NIC, jitter 0.08: as the authors' code").verdict).toBe('missed');
});

it('says what longer windows give where sizes do less than in the authors code', () => {
  const outcome = evaluated(
    jitter,
    runsOf((setup, gap, flows) => (setup === 'sizes' ? 0.7 : asCode(setup, gap, flows))),
    'quick',
  );
  const row = rowOf(outcome, '84 to 92 B, jitter 0.02');
  expect(row.verdict).toBe('missed');
  expect(row.reason).toContain('over 4 ms ours are 0.800, 0.800, 0.800, 0.800');
});

it('holds perfect pacing to be unfair and jitter to make it fair', () => {
  const outcome = evaluated(
    jitter,
    runsOf((_, gap) => (gap === 0 ? 0.61 : 0.96)),
    'quick',
  );
  expect(rowOf(outcome, 'unmetered NIC, no jitter').verdict).toBe('missed');
  expect(outcome.rows.find(({ quantity }) => quantity === 'unmetered NIC, jitter 0.02')?.verdict).toBe('met');
  const unfair = evaluated(
    jitter,
    runsOf((_, gap) => (gap === 0 ? 0.6 : 0.94)),
    'quick',
  );
  expect(rowOf(unfair, 'unmetered NIC, no jitter').verdict).toBe('met');
  const missed = unfair.rows.find(({ quantity }) => quantity === 'unmetered NIC, jitter 0.02');
  expect(missed?.verdict).toBe('missed');
  // Uniform steps of 2 % either way have a variance of 0.0004 / 3 gaps.
  expect(missed?.reason).toContain('only after 7,500 credits, and 1 ms holds 768 frames of all flows together');
});

it('draws every jitter of the paper and has both windows in the table', () => {
  const { charts, tables } = evaluated(jitter, runsOf(asCode), 'quick');
  const [unmetered, metered] = charts.map(({ chart }) => chart);
  const most = { x: [2, 8, 32, 64, 1024] };
  const few = { x: [2, 8, 32, 64] };
  expect(unmetered).toMatchObject({ kind: 'lines', series: [most, few, most, few, few] });
  expect(metered).toMatchObject({ series: Array(3).fill({}) });
  expect(tables[0].rows).toContainEqual(['unmetered', 0.08, 32, 0.83, 0.93]);
  expect(tables[0].rows).toHaveLength(11 * 4 + 2);
});

it('holds 1,024 flows to about 1 as well, which no order of 768 frames can give', () => {
  const outcome = evaluated(
    jitter,
    runsOf(() => 0.43),
    'quick',
  );
  const row = rowOf(outcome, 'jitter 0.02, 1,024 flows');
  expect(row).toMatchObject({ paper: 'about 1', ours: '0.430', verdict: 'missed' });
  expect(row.reason).toContain('0.75 is the most');
});
