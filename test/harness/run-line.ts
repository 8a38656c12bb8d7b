import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { COMMANDS } from '../../src/apps/cli/commands.js';
import { runProgram } from '../../src/apps/cli/program.js';
import { said } from './said.js';

/** Nobody reads before the command has ended, so its output has to fit: help is longer than the 16 KiB of a stream. */
const HELD_BYTES = 2 ** 20;

/** A command line of `xpass` in this process, which ends before it opens a socket. */
export async function runLine(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: HELD_BYTES }), new PassThrough()];
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const exitCode = await runProgram({ argv, commands: COMMANDS, stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr) };
}
