// Tested by test/loopback/sim.test.ts and test/loopback/bench.test.ts

/**
 * Size of either half of V8's young generation where a simulation is played. What it allocates is dead at once, and so small a half stays in the cache of a core. The 16 MiB that the main thread of a process has
 * otherwise cost 11 % of the processor time with 2 flows and 9 % with 64; in a thread, which has 4 MiB, no difference was found (docs/PERF-LOG.md).
 */
export const SEMI_SPACE_MIB = 1;
