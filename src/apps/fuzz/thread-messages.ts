// Tested by test/apps/fuzz/fuzz.test.ts
import type { TrialResult } from '../../sim/fuzz/trial.js';
import type { Scenario } from '../../sim/scenario.js';

/** One world for a thread: of a seed, or of a file. */
export interface FuzzRequest {
  readonly seed: number;
  readonly frames: number;
  /** Played in place of the seed's. */
  readonly scenario?: Scenario | undefined;
  /** Make it as small as it will go if it breaks. */
  readonly minimise: boolean;
}

export interface FuzzAnswer {
  readonly trial: TrialResult;
  /** The smallest one that breaks in the same way; null where none was asked for, or nothing broke. */
  readonly smallest: Scenario | null;
}
