import { availableParallelism } from 'node:os';
import type { SimulationRun } from '../../../sim/result.js';
import type { Scenario } from '../../../sim/scenario.js';
import { displayDuration } from '../display.js';
import { Failure } from '../failure.js';
import { patienceMs } from '../patience.js';
import { Roster } from '../roster.js';
import { type SimulationThread, startThread } from './thread.js';
import type { ThreadAnswer } from './thread-messages.js';

/** What became of one scenario. */
export interface RunOutcome {
  /** Its place in the list. */
  readonly index: number;
  readonly scenario: Scenario;
  /** null: it failed. */
  readonly run: SimulationRun | null;
  readonly error: RunError | null;
  /** Wall time of the run, s. */
  readonly wallS: number;
}

export interface RunError {
  readonly message: string;
  /** Empty where the scenario is the mistake, and not the program. */
  readonly stack: string;
}

/** How far a list of runs is. */
export interface RunProgress {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Of all runs together, those under way by their virtual time; 0 to 1. */
  readonly part: number;
}

export interface RunAllOptions {
  /** Worker threads; the number of cores by default. */
  readonly jobs?: number | undefined;
  /** As each run ends, in any order; the next run of its thread waits for it. What it keeps it has to bound. */
  readonly onOutcome?: ((outcome: RunOutcome) => void | Promise<void>) | undefined;
  /** Ten times a second, and as each run ends. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Ends at once; what was under way has no outcome. */
  readonly signal?: AbortSignal | undefined;
  /** For tests. */
  readonly start?: (() => SimulationThread) | undefined;
}

/** As often as an eye follows (ours). */
const PROGRESS_MS = 100;

/**
 * Plays many scenarios over worker threads. What a scenario gives depends on nothing but the scenario, whatever `jobs`. Resolves when all have ended or
 * `signal` has; rejects with what `onOutcome` throws.
 */
export async function runAll(scenarios: readonly Scenario[], options: RunAllOptions = {}): Promise<void> {
  await new RunAll(scenarios, options).run();
}

/** The same for lists whose results fit in memory: outcomes in the order of the scenarios, those that `signal` cut off left out. */
export async function collectAll(scenarios: readonly Scenario[], options: RunAllOptions = {}): Promise<RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  await runAll(scenarios, {
    ...options,
    onOutcome: async (outcome) => {
      outcomes.push(outcome);
      await options.onOutcome?.(outcome);
    },
  });
  return outcomes.sort((one, other) => one.index - other.index);
}

/**
 * A run may take hours, but its virtual time advances. What is bounded is a time without that: many times the patience that processes get,
 * since building a large
 * world and summing its results up are not in virtual time (ours).
 */
const PATIENCES = 15;

async function playBounded(thread: SimulationThread, scenario: Scenario): Promise<ThreadAnswer> {
  const roster = new Roster();
  roster.add({
    name: 'simulation thread',
    lastHeard: () => `at ${displayDuration(thread.virtualNs())} of its time`,
    stop: () => thread.stop(),
  });
  try {
    return await roster.within(thread.play(scenario), 'the simulation thread did not answer', {
      takesMs: (PATIENCES - 1) * patienceMs(),
      progress: () => thread.virtualNs(),
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { error: { message: error.message, stack: '', isMistake: false } };
  }
}

class RunAll {
  private readonly scenarios: readonly Scenario[];
  private readonly options: RunAllOptions;
  private readonly threads = new Set<SimulationThread>();
  private next = 0;
  private done = 0;
  private failed = 0;
  private isStopped = false;

  constructor(scenarios: readonly Scenario[], options: RunAllOptions) {
    this.scenarios = scenarios;
    this.options = options;
  }

  async run(): Promise<void> {
    const { jobs = availableParallelism(), signal } = this.options;
    const stop = (): void => void this.stop();
    signal?.addEventListener('abort', stop);
    const timer = setInterval(() => this.report(), PROGRESS_MS);
    try {
      if (signal?.aborted === true) return;
      const lanes = Math.min(Math.max(1, jobs), this.scenarios.length);
      await Promise.all(Array.from({ length: lanes }, () => this.lane()));
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
      await this.stop();
    }
  }

  /** One thread, which takes scenario after scenario. A thread that broke is replaced. */
  private async lane(): Promise<void> {
    let thread = this.startThread();
    while (!this.isStopped && this.next < this.scenarios.length) {
      const index = this.next++;
      const answer = await playBounded(thread, this.scenarios[index]);
      if (this.isStopped) return;
      if (thread.isOver || ('error' in answer && !answer.error.isMistake)) {
        await this.stopThread(thread);
        thread = this.startThread();
      }
      await this.take(index, answer);
    }
    await this.stopThread(thread);
  }

  private async take(index: number, answer: ThreadAnswer): Promise<void> {
    const scenario = this.scenarios[index];
    const outcome: RunOutcome =
      'error' in answer
        ? { index, scenario, run: null, error: { message: answer.error.message, stack: answer.error.stack }, wallS: 0 }
        : { index, scenario, run: answer.run, error: null, wallS: answer.wallS };
    this.done++;
    if (outcome.error !== null) this.failed++;
    await this.options.onOutcome?.(outcome);
    this.report();
  }

  private report(): void {
    const { done, failed } = this;
    const total = this.scenarios.length;
    const underWay = [...this.threads].reduce((sum, thread) => sum + (thread.progress() % 1), 0);
    this.options.onProgress?.({ total, done, failed, part: Math.min(1, (done + underWay) / total) });
  }

  private startThread(): SimulationThread {
    const thread = (this.options.start ?? startThread)();
    this.threads.add(thread);
    return thread;
  }

  private async stopThread(thread: SimulationThread): Promise<void> {
    this.threads.delete(thread);
    await thread.stop();
  }

  private async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.threads].map((thread) => this.stopThread(thread)));
  }
}
