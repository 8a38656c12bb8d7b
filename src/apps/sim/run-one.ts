// Tested by test/apps/sim/sim.test.ts
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure, usageFailure } from '../shared/failure.js';
import { checkWritable, prepareDirectory, writeAll, writeWhole } from '../shared/run-output/output-file.js';
import { resultCsv } from '../shared/run-output/result-csv.js';
import { resultJson } from '../shared/run-output/result-json.js';
import { resultLines } from '../shared/run-output/result-lines.js';
import { directionNames } from '../shared/scenario/link-names.js';
import type { ScenarioFile } from '../shared/scenario/scenario-file.js';
import { collectAll, type RunOutcome } from '../shared/simulation/run-all.js';
import { ProgressBar } from './progress-bar.js';
import { commandLine } from './replay.js';
import type { SimInvocation } from './sim.js';

/** Samples over the length of a run where the scenario does not say how many: as many as a plot has pixels (ours). */
const DEFAULT_SAMPLES = 500;
/** Directions that are sampled where nobody says which (ours): the links of a small topology. */
const MAX_SAMPLED_LINKS = 64;

const CSV = 'directory of CSV files';
const REPORT = 'report';

/** Plays one scenario and says what came of it. */
export async function runOne(file: ScenarioFile, invocation: SimInvocation): Promise<ExitCode> {
  const { options, results } = invocation;
  const changes = { sets: options.set, ...(options.seed !== undefined && { seed: options.seed }) };
  const scenario = await file.scenario(changes);
  if (options.csv !== undefined) await prepareDirectory(options.csv, CSV);
  if (options.report !== undefined) await checkWritable(options.report, REPORT);
  const isSampled = options.csv !== undefined || options.report !== undefined;
  const { run, wallS } = await play(isSampled ? sampled(scenario) : scenario, invocation);
  if (options.csv !== undefined) await writeAll(options.csv, resultCsv(run), CSV);
  if (options.report !== undefined) await writeReport(options.report, run, commandLine(file.path, changes));
  if (options.json) results.json(resultJson(run.result, wallS));
  else for (const line of resultLines(run.result, { wallS, bottlenecks: scenario.bottlenecks })) results.line(line);
  return ExitCode.done;
}

/** In a thread of its own, so that this one hears of signals. */
async function play(
  scenario: Scenario,
  { terminal, onInterrupt }: SimInvocation,
): Promise<{ run: SimulationRun; wallS: number }> {
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  const bar = new ProgressBar(terminal, scenario.name);
  try {
    const outcomes = await collectAll([scenario], {
      jobs: 1,
      onProgress: (progress) => bar.draw(progress),
      signal: abort.signal,
    });
    if (outcomes.length === 0) throw new Failure(ExitCode.failed, `interrupted: '${scenario.name}' has no result`);
    return completed(outcomes[0]);
  } finally {
    bar.clear();
    release();
  }
}

/** Throws for a run without a result: a Failure for a scenario that cannot be, else the bug of ours that it is. */
function completed({ run, error, wallS }: RunOutcome): { run: SimulationRun; wallS: number } {
  if (run !== null) return { run, wallS };
  const { message, stack } = error ?? { message: 'there is no result', stack: '' };
  if (stack === '') throw usageFailure(message);
  const bug = new Error(message);
  bug.stack = stack;
  throw bug;
}

/** The scenario with series for plots where it asks for none itself. */
function sampled(scenario: Scenario): Scenario {
  const { probes, durationNs, bottlenecks, topology } = scenario;
  const intervalNs = probes.intervalNs === 0 ? Math.ceil(durationNs / DEFAULT_SAMPLES) : probes.intervalNs;
  const isSaid = probes.links.length > 0 || bottlenecks.length > 0;
  const links = isSaid ? probes.links : directionNames(topology).slice(0, MAX_SAMPLED_LINKS);
  return { ...scenario, probes: { ...probes, intervalNs, links } };
}

/** Loaded here because the library of its figures takes longer to load than most scenarios to run. */
async function writeReport(path: string, run: SimulationRun, command: string): Promise<void> {
  const { runReport } = await import('../shared/report/run-report.js');
  await writeWhole(path, runReport([run], { command }), REPORT);
}
