// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ErrorCode, XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { Host } from '../../net/host.js';
import type { FlowOptions } from '../../net/host-options.js';
import type { TerminalShape } from '../../report/terminal.js';
import { DISCARD_KIND } from '../../services/discard.js';
import { Fault } from '../../services/file/fault.js';
import { parseFileOffer } from '../../services/file/file-offer.js';
import { encodeMessage, type Message } from '../../services/file/message.js';
import { LEAST_RESUMED_BYTES } from '../../services/file/prefix-hashes.js';
import { parseVerdict } from '../../services/file/verdict.js';
import { type CommandHostSettings, openCommandHost, type Target } from '../shared/command-host.js';
import { FileQuestion } from './file-question.js';
import { FileTransfer, type HashedSource } from './file-transfer.js';
import type { Job, SendableSource } from './job.js';
import { ProgressDisplay } from './progress.js';
import type { RateLimiter } from './rate-limiter.js';
import { type FileResult, failedResult, type SentEntry, skippedResult, verdictResult } from './report.js';
import { SeriesTransfer } from './series-transfer.js';
import { FILES_EACH, SmallFiles, spread } from './small-files.js';

/**
 * A source again and again, under the header of a stream that its receiver reads and forgets: everything that sending a file does, without a file at
 * the other end.
 */
export class EndlessSource implements HashedSource {
  readonly sha256 = null;
  private readonly open: () => Promise<HashedSource>;
  private current: HashedSource | null = null;
  private isBegun = false;

  constructor(open: () => Promise<HashedSource>) {
    this.open = open;
  }

  async next(): Promise<Uint8Array> {
    if (!this.isBegun) {
      this.isBegun = true;
      return encodeMessage({ kind: DISCARD_KIND });
    }
    for (;;) {
      this.current ??= await this.open();
      const chunk = await this.current.next();
      if (chunk !== null) return chunk;
      await this.close();
    }
  }

  async close(): Promise<void> {
    const { current } = this;
    this.current = null;
    await current?.close();
  }
}

/** Who says when to send, and how to tell them that everything is ready. */
export interface Hold {
  readonly input: NodeJS.ReadableStream;
  ready(): void;
}

export interface SendRunOptions {
  readonly settings: CommandHostSettings;
  readonly target: Target;
  readonly logger: Logger;
  readonly terminal: NodeJS.WritableStream & TerminalShape;
  readonly jobs: readonly Job[];
  /** Of each file's flow. */
  readonly share: FlowOptions;
  /** Files under way at a time. */
  readonly parallel: number;
  readonly limiter: RateLimiter;
  /** Nothing is drawn. */
  readonly isQuiet: boolean;
  /** How long to send to nowhere first; Infinity until a first line comes for `Hold`, before the one that it waits for; undefined for not at all. */
  readonly warmUpNs?: number | undefined;
}

/** One try at a file. */
interface Attempt {
  readonly host: Host;
  readonly isAsked: boolean;
  /** When the first try began, and how far this one is. */
  readonly at: { readonly startNs: number; sentBytes: () => number };
}

/** What all files of a run are sent with. */
interface Lanes {
  readonly host: Host;
  readonly display: ProgressDisplay;
}

/** How one of them is sent. */
interface Sending extends Lanes {
  send(at: Attempt['at']): Promise<FileResult>;
}

/** Flows that carry small files in a row on a long path (ours). On a short one a single flow fills the link, and of more the receiver drops credits. */
const MOST_SERIES = 4;
/** Bytes under way on a flow that is full (ours): half of the default receive window. */
const MUCH_UNDER_WAY_BYTES = 2 * 1_048_576;

/** A flow for small files, opened for the first of them, and again after it was lost. */
class LazySeries {
  private readonly open: () => SeriesTransfer;
  private series: SeriesTransfer | null = null;

  constructor(open: () => SeriesTransfer) {
    this.open = open;
  }

  get(): SeriesTransfer {
    if (this.series === null || this.series.isOver) this.series = this.open();
    return this.series;
  }

  /** The receive window is about to bound it. */
  get isFull(): boolean {
    return this.series !== null && this.series.bytesUnderWay > MUCH_UNDER_WAY_BYTES;
  }

  async end(): Promise<void> {
    await this.series?.end();
  }
}

