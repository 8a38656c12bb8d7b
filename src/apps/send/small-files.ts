import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from '../../base/assert.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { Fault } from '../../services/file/fault.js';
import type { Message } from '../../services/file/message.js';
import { MOST_QUICK_BYTES } from '../../services/file/quick-files.js';
import type { SmallFile } from '../../services/file/send-file.js';
import { filesQuery, parseFilesOffer, questionsOf } from '../../services/file/series-question.js';
import type { Job } from './job.js';
import { type FileResult, skippedResult, verdictResult } from './report.js';
import type { SeriesTransfer } from './series-transfer.js';

/** Fewer small files are sent like large ones (ours). */
const LEAST_FILES = 8;
/** Files of one flow that are read, under way or without a verdict (ours): with 1 ms of round trip 64,000 a second. */
export const FILES_EACH = 64;

export interface SmallFilesOptions {
  readonly jobs: readonly Job[];
  /** Asks the receiver. */
  ask(question: Message): Promise<Message>;
  now(): number;
}

type Known = ReadonlyMap<Job, string | null>;

interface Question {
  readonly jobs: readonly Job[];
  answer: Promise<Known> | null;
  next: Question | null;
}

/** The small files of a run: what the receiver has of them, and how each is sent behind others. */
export class SmallFiles {
  readonly jobs: readonly Job[];
  private readonly options: SmallFilesOptions;
  private readonly questions = new Map<Job, Question>();
  /** The receiver is of an older version and takes one file a flow. */
  private isUnsupported = false;

  constructor(options: SmallFilesOptions) {
    this.options = options;
    const small = options.jobs.filter(isSmall);
    this.jobs = small.length < LEAST_FILES ? [] : small;
    let last: Question | null = null;
    for (const asked of questionsOf(this.jobs.map((job) => ({ ...job.header, job })))) {
      const question: Question = { jobs: asked.map(({ job }) => job), answer: null, next: null };
      for (const job of question.jobs) this.questions.set(job, question);
      if (last !== null) last.next = question;
      last = question;
    }
  }

  /** Sends a file unless the receiver has it. Null where the receiver takes no files in a row, or the file is not small any more. */
  async send(job: Job, series: SeriesTransfer): Promise<FileResult | null> {
    const existing = await this.known(job);
    const reading: { startNs: number; file: SmallFile | null } = { startNs: 0, file: null };
    const verdict = await series.send(async () => {
      reading.startNs = this.options.now();
      reading.file = this.isUnsupported ? null : await contentOf(job);
      if (reading.file?.sha256 !== existing) return reading.file;
      reading.file?.release();
      return null;
    });
    const isRefused = verdict?.code === 'unsupported';
    this.isUnsupported ||= isRefused;
    const { startNs, file } = reading;
    if (isRefused || (verdict === null && file === null)) return null;
    const { header } = file ?? job;
    if (verdict === null) return skippedResult(header, existing!);
    const durationNs = this.options.now() - startNs;
    return verdictResult(header, verdict, { durationNs, lostFrames: series.takeLostFrames() });
  }

  /** The SHA-256 of the file of this name and size at the receiver; null: there is none. The question behind is asked as well: its answer takes time. */
  private async known(job: Job): Promise<string | null> {
    const question = this.questions.get(job);
    assert(question !== undefined, 'each small file is asked about');
    const answer = this.answerOf(question);
    if (question.next !== null) this.answerOf(question.next).catch(() => undefined);
    return (await answer).get(job) ?? null;
  }

  private answerOf(question: Question): Promise<Known> {
    question.answer ??= this.ask(question.jobs);
    return question.answer;
  }

  private async ask(jobs: readonly Job[]): Promise<Known> {
    const answer = await this.options.ask(filesQuery(jobs.map(({ header }) => header)));
    if (answer.kind === 'verdict' && answer.code === 'unsupported') {
      this.isUnsupported = true;
      return new Map();
    }
    const offer = parseFilesOffer(answer, jobs.length);
    if (offer instanceof Fault) throw new Failure(ExitCode.failed, `the receiver's answer is wrong: ${offer.message}`);
    return new Map(jobs.map((job, at) => [job, offer[at]]));
  }
}

function isSmall({ isFolder, header }: Job): boolean {
  return isFolder !== true && header.bytes < MOST_QUICK_BYTES;
}

/** Its bytes are read before the first goes, so that one that changes or cannot be read disturbs no other. */
async function contentOf(job: Job): Promise<SmallFile | null> {
  await nextTurn();
  if (job.read !== undefined) return job.read();
  const source = await job.open();
  try {
    const parts: Uint8Array[] = [];
    for (let part = await source.next(); part !== null; part = await source.next()) parts.push(part);
    const { header, sha256 } = source;
    assert(sha256 !== null, 'a source that was read to its end has a digest');
    return { header, parts, sha256, release: () => undefined };
  } finally {
    await source.close();
  }
}

/** Begins with the first of `takers`. The others join once one is full when it says that it has done a job. Resolves when all are done. */
export async function spread<T extends { readonly isFull: boolean }>(
  takers: readonly T[],
  begin: (taker: T, onJobDone: () => void) => Promise<void>,
): Promise<void> {
  const [first, ...others] = takers;
  if (first === undefined) return;
  const joined: Promise<void>[] = [];
  const start = (taker: T): Promise<void> =>
    begin(taker, () => {
      if (joined.length === 0 && taker.isFull) joined.push(...others.map(start));
    });
  await start(first);
  await Promise.all(joined);
}
