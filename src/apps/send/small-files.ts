import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from '../../base/assert.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { Fault } from '../../services/file/fault.js';
import type { Message } from '../../services/file/message.js';
import { MOST_QUICK_BYTES } from '../../services/file/quick-files.js';
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

/** The small files of a run: what the receiver has of them, and how each is sent behind others. */
export class SmallFiles {
  readonly jobs: readonly Job[];
  private readonly options: SmallFilesOptions;
  private readonly questions = new Map<Job, { readonly jobs: readonly Job[]; answer: Promise<Known> | null }>();
  /** The receiver is of an older version and takes one file a flow. */
  private isUnsupported = false;

  constructor(options: SmallFilesOptions) {
    this.options = options;
    const small = options.jobs.filter(isSmall);
    this.jobs = small.length < LEAST_FILES ? [] : small;
    for (const asked of questionsOf(this.jobs.map((job) => ({ ...job.header, job })))) {
      const question = { jobs: asked.map(({ job }) => job), answer: null };
      for (const job of question.jobs) this.questions.set(job, question);
    }
  }

  /** Reads a file, and sends it unless the receiver has it. Null where the receiver takes no files in a row. */
  async send(job: Job, series: SeriesTransfer): Promise<FileResult | null> {
    const startNs = this.options.now();
    const existing = await this.known(job);
    if (this.isUnsupported) return null;
    const { header, parts, sha256 } = await contentOf(job);
    if (sha256 === existing) return skippedResult(header, sha256);
    const verdict = await series.send(parts, sha256);
    if (verdict.code === 'unsupported') {
      this.isUnsupported = true;
      return null;
    }
    const durationNs = this.options.now() - startNs;
    return verdictResult(header, verdict, { durationNs, lostFrames: series.takeLostFrames() });
  }

  /** The SHA-256 of the file of this name and size at the receiver; null: there is none. */
  private async known(job: Job): Promise<string | null> {
    const question = this.questions.get(job);
    assert(question !== undefined, 'each small file is asked about');
    question.answer ??= this.ask(question.jobs);
    return (await question.answer).get(job) ?? null;
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

/** The whole stream of a file: its bytes are read before the first goes, so that one that changes or cannot be read disturbs no other. */
async function contentOf(job: Job) {
  await nextTurn();
  const source = await job.open();
  try {
    const parts: Uint8Array[] = [];
    for (let part = await source.next(); part !== null; part = await source.next()) parts.push(part);
    const { header, sha256 } = source;
    assert(sha256 !== null, 'a source that was read to its end has a digest');
    return { header, parts, sha256 };
  } finally {
    await source.close();
  }
}
