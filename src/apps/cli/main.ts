/**
 * The executable: runs the program that the arguments name and exits with its status. Importing this file does it; everything that can be tested
 * stands in program.ts. Tested by test/apps/cli/program.test.ts.
 */

import { ExitCode } from '../../base/exit-codes.js';
import { compileBaselineOnMainThread, keepYoungGenerationSmall } from '../shared/v8-flags.js';
import { COMMANDS } from './commands.js';
import { writeSome } from './log-output.js';
import { runProgram } from './program.js';

// Before anything that it could grow for.
keepYoungGenerationSmall();
compileBaselineOnMainThread();

/** A bug of ours, with all there is to know about it. */
function crash(error: unknown): never {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const words = `xpass: internal error, please report it with the lines below\n${stack}\n`;
  // At once, where somebody reads; a full pipe of a reader who does not is no reason to stay.
  if (writeSome(2, Buffer.from(words)) < 0) process.stderr.write(words);
  process.exit(ExitCode.internal);
}

// A reader of the logs that went away is no reason to stop.
process.stderr.on('error', () => undefined);
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

const exitCode = await runProgram({
  argv: process.argv.slice(2),
  commands: COMMANDS,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
});
process.exit(exitCode);