/** Offers that are asked for before a file is sent from its start (ours): one is enough unless somebody else sends the same. */
const MOST_OFFERS = 3;

/** Ends a warm-up. */
const WARM = new Failure(ExitCode.done, 'warmed up');

/** Errors of one flow after which another may well succeed. All others are of the peer or of our own set-up. */
const OF_ONE_FLOW: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['reset', 'protocol']);

/** Sends a list of files to one host, `parallel` of them at a time, in their order. */
export class SendRun {
  /** By the place of the file in the list. */
  readonly outcomes: FileResult[];
  private readonly places: ReadonlyMap<Job, number>;
  /** Why files were not sent that come after; null when all had their turn. */
  fatal: Failure | null = null;
  private readonly options: SendRunOptions;
  private readonly transfers = new Set<FileTransfer | FileQuestion | SeriesTransfer>();
  private readonly stopped: Promise<null>;
  private resolveStopped: () => void = () => undefined;
  /** The target's number. */
  private peer = 0;

  constructor(options: SendRunOptions) {
    this.options = options;
    this.outcomes = options.jobs.map(({ header }) => {
      return failedResult(header, 'notSent', `'${header.name}' was not sent`);
    });
    this.places = new Map(options.jobs.map((job, at) => [job, at]));
    this.stopped = new Promise((resolve) => {
      this.resolveStopped = () => resolve(null);
    });
  }

  /** Resolves when every file has its outcome, or after `stop`. Throws XpassError when no host can be opened. */
  async run(hold: Hold | null): Promise<void> {
    const host = await Promise.race([this.open(), this.stopped]);
    if (host === null) return;
    try {
      await Promise.race([this.prepare(host, hold), this.stopped]);
      if (this.fatal === null) await this.sendAll(host);
    } finally {
      await host.destroy();
    }
  }

  /** Gives up what is under way and begins nothing else. */
  stop(failure: Failure): void {
    if (this.fatal !== null) return;
    this.fatal = failure;
    for (const transfer of this.transfers) transfer.abort(failure);
    this.resolveStopped();
  }

  private async open(): Promise<Host> {
    const { settings, target, logger } = this.options;
    const host = await openCommandHost({ settings, place: target.place, logger });
    host.once('detached', (error) => this.stop(failureOf(error) as Failure));
    this.peer = await host.resolve(target.to);
    return host;
  }

  /** Everything that comes before the files. */
  private async prepare(host: Host, hold: Hold | null): Promise<void> {
    const { warmUpNs } = this.options;
    if (hold !== null && warmUpNs === Number.POSITIVE_INFINITY) await this.warmUp(host, this.wait(hold));
    else if (warmUpNs !== undefined) await this.warmUp(host, sleep(warmUpNs / 1e6));
    if (hold !== null && this.fatal === null) await this.wait(hold);
  }

  /** Sends the first file to nowhere until `end`, so that both processes have their code compiled when something begins that counts. */
  private async warmUp(host: Host, end: Promise<void>): Promise<void> {
    const { logger, jobs } = this.options;
    if (jobs.length === 0) return;
    const source = new EndlessSource(() => jobs[0].open());
    const transfer = this.newTransfer(host, source, logger);
    this.transfers.add(transfer);
    void end.then(() => transfer.abort(WARM));
    try {
      await transfer.send();
    } catch (error) {
      if (error === WARM || this.fatal !== null) return;
      if (!(error instanceof XpassError)) throw error;
      this.stop(failureOf(error) as Failure);
    } finally {
      this.transfers.delete(transfer);
    }
  }

  private async wait({ input, ready }: Hold): Promise<void> {
    ready();
    if ((await Promise.race([goAhead(input), this.stopped])) === false) {
      this.stop(new Failure(ExitCode.failed, 'standard input ended before the line that --hold waits for'));
    }
  }

