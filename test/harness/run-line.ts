import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { COMMANDS } from '../../src/apps/cli/commands.js';
import { runProgram } from '../../src/apps/cli/program.js';
import { said } from './said.js';

/** Nobody reads before the end, so all of it has to fit. */
const ROOM = { highWaterMark: 2 ** 22 };

/** A command line of `xpass` in this process, which ends before it opens a socket. */
export async function runLine(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(ROOM), new PassThrough(ROOM)];
  const signals = Object.assign(new EventEmitter(), { exit: () => undefined });
  const exitCode = await runProgram({ argv, commands: COMMANDS, stdout, stderr, signals });
  return { exitCode, out: said(stdout), err: said(stderr) };
}
