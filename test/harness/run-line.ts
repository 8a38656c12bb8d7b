import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { COMMANDS } from '../../src/apps/cli/commands.js';
import { runProgram } from '../../src/apps/cli/program.js';
import { said } from './said.js';

/** What a command may print before its stream makes it wait for a reader, who comes after its end: more than any help has. */
const MAX_PRINTED_BYTES = 4 * 1024 * 1024;

/** A command line of `xpass` in this process, which ends before it opens a socket. */
export async function runLine(argv: readonly string[]) {
  const printed = () => new PassThrough({ highWaterMark: MAX_PRINTED_BYTES });
  const [stdout, stderr] = [printed(), printed()];
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const exitCode = await runProgram({ argv, commands: COMMANDS, stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr) };
}
