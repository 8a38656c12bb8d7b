// Tested by test/loopback/bench.test.ts

import { AllocationMeter } from './allocation-meter.js';

/**
 * Loaded before the program in every process of a benchmark: tells, when it is asked, what the process has used so far. It answers in the process's own event
 * loop; without a question it costs nothing. The programs end by themselves or by a signal, so that its channel keeps none alive.
 */

/** The question. Other messages are for the program. */
export interface ProbeQuestion {
  readonly probe: number;
  /** Collect garbage first, so that the heap is what is still held. Needs `--expose-gc`. */
  readonly collect: boolean;
  /** From now on count what is allocated. */
  readonly allocations: boolean;
}

/** What a process has used since its start. */
export interface Usage {
  readonly cpuS: number;
  /** Of V8 and of buffers outside of it, that are in use or not yet collected. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Allocated on V8's heap, and the time over which it was seen; 0 before a question asked for it. */
  readonly allocatedBytes: number;
  readonly allocatedMs: number;
}

export interface ProbeAnswer extends Usage {
  readonly probe: number;
}

/** How often the heap is looked at (ours): at 40 MB/s a young generation of 16 MB fills in 400 ms, so that one look in eighty finds a collection between. */
const LOOK_MS = 5;

const meter = new AllocationMeter();
let isLooking = false;

function look(): void {
  meter.look(process.memoryUsage().heapUsed, performance.now());
}

function answer({ probe, collect, allocations }: ProbeQuestion): ProbeAnswer {
  if (collect) (globalThis as { gc?: () => void }).gc?.();
  if (allocations && !isLooking) {
    isLooking = true;
    setInterval(look, LOOK_MS).unref();
  }
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    probe,
    cpuS: (user + system) / 1e6,
    heapBytes: heapUsed + external,
    rssBytes: rss,
    allocatedBytes: meter.bytes,
    allocatedMs: meter.ms,
  };
}

process.on('message', (question: Partial<ProbeQuestion>) => {
  if (question.probe !== undefined) process.send?.(answer(question as ProbeQuestion));
});
