import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ProgressBar } from '../../../src/apps/sim/progress-bar.js';
import { said } from '../../harness/said.js';

/** A stream that is a terminal, or none, and a clock that the test moves. */
function bar(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 });
  const clock = { ms: 0 };
  const made = new ProgressBar(stream, 'lab', () => clock.ms);
  const text = (): string => said(stream);
  return { made, clock, text };
}

const half = { total: 10, done: 4, failed: 1, part: 0.5 };

it('draws one bar with what is left, on a terminal', () => {
  const { made, clock, text } = bar(true);
  clock.ms = 3_000;
  made.draw(half);
  expect(text()).toContain("'lab'  [###############---------------]   50 %  4 of 10 runs, 1 failed  ETA 3.000 s\n");
  made.draw({ total: 1, done: 0, failed: 0, part: 0 });
  expect(text()).toContain("'lab'  [------------------------------]    0 %  ETA -\n");
});

it('writes a line now and then elsewhere', () => {
  const { made, clock, text } = bar(false);
  for (clock.ms = 1_000; clock.ms <= 25_000; clock.ms += 1_000) made.draw(half);
  expect(text().trim().split('\n')).toHaveLength(2);
  made.print('failed: no');
  expect(text()).toBe('failed: no\n');
});
