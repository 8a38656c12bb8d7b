// Tested by test/loopback/queue.test.ts
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import type { Scenario } from '../../sim/scenario.js';
import type { PlayAnswer } from '../play/play.js';
import { newProgress, playInThread, type SimulationThread, startSimulation } from '../play/simulation-thread.js';
import { answerKey, PREFIX, type QueuedRun, QueueLink, queueTimes } from './link.js';
import { ATTEMPTS } from './run-on-queue.js';
import { pack, unpack } from './text-form.js';

/** What a worker says as it works. */
export type WorkEvent =
  | { readonly event: 'listening'; readonly queue: string; readonly stamp: string; readonly jobs: number }
  | {
      readonly event: 'run';
      readonly run: string;
      readonly scenario: string;
      readonly seed: number;
      readonly wall_s: number;
      readonly error: string | null;
    }
  | { readonly event: 'retry'; readonly run: string; readonly attempt: number; readonly error: string }
  | { readonly event: 'abandoned'; readonly run: string }
  | { readonly event: 'refused'; readonly sweep: string; readonly needs: string; readonly stamp: string }
  | { readonly event: 'draining'; readonly runs: number };

/** What a worker did, by runs. */
export interface WorkSummary {
  done: number;
  /** Of these with an error as their answer. */
  failed: number;
  /** Broken off here, and begun again by some worker. */
  retried: number;
  /** Of sweeps that had ended. */
  abandoned: number;
  /** Sweeps of other versions. */
  refused: number;
}

export interface ServeOptions {
  /** URL of the server. */
  readonly queue: string;
  /** Runs at a time. */
  readonly jobs: number;
  /** No new runs from then on; those under way are finished. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: WorkEvent) => void;
}

/** An answer stays for a sweep that is stopped or busy; then its run is played again (ours). */
const ANSWER_S = 3600;
/** Largest packed answer (ours): some answers fit into the memory of a small server; a run of the paper profile of `xpass figures` takes under 1 MiB. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
/** Names of sweeps of other versions that were said (ours); older ones would be said again. */
const MOST_REFUSED = 1000;

/** Plays runs of any sweep until `signal`. Rejects with a Failure where the server is lost. */
export async function serveRuns(options: ServeOptions): Promise<WorkSummary> {
  const link = await QueueLink.open(options.queue);
  try {
    return await new RunServer(link, options).serve();
  } finally {
    link.close();
  }
}

class RunServer {
  private readonly link: QueueLink;
  private readonly options: ServeOptions;
  private readonly name: string;
  private readonly idle: SimulationThread[] = [];
  private readonly busy = new Set<SimulationThread>();
  private readonly refused = new Set<string>();
  private readonly summary: WorkSummary = { done: 0, failed: 0, retried: 0, abandoned: 0, refused: 0 };
  /** Sweeps of this version that are there. */
  private sweeps = new Set<string>();

  constructor(link: QueueLink, options: ServeOptions) {
    this.link = link;
    this.options = options;
    this.name = `${link.stamp} ${hostname()} ${randomUUID()}`;
  }

  async serve(): Promise<WorkSummary> {
    const { link, options } = this;
    let fail: (error: unknown) => void = () => undefined;
    const broken = new Promise<never>((_, reject) => {
      fail = reject;
    });
    await this.beat();
    const worker = this.startWorker();
    const timer = setInterval(() => this.beat().catch(fail), queueTimes().beatMs);
    try {
      await Promise.race([link.lost, broken, link.answered(worker.waitUntilReady())]);
      const { stamp, address } = link;
      options.onEvent({ event: 'listening', queue: address.shown, stamp, jobs: options.jobs });
      await Promise.race([link.lost, broken, this.drained(worker)]);
      await link.withdraw('workers', this.name);
      return this.summary;
    } finally {
      clearInterval(timer);
      link.close();
      await Promise.all([...this.idle, ...this.busy].map((thread) => thread.stop()));
      await worker.close(true).catch(() => undefined);
    }
  }

