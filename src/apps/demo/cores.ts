// Tested by test/loopback/demo.test.ts

import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cores } from './link-rate.js';

/** Long enough for the grain of the system's clocks, 10 to 16 ms (ours). */
const MEASURE_MS = 250;

/** How many cores this process may use, and how many of them nobody uses now. */
export async function measureCores(): Promise<Cores> {
  const before = idleMs();
  const startMs = performance.now();
  await sleep(MEASURE_MS);
  const idle = (idleMs() - before) / (performance.now() - startMs);
  const count = availableParallelism();
  // Some systems tell nothing of their cores.
  return { count, idle: cpus().length === 0 ? count : Math.min(count, idle) };
}

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}
