// Tested by test/scenario/play/run-all.test.ts, test/loopback/sim.test.ts and test/loopback/fuzz-sim.test.ts

import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { compiledModule, IS_COMPILED } from './package-files.js';

/** Answers one request at a time. */
export interface Thread<Request, Answer> {
  /** Rejects where the thread breaks or ends before it answers. */
  ask(request: Request): Promise<Answer>;
  /** It answers nothing any more. */
  readonly isOver: boolean;
  /** Ends at once; a request under way is rejected. */
  stop(): Promise<void>;
}

/** What a worker file calls: it answers each request by `answer`, which does not throw. */
export function serveRequests<Request, Answer>(answer: (request: Request) => Answer): void {
  parentPort?.on('message', (request: Request) => parentPort?.postMessage(answer(request)));
}

/** A worker thread that runs `src/${entry}.ts`, or this thread where the program is not compiled. */
export function startThread<Request, Answer>(
  entry: string,
  answer: (request: Request) => Answer,
): Thread<Request, Answer> {
  if (IS_COMPILED) return new WorkerThread(compiledModule(entry));
  return { isOver: false, ask: async (request) => answer(request), stop: async () => undefined };
}

class WorkerThread<Request, Answer> implements Thread<Request, Answer> {
  isOver = false;
  private readonly worker: Worker;
  private resolve: (answer: Answer) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor(file: URL) {
    this.worker = new Worker(file);
    this.worker.on('message', (answer: Answer) => this.resolve(answer));
    // A thread that breaks sends its error first and then its end.
    this.worker.on('error', (error: Error) => this.end(error));
    this.worker.on('exit', (status) => {
      const error = new Error(`a simulation thread ended with status ${status}`);
      error.stack = '';
      this.end(error);
    });
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.worker.postMessage(request);
    });
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private end(error: Error): void {
    this.isOver = true;
    this.reject(error);
  }
}

/** Numbered requests, and the threads that answer them. */
export interface ThreadWork<Request, Answer> {
  /** Numbers are 0 to `count` - 1. */
  readonly count: number;
  /** Threads; the number of cores by default. */
  readonly jobs?: number | undefined;
  readonly start: () => Thread<Request, Answer>;
  /** Has the thread answer; one that is not to be asked again is stopped here. Never rejects. */
  readonly ask: (thread: Thread<Request, Answer>, number: number) => Promise<Answer>;
  /** As each answer comes, in any order; the next request of `thread`, which is a new one where the old one ended, waits for it. */
  readonly take: (answer: Answer, number: number, thread: Thread<Request, Answer>) => Promise<void>;
  /** Ends at once; what is under way is not taken. */
  readonly signal?: AbortSignal | undefined;
}

/** Has threads answer all requests, and replaces those that end. Resolves when all are answered or `signal` has come; rejects with what `take` throws. */
export async function overThreads<Request, Answer>(work: ThreadWork<Request, Answer>): Promise<void> {
  const { count, jobs = availableParallelism(), start, ask, take, signal } = work;
  if (signal?.aborted === true) return;
  const threads = new Set<Thread<Request, Answer>>();
  let next = 0;
  let isStopped = false;
  const stop = async (): Promise<void> => {
    isStopped = true;
    await Promise.all([...threads].map((thread) => thread.stop()));
  };
  const onAbort = (): void => void stop();
  const lane = async (): Promise<void> => {
    let thread = start();
    threads.add(thread);
    while (next < count && !isStopped) {
      const number = next++;
      const answer = await ask(thread, number);
      if (isStopped) return;
      if (thread.isOver) {
        threads.delete(thread);
        thread = start();
        threads.add(thread);
      }
      await take(answer, number, thread);
    }
    await thread.stop();
  };
  signal?.addEventListener('abort', onAbort);
  try {
    await Promise.all(Array.from({ length: Math.min(Math.max(1, jobs), count) }, lane));
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await stop();
  }
}
