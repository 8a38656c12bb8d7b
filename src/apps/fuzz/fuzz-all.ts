// Tested by test/apps/fuzz/fuzz.test.ts
import { availableParallelism } from 'node:os';
import type { Finding } from '../../sim/fuzz/trial.js';
import type { Scenario } from '../../sim/scenario.js';
import { type FuzzThread, startThread } from './thread.js';
import type { FuzzAnswer } from './thread-messages.js';

/** The longest that one world may take, and one with all the smaller ones that are tried for it (ours: hundreds of times what they do take). */
const WORLD_MS = 120_000;
const MINIMISE_MS = 1_200_000;
/** Worlds of one and the same fault that are made smaller: the others would come to the same. */
const MINIMISED_PER_CHECK = 1;

export interface SeedFinding {
  readonly seed: number;
  readonly finding: Finding;
  readonly smallest: Scenario | null;
}

export interface FuzzTotals {
  worlds: number;
  simulatedNs: number;
  events: number;
  findings: SeedFinding[];
}

export interface FuzzAllOptions {
  readonly firstSeed: number;
  readonly count: number;
  readonly frames: number;
  readonly jobs?: number | undefined;
  readonly onProgress: (totals: FuzzTotals) => void;
  readonly onFinding: (found: SeedFinding) => Promise<void>;
  readonly signal: AbortSignal;
  /** For tests. */
  readonly start?: () => FuzzThread;
}

/** Plays the worlds of many seeds over worker threads. Resolves when all are played or `signal` says so. */
export async function fuzzAll(options: FuzzAllOptions): Promise<FuzzTotals> {
  return new FuzzAll(options).run();
}

class FuzzAll {
  private readonly options: FuzzAllOptions;
  private readonly totals: FuzzTotals = { worlds: 0, simulatedNs: 0, events: 0, findings: [] };
  private readonly threads = new Set<FuzzThread>();
  private readonly minimised = new Map<string, number>();
  private next = 0;

  constructor(options: FuzzAllOptions) {
    this.options = options;
  }

  async run(): Promise<FuzzTotals> {
    const { jobs = availableParallelism(), count, signal } = this.options;
    const stop = (): void => void this.stopAll();
    signal.addEventListener('abort', stop);
    try {
      await Promise.all(Array.from({ length: Math.min(jobs, count) }, () => this.lane()));
    } finally {
      signal.removeEventListener('abort', stop);
      await this.stopAll();
    }
    this.totals.findings.sort((one, other) => one.seed - other.seed);
    return this.totals;
  }

  /** One thread, which takes seed after seed. One that broke down is replaced. */
  private async lane(): Promise<void> {
    const { firstSeed, count, frames, signal } = this.options;
    let thread = this.begin();
    while (this.next < count && !signal.aborted) {
      const seed = firstSeed + this.next++;
      const answer = await thread.play({ seed, frames, minimise: false }, WORLD_MS);
      if (signal.aborted) return;
      if (answer.trial.finding?.check === 'hang' || answer.trial.finding?.check === 'thread') {
        await this.end(thread);
        thread = this.begin();
      }
      await this.take(seed, answer, thread);
    }
  }

  private async take(seed: number, { trial }: FuzzAnswer, thread: FuzzThread): Promise<void> {
    const { totals, options } = this;
    totals.worlds++;
    // Whole numbers, whose sum does not depend on the order in which threads answer.
    totals.simulatedNs += Math.round(trial.simulatedNs);
    totals.events += trial.events;
    if (trial.finding !== null) {
      const smallest = await this.smallest(seed, trial.finding, thread);
      const found = { seed, finding: trial.finding, smallest };
      totals.findings.push(found);
      await options.onFinding(found);
    }
    options.onProgress(totals);
  }

  private async smallest(seed: number, { check }: Finding, thread: FuzzThread): Promise<Scenario | null> {
    const before = this.minimised.get(check) ?? 0;
    if (before >= MINIMISED_PER_CHECK || check === 'hang' || check === 'thread') return null;
    this.minimised.set(check, before + 1);
    const { frames } = this.options;
    return (await thread.play({ seed, frames, minimise: true }, MINIMISE_MS)).smallest;
  }

  private begin(): FuzzThread {
    const thread = (this.options.start ?? startThread)();
    this.threads.add(thread);
    return thread;
  }

  private async end(thread: FuzzThread): Promise<void> {
    this.threads.delete(thread);
    await thread.stop();
  }

  private async stopAll(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => this.end(thread)));
  }
}
