// Tested by test/loopback/v8-flags.test.ts and test/apps/shared/v8-flags.test.ts
import { setFlagsFromString } from 'node:v8';

/*
 * Flags of V8, tuned for datagrams. dgram brings an ArrayBuffer for each datagram: a kilobyte in V8's heap, and the bytes outside of it. A scavenge frees
 * both, but V8 counts the bytes as memory that only a marking of the whole heap frees, and marks after 9 MB of them. docs/decisions/0019-v8-flags.md
 */

/** The versions of V8 that the flags were measured on: those of Node.js 20, 22, 24 and 26. V8 renames and removes flags, so any other version gets none. */
const TUNED_V8: readonly string[] = ['11.3', '12.4', '13.6', '14.6'];

/** Whether this version of V8, `13.6.233.17-node.53` say, is one that the flags are known for. */
export function isTuned(v8Version: string = process.versions.v8): boolean {
  return TUNED_V8.includes(v8Version.split('.', 2).join('.'));
}

function tune(flag: string): void {
  if (isTuned()) setFlagsFromString(flag);
}

/** Flags that the functions below set, for the check that each supported Node.js has them. */
export const V8_FLAGS = {
  youngGeneration: '--semi-space-growth-factor=1',
  marking: '--incremental-marking-hard-trigger=200',
  markingOfLongFrames: '--incremental-marking-hard-trigger=400',
  baseline: '--no-concurrent-sparkplug',
} as const;

/**
 * For any process of ours, before it allocates much. A young generation of 16 MiB is scavenged so rarely that 140 MB of datagrams come in between, and
 * V8 marks instead. V8 ignores the flag on the command line, and a worker thread sets it back for the whole process.
 */
export function keepYoungGenerationSmall(): void {
  tune(V8_FLAGS.youngGeneration);
}

/** Above this frames are long. Ours: with 8,972 bytes 200 % is as fast as 400, with 60,000 it is not (docs/decisions/0019-v8-flags.md). */
const LONG_FRAME_BYTES = 16_384;

/**
 * For a process that opens a socket for frames of up to `longestBytes`: marking begins at two or four times what V8 allows, because 1 MiB of young
 * generation holds more bytes of datagrams than that.
 * The price is memory: old garbage is found later (1.35 to 1.5 times the peak of a program that only replaces old objects, twice with long frames).
 * Never for a process with worker threads: Node.js 20 aborts where a thread ends while its code is compiled (one `xpass fuzz --jobs 2` in 15).
 */
export function markRarely(longestBytes = 0): void {
  tune(longestBytes > LONG_FRAME_BYTES ? V8_FLAGS.markingOfLongFrames : V8_FLAGS.marking);
}

/**
 * For any process that ends by `process.exit`. V8 13.6 and later compile baseline code on a thread, which waits for the main thread to collect where the heap
 * is full; the main thread waits for that thread inside `process.exit`, and neither goes on (one `xpass send` in 100 on Node.js 24, two busy cores).
 */
export function compileBaselineOnMainThread(): void {
  tune(V8_FLAGS.baseline);
}