  private startWorker(): Worker<QueuedRun> {
    const { Worker } = this.link.packages.bullmq;
    const { lockMs } = queueTimes();
    const worker = new Worker<QueuedRun>(this.link.queueName, (job) => this.play(job), {
      connection: this.link.connect(),
      prefix: PREFIX,
      concurrency: this.options.jobs,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      // Lost by its worker so often, and begun so often for any reason.
      maxStalledCount: ATTEMPTS - 1,
      maxStartedAttempts: ATTEMPTS,
    });
    worker.on('error', () => undefined);
    return worker;
  }

  private async drained(worker: Worker): Promise<void> {
    const { signal, onEvent } = this.options;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    onEvent({ event: 'draining', runs: this.busy.size });
    await worker.close();
  }

  /** Says that this worker is there, and looks which sweeps are. */
  private async beat(): Promise<void> {
    const { link } = this;
    await link.announce('workers', this.name);
    const present = await link.present('sweeps');
    this.sweeps = new Set(present.filter((sweep) => sweep.startsWith(`${link.stamp} `)));
    for (const sweep of present) if (!this.sweeps.has(sweep)) this.refuse(sweep);
  }

  private refuse(name: string): void {
    if (this.refused.has(name) || this.refused.size >= MOST_REFUSED) return;
    this.refused.add(name);
    this.summary.refused++;
    const [needs, sweep] = name.split(' ');
    this.options.onEvent({ event: 'refused', sweep, needs, stamp: this.link.stamp });
  }

  private async isWanted(sweep: string): Promise<boolean> {
    if (!this.sweeps.has(sweep)) await this.beat();
    return this.sweeps.has(sweep);
  }

  /** BullMQ begins a run again where this throws, or where the lock that it renews ends. */
  private async play(job: Job<QueuedRun>): Promise<void> {
    const { sweep } = job.data;
    const run = String(job.id);
    const scenario = unpack<Scenario>(Buffer.from(job.data.scenario, 'base64'));
    const answer = (await this.isWanted(sweep)) ? await this.answer(scenario, job) : null;
    if (answer === null) {
      this.summary.abandoned++;
      this.options.onEvent({ event: 'abandoned', run });
      return;
    }
    const error = 'error' in answer ? answer.error.message : null;
    if (!isFinal(answer) && job.attemptsStarted < ATTEMPTS) {
      this.summary.retried++;
      this.options.onEvent({ event: 'retry', run, attempt: job.attemptsStarted, error: String(error) });
      throw new Error(String(error));
    }
    await this.link.answered(this.link.redis.set(answerKey(run), packedAnswer(answer), 'EX', ANSWER_S));
    this.summary.done++;
    if (error !== null) this.summary.failed++;
    const wallS = 'run' in answer ? answer.wallS : 0;
    this.options.onEvent({ event: 'run', run, scenario: scenario.name, seed: scenario.seed, wall_s: wallS, error });
  }

  /** null: its sweep ended meanwhile. */
  private async answer(scenario: Scenario, job: Job<QueuedRun>): Promise<PlayAnswer | null> {
    const thread = this.idle.pop() ?? startSimulation();
    this.busy.add(thread);
    const shared = newProgress();
    const progress = new Float64Array(shared);
    let isWanted = true;
    let said = 0;
    const look = setInterval(() => {
      isWanted = this.sweeps.has(job.data.sweep);
      if (!isWanted) thread.stop();
      else if (progress[0] !== said) job.updateProgress({ part: progress[0] }).catch(() => undefined);
      said = progress[0];
    }, queueTimes().beatMs);
    try {
      const answer = await playInThread(thread, { scenario, progress: shared });
      return isWanted ? answer : null;
    } finally {
      clearInterval(look);
      this.busy.delete(thread);
      if (!thread.isOver) this.idle.push(thread);
    }
  }
}

/** A result, or a mistake of the scenario's author. What this machine lacks (memory, time) another may have; those errors have a stack or are no mistakes. */
function isFinal(answer: PlayAnswer): boolean {
  return 'run' in answer || (answer.error.isMistake && answer.error.stack === '');
}

function packedAnswer(answer: PlayAnswer): Buffer {
  const packed = pack(answer);
  if (packed.length <= MAX_ANSWER_BYTES) return packed;
  const message = `the result takes ${packed.length} B packed; the queue takes at most ${MAX_ANSWER_BYTES}: play it without --queue`;
  return pack({ error: { message, stack: '', isMistake: true } } satisfies PlayAnswer);
}
