// Tested by test/loopback/queue.test.ts
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import type { Scenario } from '../../sim/scenario.js';
import type { PlayAnswer } from '../play/play.js';
import { newProgress, playInThread, type SimulationThread, startSimulation } from '../play/simulation-thread.js';
import { QueueLink, queueTimes } from './link.js';
import { type News, newsKey, PREFIX, type Present, type RunBatch, runsKey } from './messages.js';
import { ATTEMPTS } from './run-ledger.js';
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
  | { readonly event: 'broke'; readonly run: string; readonly attempt: number; readonly error: string }
  | { readonly event: 'abandoned'; readonly run: string }
  | { readonly event: 'refused'; readonly sweep: string; readonly needs: string; readonly stamp: string }
  | { readonly event: 'handed_back'; readonly runs: number };

/** What a worker did, by runs. */
export interface WorkSummary {
  done: number;
  /** Of these with an error as their answer. */
  failed: number;
  /** Broken here, and begun again by some worker. */
  broke: number;
  /** Handed back when this worker was stopped. */
  handed_back: number;
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
  /** Runs under way go back to their sweeps then. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: WorkEvent) => void;
  /** For tests. */
  readonly start?: (() => SimulationThread) | undefined;
}

/** Largest packed answer (ours): some fit into the memory of a small server; a run of the paper profile of `xpass figures` takes under 1 MiB. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
/** Names of sweeps of other versions that were said (ours); more are counted. */
const MOST_REFUSED = 1000;
/** A batch that takes longer than this gives back what it has not begun (ours): its sweep took its runs for short ones. */
const BATCH_MOST_MS = 250;
/** How often a worker looks for a job where nothing tells it of one, and tries again where the server failed (ours). */
const LOOK_S = 1;
/** Beats without a sign of its sweep after which a run is stopped: the first may be of before the run. */
const MISSED_BEATS = 2;

/** Plays runs of any sweep until `signal`. Rejects with a Failure where the server is lost. */
export async function serveRuns(options: ServeOptions): Promise<WorkSummary> {
  const link = await QueueLink.open(options.queue);
  try {
    return await new RunServer(link, options).serve();
  } finally {
    link.close();
  }
}

/** A job, as a worker plays it. */
interface Batch {
  readonly job: Job<RunBatch>;
  readonly name: string;
  readonly sweep: string;
  /** Not begun. */
  readonly left: number[];
  /** null: none is under way. */
  thread: SimulationThread | null;
  /** Nobody wants it any more, or this worker stops. */
  isOver: boolean;
  missedBeats: number;
}

class RunServer {
  private readonly link: QueueLink;
  private readonly options: ServeOptions;
  private readonly who: Present;
  private readonly idle: SimulationThread[] = [];
  private readonly batches = new Set<Batch>();
  private readonly refused = new Set<string>();
  private readonly summary: WorkSummary = { done: 0, failed: 0, broke: 0, handed_back: 0, abandoned: 0, refused: 0 };

  constructor(link: QueueLink, options: ServeOptions) {
    this.link = link;
    this.options = options;
    this.who = { stamp: link.stamp, jobs: options.jobs, id: `${hostname()}/${randomUUID()}` };
  }

  async serve(): Promise<WorkSummary> {
    const { link, options, who } = this;
    let fail: (error: unknown) => void = () => undefined;
    const broken = new Promise<never>((_, reject) => {
      fail = reject;
    });
    broken.catch(() => undefined);
    await this.beat();
    const worker = this.startWorker();
    const timer = setInterval(() => this.beat().catch(fail), queueTimes().beatMs);
    try {
      await Promise.race([link.lost, broken, link.answered(worker.waitUntilReady())]);
      const { stamp, address } = link;
      options.onEvent({ event: 'listening', queue: address.shown, stamp, jobs: options.jobs });
      await Promise.race([link.lost, broken, this.stopped(worker)]);
      await link.withdraw('workers', who);
      return this.summary;
    } finally {
      clearInterval(timer);
      link.close();
      for (const { thread } of this.batches) thread?.stop();
      await Promise.all(this.idle.map((thread) => thread.stop()));
      await worker.close(true).catch(() => undefined);
    }
  }

  private startWorker(): Worker<RunBatch> {
    const { Worker } = this.link.packages.bullmq;
    const { lockMs } = queueTimes();
    const worker = new Worker<RunBatch>(this.link.queueName, (job) => this.play(job), {
      connection: this.link.connect(),
      prefix: PREFIX,
      concurrency: this.options.jobs,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: ATTEMPTS - 1,
      drainDelay: LOOK_S,
      runRetryDelay: LOOK_S * 1e3,
    });
    worker.on('error', () => undefined);
    return worker;
  }

  /** After the signal, when the runs under way are their sweeps' again. */
  private async stopped(worker: Worker): Promise<void> {
    const { signal, onEvent } = this.options;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const closed = worker.close();
    const before = this.summary.handed_back;
    for (const batch of this.batches) this.end(batch);
    await this.link.answered(closed);
    onEvent({ event: 'handed_back', runs: this.summary.handed_back - before });
  }

  /** Says that this worker is there, and looks which sweeps are. */
  private async beat(): Promise<void> {
    const { link } = this;
    await link.announce('workers', this.who);
    const sweeps = await link.present('sweeps');
    for (const sweep of sweeps) if (sweep.stamp !== link.stamp) this.refuse(sweep);
    const wanted = new Set(sweeps.map(({ id }) => id));
    for (const batch of this.batches) {
      batch.missedBeats = wanted.has(batch.sweep) ? 0 : batch.missedBeats + 1;
      if (batch.missedBeats >= MISSED_BEATS) this.end(batch);
    }
  }

