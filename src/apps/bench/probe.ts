// Tested by test/loopback/bench.test.ts

import type { Companion } from '../shared/companion.js';
import type { ProbeAnswer, ProbeQuestion, Usage } from './probe.child.js';

export type { Usage } from './probe.child.js';

/** Arguments of Node.js for a process that can collect its garbage when it is asked. */
export const COLLECTING: readonly string[] = ['--expose-gc'];
/** The same for a program that knows nothing of probes. One that gets messages of its own imports probe.child.js instead: loaded before, it would take the first of them. */
export const PROBED: readonly string[] = [...COLLECTING, '--import', new URL('probe.child.js', import.meta.url).href];

/** Asks one process what it uses. */
export class Probe {
  private readonly process: Companion;
  private asked = 0;

  constructor(process: Companion) {
    this.process = process;
  }

  /** Null from a process that has ended in order; rejects with a Failure when it does not answer. */
  async ask({ collect = false, allocations = false }: Partial<ProbeQuestion> = {}): Promise<Usage | null> {
    const question: ProbeQuestion = { probe: ++this.asked, collect, allocations };
    try {
      return await this.process.ask<ProbeAnswer>('probe', question);
    } catch (error) {
      if (this.process.isOver) return null;
      throw error;
    }
  }
}
