// Tested by test/loopback/queue.test.ts
import { randomUUID } from 'node:crypto';
import type { Queue, QueueEvents } from 'bullmq';
import type { Scenario } from '../../sim/scenario.js';
import { patienceMs, withPatience } from '../play/patience.js';
import type { PlayAnswer } from '../play/play.js';
import { outcomeOf, type RunAllOptions } from '../play/run-all.js';
import { answerKey, PREFIX, type QueuedRun, QueueLink, queueTimes } from './link.js';
import { pack, unpack } from './text-form.js';

/** Times that a run is begun before it counts as failed. */
export const ATTEMPTS = 3;
/** Runs of one sweep in the queue at a time (ours): enough for 64 workers of 8 cores, and a bound for what the server holds. */
const MOST_QUEUED = 512;
/** New runs go in when this many fit: one round trip for many. */
const BATCH = 64;
const PROGRESS_MS = 100;
/** Patiences without a sign of any worker before a sweep gives up: workers may be started after it (ours). */
const PATIENCES = 15;

export interface QueueRunOptions extends Pick<RunAllOptions, 'onOutcome' | 'onProgress' | 'signal'> {
  /** URL of the server. */
  readonly queue: string;
  /** A line for people: nobody takes the runs. */
  readonly say: (line: string) => void;
}

/**
 * As runAll, over all workers of a queue. Rejects with a Failure where the server is lost, or no worker shows itself for PATIENCES. Runs that are
 * not done then leave the queue.
 */
export async function runOnQueue(scenarios: readonly Scenario[], options: QueueRunOptions): Promise<void> {
  if (options.signal?.aborted === true || scenarios.length === 0) return;
  const link = await QueueLink.open(options.queue);
  try {
    await new QueuedRuns(scenarios, link, options).run();
  } finally {
    link.close();
  }
}

/** A run that is in the queue. */
interface Waiting {
  readonly index: number;
  part: number;
  heardMs: number;
}

class QueuedRuns {
  private readonly scenarios: readonly Scenario[];
  private readonly link: QueueLink;
  private readonly options: QueueRunOptions;
  private readonly id = randomUUID();
  private readonly name: string;
  private readonly queue: Queue<QueuedRun>;
  private readonly waiting = new Map<string, Waiting>();
  private next = 0;
  private done = 0;
  private failed = 0;
  /** Signs of any worker: what ends the patience. */
  private signs = 0;
  private isOver = false;
  /** What comes is worked on one after the other. */
  private work: Promise<void> = Promise.resolve();
  private finish: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;

  constructor(scenarios: readonly Scenario[], link: QueueLink, options: QueueRunOptions) {
    this.scenarios = scenarios;
    this.link = link;
    this.options = options;
    this.name = `${link.stamp} ${this.id}`;
    const { Queue } = link.packages.bullmq;
    this.queue = new Queue(link.queueName, { connection: link.redis, prefix: PREFIX });
    this.queue.on('error', () => undefined);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    const finished = new Promise<void>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    const events = await this.listen();
    const timers = [
      setInterval(() => this.report(), PROGRESS_MS),
      setInterval(() => this.inTurn(() => this.beat()), queueTimes().beatMs),
    ];
    signal?.addEventListener('abort', this.finish);
    try {
      this.inTurn(() => this.beat());
      this.inTurn(() => this.feed());
      await Promise.race([this.link.lost, this.patiently(finished)]);
    } finally {
      this.isOver = true;
      for (const timer of timers) clearInterval(timer);
      signal?.removeEventListener('abort', this.finish);
      await this.leave(events);
    }
  }

  private patiently(finished: Promise<void>): Promise<void> {
    return withPatience(finished, `no worker of xpass ${this.link.stamp} takes runs from ${this.link.address.shown}`, {
      takesMs: (PATIENCES - 1) * patienceMs(),
      progress: () => this.signs,
      lastHeard: () => `${this.done} of ${this.scenarios.length} runs done`,
    });
  }

  /** From now on, by the server's clock: what happens before the first read is read too. */
  private async listen(): Promise<QueueEvents> {
    const { QueueEvents } = this.link.packages.bullmq;
    const lastEventId = `${await this.link.serverMs()}-0`;
    const events = new QueueEvents(this.link.queueName, {
      connection: this.link.connect(),
      prefix: PREFIX,
      lastEventId,
    });
    events.on('error', () => undefined);
    events.on('active', ({ jobId }) => this.hear(jobId));
    events.on('progress', ({ jobId, data }) => this.hear(jobId, Number((data as { part?: number }).part ?? 0)));
    events.on('completed', ({ jobId }) => this.inTurn(() => this.collect(jobId)));
    events.on('failed', ({ jobId, failedReason }) => this.inTurn(() => this.giveUp(jobId, failedReason)));
    await this.link.answered(events.waitUntilReady());
    return events;
  }