  private async sendAll(host: Host): Promise<void> {
    const { terminal, jobs, parallel, isQuiet } = this.options;
    const display = new ProgressDisplay(terminal, () => host.now(), jobs);
    if (!isQuiet) display.start();
    try {
      const small = this.smallFiles(host);
      const isSmall = new Set(small.jobs);
      const large = jobs.filter((job) => job.isFolder !== true && !isSmall.has(job));
      const lanes = { host, display };
      // A part of the flows carries small files in a row; one flow alone carries first these, then the others.
      const flows = small.jobs.length === 0 ? 0 : Math.min(MOST_SERIES, Math.ceil(parallel / 4));
      const sending = this.sendSmall(small, flows, lanes);
      if (flows === parallel) await sending;
      await Promise.all([sending, this.sendEach(large, Math.max(1, parallel - flows), lanes)]);
      await this.sendEach(
        jobs.filter(({ isFolder }) => isFolder === true),
        parallel,
        lanes,
      );
    } finally {
      display.stop();
    }
  }

  private smallFiles(host: Host): SmallFiles {
    const { jobs, logger } = this.options;
    return new SmallFiles({
      jobs,
      now: () => host.now(),
      ask: (asked) => {
        const question = new FileQuestion({ host, logger, peer: this.peer });
        return this.during(question, () => question.ask(asked));
      },
    });
  }

  /** `lanes` at a time, in their order. */
  private async sendEach(jobs: readonly Job[], lanes: number, { host, display }: Lanes): Promise<void> {
    await this.inLanes(jobs.values(), lanes, (job) =>
      this.sendOne(job, { host, display, send: (shown) => this.tryAll(job, host, shown) }),
    );
  }

  /** On one flow, and on all of them once a window bounds it. The first has as many files under way as all may have. */
  private async sendSmall(small: SmallFiles, flows: number, { host, display }: Lanes): Promise<void> {
    const jobs = small.jobs.values();
    const series = Array.from({ length: flows }, () => new LazySeries(() => this.openSeries(host)));
    await spread(series, (flow, onJobDone) =>
      this.inLanes(jobs, flow === series[0] ? flows * FILES_EACH : FILES_EACH, async (job) => {
        const send = (shown: Attempt['at']) => this.sendInRow(job, small, flow.get(), { host, shown });
        const result = await this.sendOne(job, { host, display, send });
        onJobDone();
        return result;
      }),
    );
    await Promise.all(series.map((flow) => flow.end()));
  }

  private async sendInRow(
    job: Job,
    small: SmallFiles,
    series: SeriesTransfer,
    { host, shown }: { host: Host; shown: Attempt['at'] },
  ): Promise<FileResult> {
    const result = await small.send(job, series);
    // Another sender may have been faster with the same, and an older receiver takes one file a flow.
    if (result === null) return this.tryAll(job, host, shown);
    return result.code === 'exists' ? this.unlessThere(job, host, result) : result;
  }

  private openSeries(host: Host): SeriesTransfer {
    const { logger, share, limiter } = this.options;
    if (this.fatal !== null) throw this.fatal;
    const series = new SeriesTransfer({ host, logger, peer: this.peer, share, limiter });
    this.transfers.add(series);
    return series;
  }

