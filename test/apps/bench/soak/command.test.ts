import { describe, expect, it } from 'vitest';
import { runLine } from '../../../harness/run-line.js';

describe('xpass bench soak', () => {
  it.each([
    ['bench soak --duration 1s', '--duration'],
    ['bench soak --load 2', '--load'],
    ['bench soak --link-rate unlimited', '--link-rate'],
  ])('%s is wrong usage', async (line, why) => {
    const { exitCode, err } = await runLine(line.split(' '));
    expect(exitCode).toBe(2);
    expect(err).toContain(why);
  });
});
