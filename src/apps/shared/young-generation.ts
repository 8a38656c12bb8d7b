// Tested by test/loopback/young-generation.test.ts
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of V8's heap at its first size, in this process and from now on. What dgram brings is an ArrayBuffer for each datagram, whose bytes are not in that heap. They are freed when a scavenge finds them dead; but a young generation that has grown to 16 MiB is
 * scavenged so seldom that V8 marks all of the heap first, for the sake of the bytes outside: with frames of 8,972 B 56 times in 5 s instead of once, on other threads too, which took a receiver from 25 to 35 us a frame (docs/PERF-LOG.md). V8 takes no such option where it makes a heap, so it has no effect on the command line, and a worker thread sets it back for the whole process.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
