// Tested by test/apps/shared/simulation/run-all.test.ts
import type { Scenario } from '../../../sim/scenario.js';
import { simulate } from '../../../sim/simulate.js';
import { failureOf } from '../failure.js';
import type { ThreadAnswer } from './thread-messages.js';

/** Steps of the simulation between two looks at how far it is (ours): some tens of milliseconds. */
const STEPS_PER_LOOK = 65_536;

/** Plays a scenario; `progress[0]` goes from 0 to 1 meanwhile, `progress[1]` is its virtual time, ns. Errors are part of the answer. */
export function play(scenario: Scenario, progress: Float64Array): ThreadAnswer {
  const startMs = performance.now();
  let steps = 0;
  try {
    progress.fill(0);
    const run = simulate(scenario, {
      onStep: ({ network }, { runs }) => {
        if (++steps % STEPS_PER_LOOK !== 0) return;
        progress[0] = partDone(scenario, network.nowNs, runs);
        progress[1] = network.nowNs;
      },
    });
    progress[0] = 1;
    return { run, wallS: (performance.now() - startMs) / 1000 };
  } catch (error) {
    return { error: described(error) };
  }
}

/** Of the time, or of the flows where the run ends with them. */
function partDone(
  { durationNs, endsWithFlows }: Scenario,
  nowNs: number,
  runs: readonly { isOver: boolean }[],
): number {
  const time = nowNs / durationNs;
  return endsWithFlows ? Math.max(time, runs.filter(({ isOver }) => isOver).length / runs.length) : time;
}

/** A mistake of the scenario's author, or a bug of ours, which deserves its stack. */
function described(error: unknown): { message: string; stack: string; isMistake: boolean } {
  const failure = failureOf(error);
  if (failure !== null) return { message: failure.message, stack: '', isMistake: true };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return { message, stack, isMistake: false };
}
