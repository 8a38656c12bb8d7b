// Tested by test/loopback/udp-mmsg.test.ts
import * as time from '../../base/time.js';
import * as linux from './linux.js';
import type { Native } from './native.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { SECOND_NS } = time;
const { Linux } = linux;

/** A wait that is longer is none: somebody has set the clock (ours; a process that slept for longer has lost its flows' timers too). In 32 bits, so that V8 keeps it in place. */
const LONGEST_NS = 2 * SECOND_NS;

/**
 * The kernel's clock, by which it stamps what arrives: `struct timespec`, whose seconds are taken modulo 2^32. It may be set while we run, so it tells how long
 * something waited and never when it came.
 */
export class KernelTime {
  private readonly native: Pick<Native, 'clock_gettime'>;
  private readonly words = new Int32Array(new ArrayBuffer(128), 0, 4);

  constructor(native: Pick<Native, 'clock_gettime'>) {
    this.native = native;
  }

  /** Reads it. */
  read(): void {
    this.native.clock_gettime(Linux.CLOCK_REALTIME, this.words);
  }

  /** From a stamp until it was read last, ns; -1 where that makes no sense. */
  sinceNs(seconds: number, nanoseconds: number): number {
    const ns = ((this.words[0] - seconds) | 0) * SECOND_NS + (this.words[2] - nanoseconds);
    return ns >= 0 && ns <= LONGEST_NS ? ns | 0 : -1;
  }
}
