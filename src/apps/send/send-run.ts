// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, XpassError } from '../../core/errors.js';
import type { ShareOptions } from '../../core/flow-terms.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure, failureOf } from '../shared/failure.js';
import type { FileHeader } from '../shared/files/file-header.js';
import type { Logger } from '../shared/logger.js';
import { peerFailure } from '../shared/peer-failure.js';
import { Replies } from '../shared/replies.js';
import type { TerminalShape } from '../shared/terminal.js';
import { openTransport, peerOf, type Target, type Transport } from '../shared/transport.js';
import type { TransportValues } from '../shared/transport-options.js';
import { EndlessSource } from './endless-source.js';
import { FileTransfer, type HashedSource } from './file-transfer.js';
import { goAhead } from './go-ahead.js';
import { ProgressDisplay } from './progress.js';
import { type FileResult, failedResult, verdictResult } from './report.js';

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
  readonly values: TransportValues;
  readonly target: Target;
  readonly logger: Logger;
  readonly terminal: NodeJS.WritableStream & TerminalShape;
  readonly jobs: readonly Job[];
  /** Of each file's flow. */
  readonly share: ShareOptions;
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
  private readonly replies = new Replies();
  private readonly transfers = new Set<FileTransfer>();
  private readonly stopped: Promise<null>;
  private resolveStopped: () => void = () => undefined;
  private nextJob = 0;

  constructor(options: SendRunOptions) {
    this.options = options;
    this.outcomes = options.jobs.map(({ header }) => {
      return failedResult(header, 'notSent', `'${header.name}' was not sent`);
    });
    this.stopped = new Promise((resolve) => {
      this.resolveStopped = () => resolve(null);
    });
  }

  /** Resolves when every file has its outcome, or after `stop`. Throws XpassError when there is no transport. */
  async run(hold: Hold | null): Promise<void> {
    const transport = await Promise.race([this.open(), this.stopped]);
    if (transport === null) return;
    try {
      await Promise.race([this.prepare(transport, hold), this.stopped]);
      if (this.fatal === null) await this.sendAll(transport);
    } finally {
      transport.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
      await transport.close();
    }
  }

  /** Gives up what is under way and begins nothing else. */
  stop(failure: Failure): void {
    if (this.fatal !== null) return;
    this.fatal = failure;
    for (const transfer of this.transfers) transfer.abort(failure);
    this.resolveStopped();
  }

  private open(): Promise<Transport> {
    const { values, target, logger } = this.options;
    const onDetached = (error: XpassError): void => this.stop(failureOf(error) as Failure);
    return openTransport({ values, application: this.replies, logger, target, onDetached });
  }

  /** Everything that comes before the files. */
  private async prepare(transport: Transport, hold: Hold | null): Promise<void> {
    const { warmUpNs } = this.options;
    if (hold !== null && warmUpNs === Number.POSITIVE_INFINITY) await this.warmUp(transport, this.wait(hold));
    else if (warmUpNs !== undefined) await this.warmUp(transport, sleep(warmUpNs / 1e6));
    if (hold !== null && this.fatal === null) await this.wait(hold);
  }

  /** Sends the first file to nowhere until `end`, so that both processes have their code compiled when something begins that counts. */
  private async warmUp(transport: Transport, end: Promise<void>): Promise<void> {
    const { logger, jobs } = this.options;
    const source = new EndlessSource(() => jobs[0].open());
    const transfer = this.newTransfer(transport, source, logger);
    this.transfers.add(transfer);
    void end.then(() => transfer.abort(WARM));
    try {
      await transfer.send();
    } catch (error) {
      if (error === WARM || this.fatal !== null) return;
      if (!(error instanceof XpassError)) throw error;
      this.stop(this.describe(error, transport));
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

  private async sendAll(transport: Transport): Promise<void> {
    const { terminal, jobs, parallel } = this.options;
    const display = new ProgressDisplay(terminal, () => transport.now());
    display.start();
    try {
      const lanes = Math.min(parallel, jobs.length);
      await Promise.all(Array.from({ length: lanes }, () => this.sendNext(transport, display)));
    } finally {
      display.stop();
    }
  }

  /** One lane: file after file until none is left. */
  private async sendNext(transport: Transport, display: ProgressDisplay): Promise<void> {
    while (this.nextJob < this.options.jobs.length && this.fatal === null) {
      const at = this.nextJob++;
      this.outcomes[at] = await this.sendOne(this.options.jobs[at], transport, display);
    }
  }

  private async sendOne(job: Job, transport: Transport, display: ProgressDisplay): Promise<FileResult> {
    const { logger } = this.options;
    const { header } = job;
    const startNs = transport.now();
    let shown = { name: header.name, bytes: header.bytes, sentBytes: () => 0 };
    try {
      const source = await job.open();
      const transfer = this.newTransfer(transport, source, logger.child({ file: header.name }));
      this.transfers.add(transfer);
      shown = { ...shown, sentBytes: () => transfer.acknowledgedBytes };
      display.add(shown);
      const verdict = await transfer.send().finally(() => this.transfers.delete(transfer));
      const { lostFrames } = transfer;
      return verdictResult(header, verdict, { durationNs: transport.now() - startNs, lostFrames });
    } catch (error) {
      return this.failed(header, error, transport);
    } finally {
      display.remove(shown);
    }
  }

  private newTransfer(transport: Transport, source: HashedSource, logger: Logger): FileTransfer {
    const { target, share } = this.options;
    return new FileTransfer({ transport, replies: this.replies, logger, peer: peerOf(target), source, share });
  }

  private failed(header: FileHeader, error: unknown, transport: Transport): FileResult {
    if (!(error instanceof XpassError)) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      return failedResult(header, 'failed', failure.message);
    }
    const failure = this.describe(error, transport);
    if (!OF_ONE_FLOW.has(error.code)) this.stop(failure);
    return failedResult(header, error.code, `'${header.name}' was not sent: ${failure.message}`);
  }

  private describe(error: XpassError, transport: Transport): Failure {
    const { values, target } = this.options;
    return peerFailure(error, {
      peerName: transport.peerName(peerOf(target)),
      connectTimeoutNs: values.connectTimeout,
      idleTimeoutNs: values.idleTimeout,
      trouble: transport.trouble(),
    });
  }
}
