// Tested by test/loopback/lab.test.ts

import { planFlows } from '../../sim/traffic/plan-flows.js';
import { chancesOf } from '../../sim/world.js';
import type { Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import { resultJson } from '../shared/run-output/result-json.js';
import { resultLines } from '../shared/run-output/result-lines.js';
import { readScenarioFile } from '../shared/scenario/scenario-file.js';
import { checkFeasible } from './feasibility.js';
import { labResult } from './lab-result.js';
import type { LAB_OPTIONS } from './options.js';
import { playLab } from './play-lab.js';

/** Plays a scenario over processes and prints what came of it. */
export async function runLab(invocation: Invocation<typeof LAB_OPTIONS>): Promise<ExitCode> {
  const { options, positionals, results, logger, onInterrupt } = invocation;
  const scenario = await readScenarioFile(positionals[0], {
    sets: options.set,
    ...(options.seed !== undefined && { seed: options.seed }),
  });
  const flows = planFlows(scenario.traffic, chancesOf(scenario.seed).traffic);
  for (const warning of checkFeasible(scenario, flows)) logger.warn(warning);
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt((signal) => reject(new Failure(ExitCode.failed, `interrupted by ${signal}`)));
  });
  const { listen, rehearsal: rehearsalNs } = options;
  const startMs = performance.now();
  const measured = await playLab({ scenario, flows, listen, rehearsalNs, interrupted, onProgress: () => {} });
  const result = labResult(scenario, flows, measured);
  const wallS = (performance.now() - startMs) / 1e3;
  if (options.json) results.json(resultJson(result, wallS));
  else for (const line of resultLines(result, { wallS, bottlenecks: scenario.bottlenecks })) results.line(line);
  return ExitCode.done;
}
