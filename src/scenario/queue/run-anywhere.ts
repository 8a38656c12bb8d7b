// Tested by test/loopback/queue.test.ts

import { usageFailure } from '../../base/failure.js';
import type { Scenario } from '../../sim/scenario.js';
import { type RunAllOptions, runAll } from '../play/run-all.js';

export interface RunAnywhereOptions extends Omit<RunAllOptions, 'start'> {
  /** URL of a queue, to play over its workers; undefined: over the cores of this machine. */
  readonly queue: string | undefined;
  /** A line for people. */
  readonly say: (line: string) => void;
}

/** As runAll, whose outcomes are the same wherever a scenario is played. */
export async function runAnywhere(scenarios: readonly Scenario[], options: RunAnywhereOptions): Promise<void> {
  const { queue, jobs } = options;
  if (queue === undefined) return runAll(scenarios, options);
  if (jobs !== undefined) {
    throw usageFailure(`--jobs ${jobs} is for runs on this machine; allowed with --queue: xpass work --jobs ${jobs}`);
  }
  const { runOnQueue } = await import('./run-on-queue.js');
  return runOnQueue(scenarios, { ...options, queue });
}
