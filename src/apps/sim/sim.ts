import { ExitCode } from '../../base/exit-codes.js';
import { usageFailure } from '../../base/failure.js';
import { scenarioJsonSchema } from '../../scenario/json-schema.js';
import { readScenarioFile } from '../../scenario/scenario-file.js';
import type { SimInvocation } from './options.js';
import { runOne } from './run-one.js';
import { runSweep } from './run-sweep.js';

/** Plays the scenario of a file, or a sweep of it. */
export async function runSim(invocation: SimInvocation): Promise<ExitCode> {
  const { options, positionals, results } = invocation;
  if (options.schema) {
    results.line(JSON.stringify(scenarioJsonSchema(), null, 2));
    return ExitCode.done;
  }
  const [path] = positionals;
  if (path === undefined) throw usageFailure('FILE is missing; allowed: a scenario, or --schema');
  const isSweep = options.sweep.length > 0 || options.seeds !== undefined;
  checkFitting(invocation, isSweep);
  const file = await readScenarioFile(path);
  return isSweep ? runSweep(file, invocation) : runOne(file, invocation);
}

/** Options of which one says nothing where the other is given. */
function checkFitting({ options }: SimInvocation, isSweep: boolean): void {
  for (const name of ['csv', 'capture', 'qlog'] as const) {
    if (isSweep && options[name] !== undefined) {
      throw usageFailure(`--${name} is for one run; allowed with --sweep and --seeds: --out, --report, --json`);
    }
  }
  if (isSweep && options.threads !== undefined) {
    throw usageFailure('--threads is for one run; allowed with --sweep and --seeds: --jobs');
  }
  if (!isSweep && options.queue !== undefined) {
    throw usageFailure('--queue is for the runs of --sweep and --seeds; one run is played on this machine');
  }
  if (!isSweep && options.out !== undefined) {
    throw usageFailure('--out is for the runs of --sweep and --seeds; allowed for one run: --csv, --report, --json');
  }
}
