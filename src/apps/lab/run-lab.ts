// Tested by test/loopback/lab.test.ts

import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { planFlows } from '../../sim/traffic/plan-flows.js';
import { chancesOf } from '../../sim/world.js';
import type { Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import { commandLine } from '../shared/run-output/command-line.js';
import { resultJson } from '../shared/run-output/result-json.js';
import { resultLines } from '../shared/run-output/result-lines.js';
import { prepareOutputs, sampledFor, writeOutputs } from '../shared/run-output/run-files.js';
import { readScenarioFile } from '../shared/scenario/scenario-file.js';
import { checkFeasible, sampledSlowly } from './feasibility.js';
import { LabProgress } from './lab-progress.js';
import { labRun } from './lab-result.js';
import { measurementProblems } from './measurement-problems.js';
import type { LAB_OPTIONS } from './options.js';
import { playLab } from './play-lab.js';

type LabInvocation = Invocation<typeof LAB_OPTIONS>;

/** Plays a scenario over processes and says what came of it; throws a Failure where bytes did not arrive as they were sent. */
export async function runLab(invocation: LabInvocation): Promise<ExitCode> {
  const { options, positionals, results } = invocation;
  const changes = { sets: options.set, ...(options.seed !== undefined && { seed: options.seed }) };
  const scenario = await readScenarioFile(positionals[0], changes);
  await prepareOutputs(options);
  const startMs = performance.now();
  const run = await play(sampledSlowly(sampledFor(scenario, options)), invocation);
  const wallS = (performance.now() - startMs) / 1e3;
  await writeOutputs(run, options, commandLine(positionals[0], changes, 'lab'));
  const { bottlenecks } = scenario;
  if (options.json) results.json(resultJson(run.result, wallS));
  else for (const line of resultLines(run.result, { wallS, bottlenecks, isReal: true })) results.line(line);
  return ExitCode.done;
}

async function play(scenario: Scenario, invocation: LabInvocation): Promise<SimulationRun> {
  const { options, logger, terminal, onInterrupt } = invocation;
  const flows = planFlows(scenario.traffic, chancesOf(scenario.seed).traffic);
  for (const warning of checkFeasible(scenario, flows)) logger.warn(warning);
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt((signal) => reject(new Failure(ExitCode.failed, `interrupted by ${signal}`)));
  });
  const progress = new LabProgress(terminal, scenario);
  try {
    const { listen, rehearsal: rehearsalNs } = options;
    const onPhase = progress.show.bind(progress);
    const measured = await playLab({ scenario, flows, listen, rehearsalNs, interrupted, onPhase });
    for (const problem of measurementProblems(flows, measured)) logger.warn(problem);
    return labRun(scenario, flows, measured);
  } finally {
    progress.clear();
  }
}
