import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import type { PlayAnswer } from './play.js';
import { newProgress, playInThread, type SimulationThread, startSimulation } from './simulation-thread.js';
import { overThreads } from './threads.js';
import type { WatchSettings } from './watch.js';

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
  /** For a log: what came of `watch`. */
  readonly said: readonly string[];
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
  /** Processes that play them, where they are on a queue. */
  readonly workers?: number;
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
  /** What is written of the one run that there is. */
  readonly watch?: WatchSettings | undefined;
  /** What plays them: a thread of its own each by default. */
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

class RunAll {
  private readonly scenarios: readonly Scenario[];
  private readonly options: RunAllOptions;
  /** Of the runs under way: see PlayRequest. */
  private readonly underWay = new Set<Float64Array>();
  private done = 0;
  private failed = 0;

  constructor(scenarios: readonly Scenario[], options: RunAllOptions) {
    this.scenarios = scenarios;
    this.options = options;
  }

  async run(): Promise<void> {
    const { jobs, signal, start = startSimulation } = this.options;
    const timer = setInterval(() => this.report(), PROGRESS_MS);
    try {
      await overThreads({
        count: this.scenarios.length,
        jobs,
        signal,
        start,
        ask: (thread, index) => this.play(thread, this.scenarios[index]),
        take: (answer, index) => this.take(answer, index),
      });
    } finally {
      clearInterval(timer);
    }
  }

  private async play(thread: SimulationThread, scenario: Scenario): Promise<PlayAnswer> {
    const shared = newProgress();
    const progress = new Float64Array(shared);
    const { watch } = this.options;
    this.underWay.add(progress);
    const answer = await playInThread(thread, { scenario, progress: shared, ...(watch !== undefined && { watch }) });
    this.underWay.delete(progress);
    return answer;
  }

  private async take(answer: PlayAnswer, index: number): Promise<void> {
    const outcome = outcomeOf(answer, index, this.scenarios[index]);
    this.done++;
    if (outcome.error !== null) this.failed++;
    await this.options.onOutcome?.(outcome);
    this.report();
  }

  private report(): void {
    const { done, failed } = this;
    const total = this.scenarios.length;
    const underWay = [...this.underWay].reduce((sum, [part]) => sum + (part % 1), 0);
    this.options.onProgress?.({ total, done, failed, part: Math.min(1, (done + underWay) / total) });
  }
}

export function outcomeOf(answer: PlayAnswer, index: number, scenario: Scenario): RunOutcome {
  if ('run' in answer) {
    const { run, wallS, said = [] } = answer;
    return { index, scenario, run, error: null, wallS, said };
  }
  const { message, stack } = answer.error;
  return { index, scenario, run: null, error: { message, stack }, wallS: 0, said: [] };
}
