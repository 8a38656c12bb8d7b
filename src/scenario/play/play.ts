// Tested by test/scenario/play/run-all.test.ts

import { failureOf } from '../../base/failure.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { simulate } from '../../sim/simulate.js';
import { Watch, type WatchSettings } from './watch.js';

/** Steps of the simulation between two looks at how far it is (ours): some tens of milliseconds. */
const STEPS_PER_LOOK = 65_536;

/** One scenario for a thread. */
export interface PlayRequest {
  readonly scenario: Scenario;
  /** Two float64: the part of the run that is done, 0 to 1, and its virtual time, ns. Shared memory, since a thread that simulates sends nothing. */
  readonly progress: SharedArrayBuffer;
  /** What is written of the run while it is played. */
  readonly watch?: WatchSettings;
}

/** `error` where the scenario cannot be played; `isMistake`: by its author's fault, so the thread is as good as before. */
export type PlayAnswer =
  | { readonly run: SimulationRun; readonly wallS: number; readonly said?: readonly string[] }
  | { readonly error: PlayError };

export interface PlayError {
  readonly message: string;
  readonly stack: string;
  readonly isMistake: boolean;
}

/** Plays a scenario and writes `progress` meanwhile. Errors are part of the answer. */
export function play({ scenario, progress: shared, watch: wanted }: PlayRequest): PlayAnswer {
  const progress = new Float64Array(shared);
  const startMs = performance.now();
  let steps = 0;
  try {
    const watch = wanted === undefined ? null : new Watch(wanted);
    const run = simulate(scenario, {
      onWorld: (world) => watch?.begin(world),
      traceOf: watch?.traceOf,
      onStep: ({ network }, { runs }) => {
        if (++steps % STEPS_PER_LOOK !== 0) return;
        progress[0] = partDone(scenario, network.nowNs, runs);
        progress[1] = network.nowNs;
      },
    });
    progress[0] = 1;
    const wallS = (performance.now() - startMs) / 1000;
    return { run, wallS, said: watch?.end() ?? [] };
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
export function described(error: unknown): PlayError {
  const failure = failureOf(error);
  if (failure !== null) return { message: failure.message, stack: '', isMistake: true };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return { message, stack, isMistake: false };
}