  private async inLanes(jobs: Iterator<Job>, lanes: number, send: (job: Job) => Promise<FileResult>): Promise<void> {
    const lane = async (): Promise<void> => {
      while (this.fatal === null) {
        const { done, value: job } = jobs.next();
        if (done === true) return;
        this.outcomes[this.places.get(job)!] = await send(job);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  private async sendOne(job: Job, { host, display, send }: Sending): Promise<FileResult> {
    const { header } = job;
    const at = { startNs: host.now(), sentBytes: () => 0 };
    const shown = { name: header.name, bytes: header.bytes, sentBytes: () => at.sentBytes() };
    display.add(shown);
    try {
      return await send(at);
    } catch (error) {
      return this.failed(header, error);
    } finally {
      display.remove(shown);
    }
  }

  /** What was offered may be gone when it is claimed: then another offer is asked for, in the end none. */
  private async tryAll(job: Job, host: Host, at: Attempt['at']): Promise<FileResult> {
    for (let tries = MOST_OFFERS; ; tries--) {
      const result = await this.tryOne(job, { host, isAsked: tries > 0 && isAskable(job.header), at });
      if (result.code !== 'noPart' || tries === 0) return result;
    }
  }

  /** Asks where to begin, and sends the file from there. */
  private async tryOne(job: Job, { host, isAsked, at }: Attempt): Promise<FileResult> {
    const logger = this.options.logger.child({ file: job.header.name });
    const source = await job.open();
    try {
      const known = isAsked ? await this.negotiate(source, host, logger) : null;
      if (known !== null) return known;
      const { offset } = source.header;
      const transfer = this.newTransfer(host, source, logger);
      at.sentBytes = () => offset + transfer.acknowledgedBytes;
      const verdict = await this.during(transfer, () => transfer.send());
      const { lostFrames } = transfer;
      const { bytes = source.header.bytes } = source;
      const result = verdictResult({ ...source.header, bytes }, verdict, {
        durationNs: host.now() - at.startNs,
        lostFrames,
      });
      // A small file was not asked about, and another sender may have been faster with the same.
      return verdict.code === 'exists' && Number.isFinite(job.header.bytes)
        ? await this.unlessThere(job, host, result)
        : result;
    } finally {
      await source.close();
    }
  }

  /** The result of a file that the receiver refuses because of its name, which may be that of the same file. */
  private async unlessThere(job: Job, host: Host, result: FileResult): Promise<FileResult> {
    const source = await job.open();
    try {
      const there = await this.negotiate(source, host, this.options.logger);
      return there?.skipped === true ? there : result;
    } finally {
      await source.close();
    }
  }

  /** Agrees with the receiver on what it has of a file. Returns the result of one that needs no sending: it is there already, or refused. */
  private async negotiate(source: SendableSource, host: Host, logger: Logger): Promise<FileResult | null> {
    const { name, bytes } = source.header;
    const question = new FileQuestion({ host, logger, peer: this.peer });
    const answer = await this.during(question, () => question.ask({ kind: 'file-query', name, bytes }));
    if (answer.kind === 'verdict') return refusal(source.header, answer);
    const offer = parseFileOffer(answer);
    if (offer instanceof Fault) throw new Failure(ExitCode.failed, `the receiver's answer is wrong: ${offer.message}`);
    const { isWhole, sha256 } = await source.compare(offer);
    if (isWhole && sha256 !== null) return skippedResult(source.header, sha256);
    const { offset } = source.header;
    if (offset > 0) logger.debug({ offset }, 'the receiver has the first bytes');
    return null;
  }

  private async during<T>(part: FileTransfer | FileQuestion, work: () => Promise<T>): Promise<T> {
    if (this.fatal !== null) throw this.fatal;
    this.transfers.add(part);
    return work().finally(() => this.transfers.delete(part));
  }

  private newTransfer(host: Host, source: HashedSource, logger: Logger): FileTransfer {
    return new FileTransfer({
      host,
      logger,
      peer: this.peer,
      source,
      share: this.options.share,
      limiter: this.options.limiter,
    });
  }

  private failed(header: SentEntry, error: unknown): FileResult {
    const failure = failureOf(error);
    if (failure === null) throw error;
    if (!(error instanceof XpassError)) return failedResult(header, 'failed', failure.message);
    if (!OF_ONE_FLOW.has(error.code)) this.stop(failure);
    return failedResult(header, error.code, `'${header.name}' was not sent: ${failure.message}`);
  }
}

/** Whether the receiver may have some of it already. */
function isAskable({ bytes }: SentEntry): boolean {
  return bytes >= LEAST_RESUMED_BYTES && Number.isFinite(bytes);
}

/** Null for a receiver of an older version, which cannot answer and takes the file whole. */
function refusal(header: SentEntry, answer: Message): FileResult | null {
  const verdict = parseVerdict(answer);
  if (verdict instanceof Fault)
    throw new Failure(ExitCode.failed, `the receiver's answer is wrong: ${verdict.message}`);
  if (verdict.code === 'unsupported') return null;
  return verdictResult(header, { ...verdict, ok: false }, { durationNs: 0, lostFrames: 0 });
}

/** Waits for the line that --hold waits for. Resolves with whether it came: false when the input ended before. */
export function goAhead(input: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasCome: boolean): void => {
      input.removeListener('data', onData);
      resolve(hasCome);
    };
    const onData = (chunk: Buffer | string): void => {
      if (chunk.includes('\n')) settle(true);
    };
    input.on('data', onData);
    input.once('end', () => settle(false));
    input.once('error', () => settle(false));
    // It stays so: the end of the input is still to be seen later, where that ends the process.
    input.resume();
  });
}
