import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { runProgram } from '../../../src/apps/cli/program.js';
import { said } from '../../harness/said.js';

async function run(line: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals = Object.assign(new EventEmitter(), { exit: () => {} });
  const exitCode = await runProgram({ argv: line.split(' '), commands: COMMANDS, stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr) };
}

describe('xpass bench', () => {
  it.each([
    ['bench nothing', "unknown benchmark 'nothing'"],
    ['bench direct/1472/1 pacing/7', "unknown benchmark 'pacing/7'"],
    ['bench --seconds 0', '--seconds'],
    ['bench --runs 0', '--runs'],
  ])('%s is wrong usage', async (line, why) => {
    const { exitCode, out, err } = await run(line);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(why);
  });
});
