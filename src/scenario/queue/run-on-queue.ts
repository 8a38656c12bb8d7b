// Tested by test/loopback/queue.test.ts
import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Scenario } from '../../sim/scenario.js';
import { patienceMs, withPatience } from '../play/patience.js';
import type { PlayAnswer } from '../play/play.js';
import { outcomeOf, type RunAllOptions } from '../play/run-all.js';
import { QueueLink, queueTimes } from './link.js';
import { type News, newsKey, PREFIX, type Present, type RunBatch, runsKey } from './messages.js';
import { ATTEMPTS, RunLedger } from './run-ledger.js';
import { pack, unpack } from './text-form.js';

/** As often as an eye follows (ours). */
const PROGRESS_MS = 100;
/** Patiences without a worker before a sweep gives up: workers may be started after it (ours). */
const PATIENCES = 15;
/** What a sweep that was killed leaves in the queue is gone a week after it (ours); its runs and answers go sooner. */
const LEFT_OVER_MS = 7 * 86_400e3;
/** Events of BullMQ that the server keeps: nobody reads them. */
const MOST_EVENTS = 10;
/** Other versions that are named to a sweep (ours). */
const MOST_STRANGERS = 10;

export interface QueueRunOptions extends Pick<RunAllOptions, 'onOutcome' | 'onProgress' | 'signal'> {
  /** URL of the server. */
  readonly queue: string;
  /** A line for people: who takes no runs, and why. */
  readonly say: (line: string) => void;
}

