/** Times that a run is begun before it counts as failed. */
export const ATTEMPTS = 3;
/** Short runs that one job takes together, ms of them and how many: the queue's own time is a few ms a job (ours). */
const BATCH_MS = 100;
const MOST_IN_BATCH = 32;
/** Jobs in the queue for each run that all workers play at a time: one that is played, one that waits. More would only make other sweeps wait. */
const JOBS_A_SLOT = 2;
/** Where nobody has said yet that it is there, and the most in any case (ours): a bound for what the server holds. */
const FEWEST_JOBS = 4;
const MOST_JOBS = 512;
/** The mean time of runs goes by about so many of the last ones (ours). */
const MEAN_OF = 16;

interface QueuedJob {
  /** Runs without an answer, in the order in which they are played. */
  readonly left: Set<number>;
  heardMs: number;
  /** Of the run under way. */
  part: number;
}

/** Which runs of a sweep are to be queued, are queued in which job, and are done. It decides nothing by a clock: times are arguments. */
export class RunLedger {
  readonly total: number;
  done = 0;
  private next = 0;
  /** Runs that go in again, each in a job of its own: one of them may be what breaks workers. */
  private readonly again: number[] = [];
  /** Runs that came back unplayed. */
  private readonly back: number[] = [];
  private readonly jobs = new Map<string, QueuedJob>();
  private readonly attempts = new Map<number, number>();
  /** The job that each queued run is in now. What another says of it is late. */
  private readonly jobOf = new Map<number, string>();
  private readonly isDone: Uint8Array;
  private meanMs = Number.POSITIVE_INFINITY;

  constructor(total: number) {
    this.total = total;
    this.isDone = new Uint8Array(total);
  }

  get isOver(): boolean {
    return this.done === this.total;
  }

  /** Names of the jobs in the queue. */
  get queued(): string[] {
    return [...this.jobs.keys()];
  }

  /** Of the runs under way, together. */
  get partUnderWay(): number {
    let parts = 0;
    for (const { part } of this.jobs.values()) parts += part % 1;
    return parts;
  }

  /** The jobs to queue now, where all workers play `slots` runs at a time. Each has to be given to `queue`. */
  batches(slots: number): number[][] {
    const most = Math.min(MOST_JOBS, Math.max(FEWEST_JOBS, JOBS_A_SLOT * slots));
    const room = most - this.jobs.size;
    const batches: number[][] = [];
    while (batches.length < room) {
      const alone = this.again.pop();
      const batch = alone === undefined ? this.takeBatch(most) : [alone];
      if (batch.length === 0) break;
      batches.push(batch);
    }
    return batches;
  }

  queue(job: string, indices: readonly number[], nowMs: number): void {
    this.jobs.set(job, { left: new Set(indices), heardMs: nowMs, part: 0 });
    for (const index of indices) this.jobOf.set(index, job);
  }

  /** A worker is at it. */
  hear(job: string, nowMs: number, part = 0): void {
    const queued = this.jobs.get(job);
    if (queued !== undefined) Object.assign(queued, { heardMs: nowMs, part });
  }

  /** False where the run is done already: two workers may give one answer. */
  answer(index: number, wallS: number | null): boolean {
    this.forget(index);
    if (this.isDone[index] === 1) return false;
    this.isDone[index] = 1;
    this.done++;
    if (wallS !== null) this.learn(wallS * 1e3);
    return true;
  }

  /** Another worker is to try; false where it was tried often enough. */
  broke(job: string, index: number, starts: number): boolean {
    if (this.jobOf.get(index) !== job) return true;
    this.forget(index);
    const attempts = (this.attempts.get(index) ?? 0) + starts;
    this.attempts.set(index, attempts);
    if (attempts < ATTEMPTS) this.again.push(index);
    return attempts < ATTEMPTS;
  }

  gaveBack(job: string, indices: readonly number[]): void {
    for (const index of indices) {
      if (this.jobOf.get(index) !== job) continue;
      this.forget(index);
      this.back.push(index);
    }
  }

  /** A job that is over or gone without all its answers: they are to be played again. */
  lost(job: string): void {
    this.gaveBack(job, [...(this.jobs.get(job)?.left ?? [])]);
  }

  /** A job that was begun ATTEMPTS times and lost its worker each time. The run that was under way then, which is the first without an answer; null if none. */
  gaveUp(job: string): number | null {
    const [culprit = null, ...others] = this.jobs.get(job)?.left ?? [];
    for (const index of others) {
      this.forget(index);
      this.again.push(index);
    }
    return culprit;
  }

  /** Jobs of which nothing was heard for `quietMs`; they count as heard now. */
  quiet(nowMs: number, quietMs: number): string[] {
    const quiet = [...this.jobs].filter(([, { heardMs }]) => nowMs - heardMs > quietMs);
    for (const [, job] of quiet) job.heardMs = nowMs;
    return quiet.map(([name]) => name);
  }

  /** As many as take BATCH_MS together, and fewer towards the end, so that all workers end at one time. */
  private takeBatch(mostJobs: number): number[] {
    const left = this.total - this.next + this.back.length;
    const size = Math.min(MOST_IN_BATCH, Math.floor(BATCH_MS / this.meanMs), Math.ceil(left / mostJobs));
    const batch: number[] = [];
    while (batch.length < Math.max(1, size)) {
      const index = this.back.pop() ?? (this.next < this.total ? this.next++ : undefined);
      if (index === undefined) break;
      batch.push(index);
    }
    return batch;
  }

  private learn(wallMs: number): void {
    this.meanMs = Number.isFinite(this.meanMs) ? this.meanMs + (wallMs - this.meanMs) / MEAN_OF : wallMs;
  }

  private forget(index: number): void {
    const name = this.jobOf.get(index);
    if (name === undefined) return;
    this.jobOf.delete(index);
    const job = this.jobs.get(name);
    job?.left.delete(index);
    if (job?.left.size === 0) this.jobs.delete(name);
  }
}
