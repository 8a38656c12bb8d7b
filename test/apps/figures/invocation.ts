import { PassThrough } from 'node:stream';
import { FIGURES_OPTIONS, type FiguresInvocation } from '../../../src/apps/figures/options.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { Results } from '../../../src/apps/shared/results.js';
import { said } from '../../harness/said.js';

/** A call of the command, as the program makes it, and what it says. */
export interface Call {
  readonly invocation: FiguresInvocation;
  output(): string;
  log(): string;
}

/** Options by their long names. `interrupt` sends the signal as soon as something listens. */
export function callOf(
  positionals: readonly string[],
  given: Readonly<Record<string, readonly string[]>> = {},
  interrupt = false,
): Call {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const invocation: FiguresInvocation = {
    name: 'figures',
    options: resolveOptions(FIGURES_OPTIONS, new Map(Object.entries(given))),
    positionals,
    results: new Results(stdout),
    logger: {} as never,
    terminal: stderr,
    screen: stdout,
    commands: [],
    onInterrupt: (handle) => {
      if (interrupt) handle('SIGINT');
      return () => undefined;
    },
  };
  return { invocation, output: () => said(stdout), log: () => said(stderr) };
}