/**
 * As runAll, over all workers of a queue. Rejects with a Failure where the server is lost, or no worker shows itself for PATIENCES. Runs that are not
 * done then leave the queue.
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

class QueuedRuns {
  private readonly scenarios: readonly Scenario[];
  private readonly link: QueueLink;
  private readonly options: QueueRunOptions;
  private readonly ledger: RunLedger;
  private readonly who: Present;
  private readonly queue: Queue<RunBatch>;
  /** Runs whose scenarios the server need not keep any more. */
  private readonly over: number[] = [];
  private readonly strangers = new Set<string>();
  private failed = 0;
  private workers = 0;
  /** Runs that all workers play at a time. */
  private slots = 0;
  private jobs = 0;
  /** Signs of any worker: what ends the patience. */
  private signs = 0;
  /** News that were taken from the server and not yet looked at. */
  private unread = 0;
  private isOver = false;
  /** What comes is worked on one after the other. */
  private work: Promise<void> = Promise.resolve();
  private finish: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;

  constructor(scenarios: readonly Scenario[], link: QueueLink, options: QueueRunOptions) {
    this.scenarios = scenarios;
    this.link = link;
    this.options = options;
    this.ledger = new RunLedger(scenarios.length);
    this.who = { stamp: link.stamp, jobs: 0, id: randomUUID() };
    const { Queue } = link.packages.bullmq;
    const streams = { events: { maxLen: MOST_EVENTS } };
    this.queue = new Queue(link.queueName, { connection: link.redis, prefix: PREFIX, streams });
    this.queue.on('error', () => undefined);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    const finished = new Promise<void>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    const timers = [
      setInterval(() => this.report(), PROGRESS_MS),
      setInterval(() => void this.inTurn(() => this.beat()), queueTimes().beatMs),
    ];
    signal?.addEventListener('abort', this.finish);
    try {
      this.inTurn(() => this.beat());
      this.readNews().catch(this.fail);
      await Promise.race([this.link.lost, this.patiently(finished)]);
    } finally {
      this.isOver = true;
      for (const timer of timers) clearInterval(timer);
      signal?.removeEventListener('abort', this.finish);
      await this.leave();
    }
  }

  private patiently(finished: Promise<void>): Promise<void> {
    const { link, ledger } = this;
    return withPatience(finished, `no worker of xpass ${link.stamp} takes runs from ${link.address.shown}`, {
      takesMs: (PATIENCES - 1) * patienceMs(),
      progress: () => this.signs,
      lastHeard: () => `${ledger.done} of ${ledger.total} runs done`,
    });
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    this.work = this.work.then(async () => {
      if (!this.isOver) await step();
    });
    this.work.catch((error) => this.fail(error));
    return this.work;
  }

  /** Until the connection is closed. */
  private async readNews(): Promise<void> {
    const connection = this.link.connect();
    while (!this.isOver) {
      const popped = await connection.blpopBuffer(newsKey(this.who.id), 0).catch(() => null);
      // The connection ended, which `lost` says, or the server said no, which a beat says.
      if (popped === null) return;
      this.unread++;
      await this.inTurn(() => this.take(unpack<News>(popped[1])));
      this.unread--;
    }
  }

  private async take(news: News): Promise<void> {
    const { ledger } = this;
    const nowMs = performance.now();
    this.signs++;
    if (news.kind === 'part') return ledger.hear(news.job, nowMs, news.part);
    ledger.hear(news.job, nowMs);
    if (news.kind === 'back') ledger.gaveBack(news.job, news.indices);
    else if (news.kind === 'answer') await this.takeAnswer(news.index, news.answer);
    else if (!ledger.broke(news.job, news.index, news.starts)) {
      await this.takeAnswer(news.index, brokenRun(news.message));
    }
    await this.feed();
  }

  private async takeAnswer(index: number, answer: PlayAnswer): Promise<void> {
    if (!this.ledger.answer(index, 'run' in answer ? answer.wallS : null)) return;
    this.over.push(index);
    const outcome = outcomeOf(answer, index, this.scenarios[index]);
    if (outcome.error !== null) this.failed++;
    await this.options.onOutcome?.(outcome);
    this.report();
    if (this.ledger.isOver) this.finish();
  }

  /** Puts as many runs into the queue as it is to hold. */
  private async feed(): Promise<void> {
    const batches = this.ledger.batches(this.slots);
    if (batches.length === 0) return;
    const sweep = this.who.id;
    const jobs = batches.map((indices) => {
      const jobId = `${sweep}-${this.jobs++}`;
      this.ledger.queue(jobId, indices, performance.now());
      const opts = { jobId, removeOnComplete: true };
      return { name: 'runs', data: { sweep, indices }, opts };
    });
    const runs = new Map(batches.flat().map((index) => [`${index}`, pack(this.scenarios[index])]));
    const { goneMs } = queueTimes();
    const kept = this.link.redis.multi().hset(runsKey(sweep), runs).pexpire(runsKey(sweep), goneMs).exec();
    const added = this.queue
      .addBulk(jobs)
      .then(() => this.expire([...QUEUE_KEYS, ...jobs.map(({ opts }) => opts.jobId)]));
    await this.link.answered(Promise.all([kept, added]));
  }

  /** Keys of BullMQ, which sets no times: a list that ran empty and fills again has none either. */
  private async expire(names: readonly string[]): Promise<void> {
    const asked = this.link.redis.pipeline();
    for (const name of names) asked.pexpire(this.queue.toKey(name), LEFT_OVER_MS);
    await asked.exec();
  }

  private async beat(): Promise<void> {
    const { link, who, over } = this;
    await link.announce('sweeps', who);
    this.look(await link.present('workers'));
    const forgotten = over.splice(0);
    const asked = link.redis.pipeline().pexpire(runsKey(who.id), queueTimes().goneMs);
    if (forgotten.length > 0) asked.hdel(runsKey(who.id), ...forgotten.map(String));
    await link.answered(asked.exec());
    await this.lookAfter();
    await this.feed();
  }

  /** Counts the workers, and names those of other versions once. */
  private look(workers: readonly Present[]): void {
    const { stamp, address } = this.link;
    const ours = workers.filter((worker) => worker.stamp === stamp);
    if (ours.length > 0) this.signs++;
    this.workers = ours.length;
    this.slots = ours.reduce((sum, { jobs }) => sum + jobs, 0);
    for (const { stamp: other } of workers) {
      if (other === stamp || this.strangers.has(other) || this.strangers.size >= MOST_STRANGERS) continue;
      this.strangers.add(other);
      this.options.say(`workers of xpass ${other} take none of these runs, which need ${stamp}`);
    }
    if (this.workers === 0) this.sayOnce(`no worker of xpass ${stamp} at ${address.shown}: start one with xpass work`);
  }

  private saidMs = Number.NEGATIVE_INFINITY;

  private sayOnce(line: string): void {
    const nowMs = performance.now();
    if (nowMs - this.saidMs < patienceMs()) return;
    this.saidMs = nowMs;
    this.options.say(line);
  }

  /** Jobs of which nothing was heard for long: lost by their workers too often, or by a server that was started again without its data. */
  private async lookAfter(): Promise<void> {
    const { link, ledger, queue } = this;
    for (const job of ledger.quiet(performance.now(), queueTimes().lockMs)) {
      const state = await link.answered(queue.getJobState(job));
      if (state === 'failed') await this.giveUp(job);
      else if (state === 'unknown' && !(await this.hasUnread())) ledger.lost(job);
    }
  }

  /** A worker tells its news before its job is over, so they may be on their way. */
  private async hasUnread(): Promise<boolean> {
    return this.unread > 0 || (await this.link.answered(this.link.redis.llen(newsKey(this.who.id)))) > 0;
  }

  private async giveUp(name: string): Promise<void> {
    const job = await this.link.answered(this.queue.getJob(name));
    const culprit = this.ledger.gaveUp(name);
    if (culprit !== null) await this.takeAnswer(culprit, brokenRun(job?.failedReason ?? 'its workers were lost'));
    await this.link.answered(this.queue.remove(name));
  }

  /** What is not done leaves the queue; workers stop what they play of it when they see that the sweep is gone. */
  private async leave(): Promise<void> {
    await this.work.catch(() => undefined);
    const { link, who, queue, ledger } = this;
    if (link.redis.status === 'ready') {
      const left = ledger.queued.map((job) => queue.remove(job));
      const removed = Promise.allSettled([...left, link.redis.del(runsKey(who.id), newsKey(who.id))]);
      await link.answered(removed).catch(() => undefined);
      await link.withdraw('sweeps', who).catch(() => undefined);
    }
    link.close();
    await queue.close().catch(() => undefined);
  }

  private report(): void {
    const { done, total, partUnderWay } = this.ledger;
    const part = Math.min(1, (done + partUnderWay) / total);
    this.options.onProgress?.({ total, done, failed: this.failed, part, workers: this.workers });
  }
}

/** Of the queue itself, as BullMQ 6 names them; those that it does not have are no error. */
const QUEUE_KEYS = ['meta', 'id', 'wait', 'active', 'failed', 'events', 'stalled', 'marker'];

function brokenRun(why: string): PlayAnswer {
  const message = `${ATTEMPTS} workers began the run and none ended it: ${why}`;
  return { error: { message, stack: '', isMistake: false } };
}
