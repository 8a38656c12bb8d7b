import { describe, expect, it } from 'vitest';
import { runLine } from '../../harness/run-line.js';

describe('xpass bench', () => {
  it.each([
    ['bench nothing', "unknown benchmark 'nothing'"],
    ['bench direct/1472/1 pacing/7', "unknown benchmark 'pacing/7'"],
    ['bench --seconds 0', '--seconds'],
    ['bench --runs 0', '--runs'],
  ])('%s is wrong usage', async (line, why) => {
    const { exitCode, out, err } = await runLine(line.split(' '));
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(why);
  });
});
