// Tested by test/apps/fuzz/fuzz.test.ts and test/loopback/fuzz-sim.test.ts
import { Worker } from 'node:worker_threads';
import type { FuzzAnswer, FuzzRequest } from './thread-messages.js';
import { tryWorld } from './try-world.js';

/** Plays one world at a time. */
export interface FuzzThread {
  /** A thread that breaks down, or does not answer in `timeoutMs`, is a finding too: it answers no more then. */
  play(request: FuzzRequest, timeoutMs: number): Promise<FuzzAnswer>;
  /** Ends at once; what is under way is answered. */
  stop(): Promise<void>;
}

/** A worker thread, or this one where the program runs from its TypeScript, as in unit tests: Node.js starts threads from compiled files only. */
export function startThread(): FuzzThread {
  return import.meta.url.endsWith('.js') ? new WorkerThread() : new InlineThread();
}

class WorkerThread implements FuzzThread {
  private readonly worker = new Worker(new URL('./fuzz.worker.js', import.meta.url));
  private answer: (answer: FuzzAnswer) => void = () => undefined;

  constructor() {
    this.worker.on('message', (answer: FuzzAnswer) => this.answer(answer));
    this.worker.on('error', (error: Error) => this.answer(broken('thread', error.message, error.stack)));
    this.worker.on('exit', () => this.answer(broken('thread', 'the thread has ended')));
  }

  async play(request: FuzzRequest, timeoutMs: number): Promise<FuzzAnswer> {
    const answer = new Promise<FuzzAnswer>((resolve) => {
      this.answer = resolve;
    });
    const timer = setTimeout(() => {
      this.answer(
        broken('hang', `there was no end within ${timeoutMs / 1e3} s: one event may be going round for ever`),
      );
      void this.stop();
    }, timeoutMs);
    this.worker.postMessage(request);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

function broken(check: string, sentence: string, stack = sentence): FuzzAnswer {
  return { trial: { finding: { check, sentence, atNs: 0, stack }, simulatedNs: 0, events: 0 }, smallest: null };
}

class InlineThread implements FuzzThread {
  async play(request: FuzzRequest): Promise<FuzzAnswer> {
    return tryWorld(request);
  }

  async stop(): Promise<void> {}
}
