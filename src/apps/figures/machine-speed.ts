// Tested by test/apps/figures/machine-speed.test.ts
import { availableParallelism } from 'node:os';
import { simulate } from '../../sim/simulate.js';
import { parseScenario } from '../shared/scenario/parse-scenario.js';

/** Long enough that the compiler of the machine has seen the code (ours): some tenths of a second. */
const TRIAL = { topology: { name: 'dumbbell', pairs: 4 }, flows: ['pairs'], duration: '60ms' };

/** What one thread of this machine does, by a trial. */
export function measuredEventsPerSecond(): number {
  const startMs = performance.now();
  const { result } = simulate(parseScenario(TRIAL));
  return (result.events * 1000) / (performance.now() - startMs);
}

/** Threads that will run. */
export function lanes(jobs: number | undefined): number {
  return jobs ?? availableParallelism();
}
