// Tested by test/loopback/bench.test.ts

import type { ChildProcess } from 'node:child_process';
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
    const { child } = this;
    const probe = ++this.asked;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      const onMessage = (message: unknown): void => {
        const answer = message as Partial<ProbeAnswer>;
        if (answer.probe !== probe) return;
        settle();
        resolve(answer as ProbeAnswer);
      };
      const onExit = (): void => {
        settle();
        reject(new Error('a process ended while it was measured'));
      };
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.send({ probe, collect, allocations } satisfies ProbeQuestion, (error) => {
        if (error === null) return;
        settle();
        reject(error);
      });
    });
  }
}
