// Tested by test/apps/shared/simulation/run-all.test.ts and test/loopback/sim.test.ts
import { Worker } from 'node:worker_threads';
import type { Scenario } from '../../../sim/scenario.js';
import { play } from './play.js';
import type { ThreadAnswer, ThreadData, ThreadRequest } from './thread-messages.js';

/** Plays one scenario at a time. */
export interface SimulationThread {
  /** Never rejects: what goes wrong is an answer. */
  play(scenario: Scenario): Promise<ThreadAnswer>;
  /** The part of the present run that is done, 0 to 1. */
  progress(): number;
  /** Virtual time of the present run, ns: it advances for as long as the run does. */
  virtualNs(): number;
  /** It has ended and plays nothing any more. */
  readonly isOver: boolean;
  /** Ends at once; a run under way is answered by an error. */
  stop(): Promise<void>;
}

/** A worker thread, or this one where the program runs from its TypeScript, as in unit tests: Node.js starts threads from compiled files only. */
export function startThread(): SimulationThread {
  return import.meta.url.endsWith('.js') ? new WorkerThread() : new InlineThread();
}

class WorkerThread implements SimulationThread {
  private readonly worker: Worker;
  private readonly done: Float64Array;
  isOver = false;
  private isStopping = false;
  private answer: (answer: ThreadAnswer) => void = () => undefined;

  constructor() {
    const progress = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
    this.done = new Float64Array(progress);
    const workerData: ThreadData = { progress };
    this.worker = new Worker(new URL('./simulation.worker.js', import.meta.url), { workerData });
    this.worker.on('message', (answer: ThreadAnswer) => this.answer(answer));
    this.worker.on('error', (error: Error) => this.end(crash(error)));
    this.worker.on('exit', (status) => this.end(this.isStopping ? STOPPED : ended(status)));
  }

  play(scenario: Scenario): Promise<ThreadAnswer> {
    this.done.fill(0);
    const request: ThreadRequest = { scenario };
    return new Promise((resolve) => {
      this.answer = resolve;
      this.worker.postMessage(request);
    });
  }

  progress(): number {
    return this.done[0];
  }

  virtualNs(): number {
    return this.done[1];
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.worker.terminate();
  }

  /** A thread that broke sends its error first and then its end. */
  private end(error: RunFault): void {
    this.isOver = true;
    this.answer({ error });
  }
}

type RunFault = Extract<ThreadAnswer, { error: unknown }>['error'];

const STOPPED: RunFault = { message: 'the simulation was stopped', stack: '', isMistake: true };

function ended(status: number): RunFault {
  return { message: `a simulation thread ended with status ${status}`, stack: '', isMistake: false };
}

/** A thread that ran out of memory is the size of the scenario, not a bug. */
function crash(error: Error & { code?: string }): RunFault {
  const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const message = isMemory
    ? 'the simulation ran out of memory: allow more with NODE_OPTIONS=--max-old-space-size, or use fewer flows'
    : error.message;
  return { message, stack: error.stack ?? message, isMistake: isMemory };
}

class InlineThread implements SimulationThread {
  readonly isOver = false;
  private readonly done = new Float64Array(2);

  async play(scenario: Scenario): Promise<ThreadAnswer> {
    return play(scenario, this.done);
  }

  progress(): number {
    return this.done[0];
  }

  virtualNs(): number {
    return this.done[1];
  }

  async stop(): Promise<void> {}
}
