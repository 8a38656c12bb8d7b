// Tested by test/loopback/collector.test.ts
import { setFlagsFromString } from 'node:v8';

/*
 * What makes V8's collector good for datagrams. dgram brings an ArrayBuffer for each datagram: a kilobyte in V8's heap, and the bytes of the datagram outside of it, which are freed when a scavenge finds that kilobyte dead. V8 takes such bytes for memory that only a marking of the whole heap may free,
 * and begins to mark when 9 MB of them have come. Marking takes other threads too, so it is in the way of all the processes of a machine.
 */

/**
 * For any process of ours, before it has allocated much. A young generation that has grown to 16 MiB is scavenged so seldom that 140 MB of datagrams of 8,972 B come between: V8 marked 56 times in 5 s instead of once, which took a receiver from 25 to 35 us a frame (docs/PERF-LOG.md). V8 takes no such option where it makes a heap,
 * so it has no effect on the command line, and a worker thread sets it back for the whole process.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a process that opens a socket for frames, and never for one that has worker threads: where a thread ends while its code is compiled, V8 may ask for a marking on behalf of a heap that Node.js 20 has struck off its list, which aborts the process (one `xpass fuzz --jobs 2` in 15 with this, none of 300 without; docs/PERF-LOG.md). Marking begins when twice as much has come as V8 allows. 1 MiB of young generation holds 1,050 datagrams of a switch, 9.4 MB of frames of 8,972 B, which is
 * just more than it allows a small heap, so that each scavenge came too late: a switch marked 10 to 18 times a second, a quarter of a core, and passed 0.75 of the frames that it passes so. The price is that garbage among old objects is found later: a heap that grows is marked first after 38 MB instead of 16, and a program
 * that does nothing but replace old objects has 1.35 to 1.5 times the memory at its peak. With 400 % that is 2 to 2.8 times, and a switch is no faster (docs/PERF-LOG.md).
 */
export function markSeldom(): void {
  setFlagsFromString('--incremental-marking-hard-trigger=200');
}
