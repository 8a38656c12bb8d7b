// Tested by test/apps/shared/simulation/run-all.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { Scenario } from '../../../sim/scenario.js';

/** What goes between a simulation thread and the thread that started it. */

/** What a thread is started with. */
export interface ThreadData {
  /** Two numbers: the part of the present run that is done, 0 to 1, and its virtual time, ns. Shared memory, since a thread that simulates sends nothing. */
  readonly progress: SharedArrayBuffer;
}

export interface ThreadRequest {
  readonly scenario: Scenario;
}

/** `error` where the scenario cannot be played. */
export type ThreadAnswer =
  | { readonly run: SimulationRun; readonly wallS: number }
  | { readonly error: { readonly message: string; readonly stack: string; readonly isMistake: boolean } };
