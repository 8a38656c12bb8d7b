import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/apps/cli/commands.js';
import { runProgram } from '../../../../src/apps/cli/program.js';
import { said } from '../../../harness/said.js';

describe('xpass bench soak', () => {
  it.each([
    ['bench soak --duration 1s', '--duration'],
    ['bench soak --load 2', '--load'],
    ['bench soak --link-rate unlimited', '--link-rate'],
  ])('%s is wrong usage', async (line, why) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const signals = Object.assign(new EventEmitter(), { exit: () => {} });
    const exitCode = await runProgram({ argv: line.split(' '), commands: COMMANDS, stdout, stderr, signals });
    expect(exitCode).toBe(2);
    expect(said(stderr)).toContain(why);
  });
});
