// Tested by test/apps/fuzz/fuzz.test.ts
import { minimise } from '../../sim/fuzz/minimise.js';
import { randomScenario } from '../../sim/fuzz/random-scenario.js';
import { tryScenario } from '../../sim/fuzz/trial.js';
import type { FuzzAnswer, FuzzRequest } from './thread-messages.js';

/** What a thread does for one request. */
export function tryWorld({ seed, frames, scenario, minimise: isWanted }: FuzzRequest): FuzzAnswer {
  const world = scenario ?? randomScenario(seed, frames);
  const trial = tryScenario(world);
  if (trial.finding === null || !isWanted) return { trial, smallest: null };
  return { trial, smallest: minimise(world, trial.finding).scenario };
}