  /** Of any sweep: a worker that has other runs to do is there. */
  private hear(job: string, part = 0): void {
    this.signs++;
    const run = this.waiting.get(job);
    if (run !== undefined) Object.assign(run, { part, heardMs: performance.now() });
  }

  private inTurn(step: () => Promise<void>): void {
    this.work = this.work.then(async () => {
      if (!this.isOver) await step();
    });
    this.work.catch((error) => this.fail(error));
  }

  private async feed(): Promise<void> {
    const room = MOST_QUEUED - this.waiting.size;
    const left = this.scenarios.length - this.next;
    if (left === 0 || room < Math.min(BATCH, left)) return;
    const indices = Array.from({ length: Math.min(room, left) }, (_, at) => this.next + at);
    this.next += indices.length;
    for (let at = 0; at < indices.length; at += BATCH) await this.put(indices.slice(at, at + BATCH));
  }

  private async put(indices: readonly number[]): Promise<void> {
    const jobs = indices.map((index) => {
      const jobId = `${this.id}-${index}`;
      this.waiting.set(jobId, { index, part: 0, heardMs: performance.now() });
      const data = { sweep: this.name, scenario: pack(this.scenarios[index]).toString('base64') };
      return { name: 'run', data, opts: { jobId, attempts: ATTEMPTS, removeOnComplete: true, removeOnFail: true } };
    });
    await this.link.answered(this.queue.addBulk(jobs));
  }

  /** The answer to a run, once: one that two workers gave is the same. No answer means that it is lost, so the run goes in again. */
  private async collect(job: string): Promise<void> {
    this.signs++;
    const run = this.waiting.get(job);
    if (run === undefined) return;
    const packed = await this.link.answered(this.link.redis.getdelBuffer(answerKey(job)));
    if (packed === null) return this.put([run.index]);
    await this.take(job, unpack<PlayAnswer>(packed));
  }

  private async giveUp(job: string, reason: string): Promise<void> {
    if (!this.waiting.has(job)) return;
    const message = `${ATTEMPTS} workers began the run and none ended it: ${reason}`;
    await this.take(job, { error: { message, stack: '', isMistake: false } });
  }

  private async take(job: string, answer: PlayAnswer): Promise<void> {
    const run = this.waiting.get(job) as Waiting;
    this.waiting.delete(job);
    const outcome = outcomeOf(answer, run.index, this.scenarios[run.index]);
    this.done++;
    if (outcome.error !== null) this.failed++;
    await this.options.onOutcome?.(outcome);
    this.report();
    if (this.done === this.scenarios.length) this.finish();
    else await this.feed();
  }

  private async beat(): Promise<void> {
    await this.link.announce('sweeps', this.name);
    if (this.options.signal?.aborted === true) return;
    await this.lookAfter();
  }

  /** Runs that nothing was heard of for long: the server may have been started again without its data, or an event was missed. */
  private async lookAfter(): Promise<void> {
    const { lockMs } = queueTimes();
    const nowMs = performance.now();
    const quiet = [...this.waiting].filter(([, { heardMs }]) => nowMs - heardMs > lockMs).slice(0, BATCH);
    if (quiet.length > 0) await this.sayWhoIsThere();
    for (const [job, run] of quiet) {
      run.heardMs = nowMs;
      const state = await this.link.answered(this.queue.getJobState(job));
      if (state === 'unknown') await this.collect(job);
    }
  }

  private saidMs = Number.NEGATIVE_INFINITY;

  private async sayWhoIsThere(): Promise<void> {
    const { stamp, address } = this.link;
    const nowMs = performance.now();
    if (nowMs - this.saidMs < patienceMs()) return;
    this.saidMs = nowMs;
    const workers = await this.link.present('workers');
    const ours = workers.filter((name) => name.startsWith(`${stamp} `)).length;
    if (ours > 0) return;
    const others = workers.length === 0 ? '' : `; ${workers.length} of other versions`;
    this.options.say(`no worker of xpass ${stamp} at ${address.shown}${others}: xpass work --queue ... starts one`);
  }

  /** What is not done leaves the queue; workers stop what they play of it when they see that the sweep is gone. */
  private async leave(events: QueueEvents): Promise<void> {
    await this.work.catch(() => undefined);
    const isThere = this.link.redis.status === 'ready';
    if (isThere) {
      const jobs = [...this.waiting.keys()];
      const removed = Promise.allSettled(jobs.map((job) => this.queue.remove(job)));
      await this.link.answered(removed).catch(() => undefined);
      await this.link.withdraw('sweeps', this.name).catch(() => undefined);
    }
    this.link.close();
    await Promise.allSettled([events.close(), this.queue.close()]);
  }

  private report(): void {
    const { done, failed } = this;
    const total = this.scenarios.length;
    const underWay = [...this.waiting.values()].reduce((sum, { part }) => sum + (part % 1), 0);
    this.options.onProgress?.({ total, done, failed, part: Math.min(1, (done + underWay) / total) });
  }
}
