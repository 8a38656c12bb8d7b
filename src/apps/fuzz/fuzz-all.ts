// Tested by test/apps/fuzz/fuzz.test.ts

import { overThreads, startThread, type Thread } from '../../scenario/play/threads.js';
import type { Finding } from '../../sim/fuzz/trial.js';
import type { Scenario } from '../../sim/scenario.js';
import { type FuzzAnswer, type FuzzRequest, tryWorld, type WorldKind } from './try-world.js';

export type FuzzThread = Thread<FuzzRequest, FuzzAnswer>;

/** The longest that one world may take, and one with all the smaller ones that are tried for it (ours: hundreds of times what they do take). */
const WORLD_MS = 120_000;
const MINIMISE_MS = 1_200_000;
/** More of it for each second of a longer world (ours): keep-alives of flows that a liar leaves open take a tenth of that. */
const LONGER_MS_PER_S = 100;
/** Worlds of one and the same fault that are made smaller: the others would come to the same. */
const MINIMISED_PER_CHECK = 1;
/** Checks that a thread fails, and not its world. */
const THREAD_FAULTS = new Set(['hang', 'thread']);

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
  readonly kind: WorldKind;
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
  private readonly minimised = new Map<string, number>();

  constructor(options: FuzzAllOptions) {
    this.options = options;
  }

  async run(): Promise<FuzzTotals> {
    const { jobs, count, firstSeed, kind, signal, start = startFuzzing } = this.options;
    await overThreads({
      count,
      jobs,
      signal,
      start,
      ask: (thread, number) => ask(thread, { ...kind, seed: firstSeed + number, minimise: false }, worldMs(kind)),
      take: (answer, number, thread) => this.take(firstSeed + number, answer, thread),
    });
    this.totals.findings.sort((one, other) => one.seed - other.seed);
    return this.totals;
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
    if (before >= MINIMISED_PER_CHECK || THREAD_FAULTS.has(check)) return null;
    this.minimised.set(check, before + 1);
    return (await ask(thread, { ...this.options.kind, seed, minimise: true }, MINIMISE_MS)).smallest;
  }
}

/** How long one world may take. */
function worldMs({ seconds = 0 }: WorldKind): number {
  return WORLD_MS + LONGER_MS_PER_S * seconds;
}

function startFuzzing(): FuzzThread {
  return startThread('apps/fuzz/fuzz.worker', tryWorld);
}

/** A thread that breaks down, or does not answer in `timeoutMs`, is a finding too, and is stopped. */
async function ask(thread: FuzzThread, request: FuzzRequest, timeoutMs: number): Promise<FuzzAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FuzzAnswer>((resolve) => {
    const sentence = `there was no end within ${timeoutMs / 1e3} s: one event may be going round for ever`;
    timer = setTimeout(() => resolve(broken('hang', sentence)), timeoutMs);
  });
  const answered = thread.ask(request).catch(({ message, stack }: Error) => broken('thread', message, stack));
  const answer = await Promise.race([answered, late]);
  clearTimeout(timer);
  if (THREAD_FAULTS.has(answer.trial.finding?.check ?? '')) await thread.stop();
  return answer;
}

function broken(check: string, sentence: string, stack = ''): FuzzAnswer {
  const finding = { check, sentence, atNs: 0, stack: stack === '' ? sentence : stack };
  return { trial: { finding, simulatedNs: 0, events: 0 }, smallest: null };
}