  private refuse({ stamp: needs, id: sweep }: Present): void {
    if (this.refused.has(sweep)) return;
    this.summary.refused++;
    if (this.refused.size >= MOST_REFUSED) return;
    this.refused.add(sweep);
    this.options.onEvent({ event: 'refused', sweep, needs, stamp: this.link.stamp });
  }

  private end(batch: Batch): void {
    batch.isOver = true;
    batch.thread?.stop();
  }

  /** BullMQ gives a job to another worker where the lock that it renews ends. */
  private async play(job: Job<RunBatch>): Promise<void> {
    const { sweep, indices } = job.data;
    const batch: Batch = {
      job,
      name: String(job.id),
      sweep,
      left: [...indices],
      thread: null,
      isOver: this.options.signal.aborted,
      missedBeats: 0,
    };
    this.batches.add(batch);
    // Where this fails the link is lost, which says so.
    const giveBack = (): void => void this.giveBack(batch, batch.left.splice(0)).catch(() => undefined);
    const late = setTimeout(giveBack, BATCH_MOST_MS);
    try {
      const packed = await this.link.answered(this.link.redis.hmgetBuffer(runsKey(sweep), ...indices.map(String)));
      const scenarios = new Map(indices.map((index, at) => [index, packed[at]]));
      await this.playAll(batch, scenarios);
    } finally {
      clearTimeout(late);
      this.batches.delete(batch);
    }
  }

  private async playAll(batch: Batch, scenarios: ReadonlyMap<number, Buffer | null>): Promise<void> {
    for (let index = batch.left.shift(); index !== undefined; index = batch.left.shift()) {
      const packed = scenarios.get(index) ?? null;
      if (packed === null || batch.isOver) {
        // Done already, or its sweep is gone: only the sweep knows.
        if (packed === null) this.abandon(`${batch.name}/${index}`);
        await this.giveBack(batch, [index, ...batch.left.splice(0)]);
      } else await this.playOne(batch, index, unpack<Scenario>(packed));
    }
  }

  private async playOne(batch: Batch, index: number, scenario: Scenario): Promise<void> {
    const { job, name } = batch;
    const run = `${name}/${index}`;
    const answer = await this.answer(batch, index, scenario);
    const error = 'error' in answer ? answer.error.message : null;
    if (batch.isOver && error !== null) {
      if (batch.missedBeats > 0) return this.abandon(run);
      return this.giveBack(batch, [index, ...batch.left.splice(0)]);
    }
    if (!isFinal(answer)) {
      const starts = job.attemptsStarted;
      this.summary.broke++;
      this.options.onEvent({ event: 'broke', run, attempt: starts, error: String(error) });
      return this.tell(batch, pack({ kind: 'broke', job: name, index, starts, message: String(error) } satisfies News));
    }
    await this.tell(batch, packedAnswer(name, index, answer));
    this.summary.done++;
    if (error !== null) this.summary.failed++;
    const wallS = 'run' in answer ? answer.wallS : 0;
    this.options.onEvent({ event: 'run', run, scenario: scenario.name, seed: scenario.seed, wall_s: wallS, error });
  }

  private async answer(batch: Batch, index: number, scenario: Scenario): Promise<PlayAnswer> {
    const { start = startSimulation } = this.options;
    const thread = this.idle.pop() ?? start();
    batch.thread = thread;
    const shared = newProgress();
    const progress = new Float64Array(shared);
    let said = 0;
    const look = setInterval(() => {
      const part = progress[0];
      if (part === said || batch.isOver) return;
      said = part;
      this.tell(batch, pack({ kind: 'part', job: batch.name, index, part } satisfies News)).catch(() => undefined);
    }, queueTimes().beatMs);
    try {
      return await playInThread(thread, { scenario, progress: shared });
    } finally {
      clearInterval(look);
      batch.thread = null;
      if (!thread.isOver) this.idle.push(thread);
    }
  }

  private abandon(run: string): void {
    this.summary.abandoned++;
    this.options.onEvent({ event: 'abandoned', run });
  }

  private async giveBack(batch: Batch, indices: readonly number[]): Promise<void> {
    if (indices.length === 0) return;
    if (this.options.signal.aborted) this.summary.handed_back += indices.length;
    await this.tell(batch, pack({ kind: 'back', job: batch.name, indices } satisfies News));
  }

  /** What a sweep that is gone was told is gone as soon. */
  private async tell({ sweep }: Batch, news: Buffer): Promise<void> {
    const key = newsKey(sweep);
    const told = await this.link.answered(
      this.link.redis.multi().rpush(key, news).pexpire(key, queueTimes().goneMs).exec(),
    );
    for (const [error] of told ?? []) if (error !== null) throw error;
  }
}

/** A result, or a mistake of the scenario's author. What this machine lacks (memory, time) another may have; those errors have a stack or are no mistakes. */
function isFinal(answer: PlayAnswer): boolean {
  return 'run' in answer || (answer.error.isMistake && answer.error.stack === '');
}

function packedAnswer(job: string, index: number, answer: PlayAnswer): Buffer {
  const packed = pack({ kind: 'answer', job, index, answer } satisfies News);
  if (packed.length <= MAX_ANSWER_BYTES) return packed;
  const message = `the result takes ${packed.length} B packed; the queue takes at most ${MAX_ANSWER_BYTES}: play it without --queue`;
  const error = { message, stack: '', isMistake: true };
  return pack({ kind: 'answer', job, index, answer: { error } } satisfies News);
}
