// Tested by test/apps/sim/sim.test.ts

import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { commandLine } from '../../report/output/command-line.js';
import { resultJson } from '../../report/output/result-json.js';
import { resultLines } from '../../report/output/result-lines.js';
import { prepareOutputs, wantsSeries, writeOutputs } from '../../report/output/run-files.js';
import { needsFirstRun, sampled } from '../../report/output/samples.js';
import { PartsThread } from '../../scenario/play/parts-thread.js';
import { collectAll, type RunOutcome } from '../../scenario/play/run-all.js';
import type { WatchSettings } from '../../scenario/play/watch.js';
import type { ScenarioText } from '../../scenario/scenario-text.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { captureSettings, qlogSettings } from '../shared/capture-options.js';
import type { SimInvocation } from './options.js';
import { ProgressBar } from './progress-bar.js';

/** Plays one scenario and says what came of it. */
export async function runOne(file: ScenarioText, invocation: SimInvocation): Promise<ExitCode> {
  const { options, results } = invocation;
  const changes = { sets: options.set, ...(options.seed !== undefined && { seed: options.seed }) };
  const scenario = await file.scenario(changes);
  await prepareOutputs(options);
  const { run, wallS } = await play(await withSamples(scenario, invocation), invocation, watchSettings(options));
  await writeOutputs({ run, scenario, command: commandLine(file.path, changes) }, options);
  if (options.json) results.json(resultJson(run.result, wallS));
  else
    for (const line of resultLines(run.result, {
      wallS,
      bottlenecks: scenario.bottlenecks,
      columnsWide: results.columnsWide,
    }))
      results.line(line);
  return ExitCode.done;
}

/** The scenario with the samples that files want. */
async function withSamples(scenario: Scenario, invocation: SimInvocation): Promise<Scenario> {
  if (!wantsSeries(invocation.options)) return scenario;
  return needsFirstRun(scenario) ? sampled(scenario, (await play(scenario, invocation)).run.result) : sampled(scenario);
}

function watchSettings(options: SimInvocation['options']): WatchSettings | undefined {
  const [capture, qlog] = [captureSettings(options), qlogSettings(options)];
  if (capture === undefined && qlog === undefined) return undefined;
  return { ...(capture !== undefined && { capture }), ...(qlog !== undefined && { qlog }) };
}

/** In a thread of its own, so that this one hears of signals. */
async function play(
  scenario: Scenario,
  { options: { threads = 1 }, terminal, onInterrupt, logger }: SimInvocation,
  watch?: WatchSettings,
): Promise<{ run: SimulationRun; wallS: number }> {
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  const bar = new ProgressBar(terminal, scenario.name);
  try {
    const outcomes = await collectAll([scenario], {
      jobs: 1,
      ...(threads > 1 && { start: () => new PartsThread(threads) }),
      onProgress: (progress) => bar.draw(progress),
      signal: abort.signal,
      watch,
    });
    for (const { said } of outcomes) for (const sentence of said) logger.warn(sentence);
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
