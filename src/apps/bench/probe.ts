// Tested by test/loopback/bench.test.ts

import type { ChildProcess } from 'node:child_process';
import { ask } from './ipc.js';
import type { ProbeAnswer, ProbeQuestion, Usage } from './probe.child.js';

export type { Usage } from './probe.child.js';

/** Arguments of Node.js for a process that can collect its garbage when it is asked. */
export const COLLECTING: readonly string[] = ['--expose-gc'];
/** The same for a program that knows nothing of probes. One that gets messages of its own imports probe.child.js instead: loaded before, it would take the first of them. */
export const PROBED: readonly string[] = [...COLLECTING, '--import', new URL('probe.child.js', import.meta.url).href];

/** Asks one process what it uses. */
export class Probe {
  private readonly child: ChildProcess;
  private asked = 0;

  constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Rejects when the process ends before it answers. */
  ask({ collect = false, allocations = false }: Partial<ProbeQuestion> = {}): Promise<Usage> {
    const question: ProbeQuestion = { probe: ++this.asked, collect, allocations };
    return ask<ProbeAnswer>(this.child, 'probe', question);
  }
}
