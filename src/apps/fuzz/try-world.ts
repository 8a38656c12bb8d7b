// Tested by test/apps/fuzz/fuzz.test.ts

import { SECOND_NS } from '../../base/time.js';
import { hostileScenario } from '../../sim/fuzz/random-hostile.js';
import { randomScenario } from '../../sim/fuzz/random-scenario.js';
import { minimise } from '../../sim/fuzz/smaller.js';
import { type TrialResult, tryScenario } from '../../sim/fuzz/trial.js';
import type { Scenario } from '../../sim/scenario.js';

/** What the worlds of a run have in common. */
export interface WorldKind {
  readonly frames: number;
  /** With hosts that lie. */
  readonly hostile?: boolean | undefined;
  /** For how long they lie, besides the beginning. */
  readonly seconds?: number | undefined;
}

/** One world for a thread: of a seed, or of a file. */
export interface FuzzRequest extends WorldKind {
  readonly seed: number;
  /** Played in place of the seed's. */
  readonly scenario?: Scenario | undefined;
  /** Make it as small as it will go if it breaks. */
  readonly minimise: boolean;
}

export interface FuzzAnswer {
  readonly trial: TrialResult;
  /** The smallest world that breaks in the same way; null where none was asked for, or nothing broke. */
  readonly smallest: Scenario | null;
}

/** What a thread does for one request. */
export function tryWorld({ seed, scenario, minimise: isWanted, ...kind }: FuzzRequest): FuzzAnswer {
  const world = scenario ?? worldOf(seed, kind);
  const trial = tryScenario(world);
  if (trial.finding === null || !isWanted) return { trial, smallest: null };
  return { trial, smallest: minimise(world, trial.finding).scenario };
}

function worldOf(seed: number, { frames, hostile, seconds = 0 }: WorldKind): Scenario {
  return hostile === true ? hostileScenario(seed, frames, seconds * SECOND_NS) : randomScenario(seed, frames);
}
