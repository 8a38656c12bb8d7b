// Tested by test/loopback/bench.test.ts

import type { ChildProcess } from 'node:child_process';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';

/** The next message of a child for which `isIt` holds. Rejects when the process ends before. */
export function nextMessage<T extends object>(child: ChildProcess, isIt: (message: object) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (message: unknown): void => {
      if (!isIt(message as object)) return;
      settle();
      resolve(message as T);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      settle();
      reject(new Failure(ExitCode.failed, `a process of the benchmark ended with ${signal ?? `status ${code}`}`));
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}

/** Asks a child and waits for the answer that bears the question's number under `field`. */
export async function ask<T extends object>(child: ChildProcess, field: string, question: object): Promise<T> {
  const number = (question as Record<string, unknown>)[field];
  const answer = nextMessage<T>(child, (message) => (message as Record<string, unknown>)[field] === number);
  // A process that has ended is told by its end.
  child.send(question, () => undefined);
  return answer;
}
