// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ErrorCode, XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { Host } from '../../net/host.js';
import type { FlowOptions } from '../../net/host-options.js';
import type { HostSettings } from '../../net/host-settings.js';
import type { TerminalShape } from '../../report/terminal.js';
import { DISCARD_KIND } from '../../services/discard.js';
import type { FileHeader } from '../../services/file/file-header.js';
import { encodeMessage } from '../../services/file/message.js';
import { openCommandHost, type Target } from '../shared/command-host.js';
import { FileTransfer, type HashedSource } from './file-transfer.js';
import { ProgressDisplay } from './progress.js';
import { type FileResult, failedResult, verdictResult } from './report.js';

/** A source again and again, under the header of a stream that its receiver reads and forgets: everything that sending a file does, without a file at the other end. */
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

/** A file that has been looked at and can be sent. */
export interface Job {
  readonly header: FileHeader;
  open(): Promise<HashedSource>;
}

/** Who says when to send, and how to tell them that everything is ready. */
export interface Hold {
  readonly input: NodeJS.ReadableStream;
  ready(): void;
}

export interface SendRunOptions {
  readonly settings: HostSettings;
  readonly target: Target;
  readonly logger: Logger;
  readonly terminal: NodeJS.WritableStream & TerminalShape;
  readonly jobs: readonly Job[];
  /** Of each file's flow. */
  readonly share: FlowOptions;
  /** Files under way at a time. */
  readonly parallel: number;
  /** How long to send to nowhere first; Infinity until a first line comes for `Hold`, before the one that it waits for; undefined for not at all. */
  readonly warmUpNs?: number | undefined;
}

/** Ends a warm-up. */
const WARM = new Failure(ExitCode.done, 'warmed up');

/** Errors of one flow after which another may well succeed. All others are of the peer or of our own set-up. */
const OF_ONE_FLOW: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['reset', 'protocol']);

/** Sends a list of files to one host, `parallel` of them at a time, in their order. */
export class SendRun {
  /** By the place of the file in the list. */
  readonly outcomes: FileResult[];
  /** Why files were not sent that come after; null when all had their turn. */
  fatal: Failure | null = null;
  private readonly options: SendRunOptions;
  private readonly transfers = new Set<FileTransfer>();
  private readonly stopped: Promise<null>;
  private resolveStopped: () => void = () => undefined;
  private nextJob = 0;
  /** The target's number. */
  private peer = 0;

  constructor(options: SendRunOptions) {
    this.options = options;
    this.outcomes = options.jobs.map(({ header }) => {
      return failedResult(header, 'notSent', `'${header.name}' was not sent`);
    });
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
    const { terminal, jobs, parallel } = this.options;
    const display = new ProgressDisplay(terminal, () => host.now());
    display.start();
    try {
      const lanes = Math.min(parallel, jobs.length);
      await Promise.all(Array.from({ length: lanes }, () => this.sendNext(host, display)));
    } finally {
      display.stop();
    }
  }

  /** One lane: file after file until none is left. */
  private async sendNext(host: Host, display: ProgressDisplay): Promise<void> {
    while (this.nextJob < this.options.jobs.length && this.fatal === null) {
      const at = this.nextJob++;
      this.outcomes[at] = await this.sendOne(this.options.jobs[at], host, display);
    }
  }

  private async sendOne(job: Job, host: Host, display: ProgressDisplay): Promise<FileResult> {
    const { logger } = this.options;
    const { header } = job;
    const startNs = host.now();
    let shown = { name: header.name, bytes: header.bytes, sentBytes: () => 0 };
    try {
      const source = await job.open();
      const transfer = this.newTransfer(host, source, logger.child({ file: header.name }));
      this.transfers.add(transfer);
      shown = { ...shown, sentBytes: () => transfer.acknowledgedBytes };
      display.add(shown);
      const verdict = await transfer.send().finally(() => this.transfers.delete(transfer));
      const { lostFrames } = transfer;
      return verdictResult(header, verdict, { durationNs: host.now() - startNs, lostFrames });
    } catch (error) {
      return this.failed(header, error);
    } finally {
      display.remove(shown);
    }
  }

  private newTransfer(host: Host, source: HashedSource, logger: Logger): FileTransfer {
    return new FileTransfer({ host, logger, peer: this.peer, source, share: this.options.share });
  }

  private failed(header: FileHeader, error: unknown): FileResult {
    const failure = failureOf(error);
    if (failure === null) throw error;
    if (!(error instanceof XpassError)) return failedResult(header, 'failed', failure.message);
    if (!OF_ONE_FLOW.has(error.code)) this.stop(failure);
    return failedResult(header, error.code, `'${header.name}' was not sent: ${failure.message}`);
  }
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
