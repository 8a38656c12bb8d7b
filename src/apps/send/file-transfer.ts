import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { assert } from '../../base/assert.js';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import type { FlowReader, FlowWriter } from '../../core/flow-callbacks.js';
import type { FlowOptions } from '../../net/host-options.js';
import type { Receiver } from '../../net/receiver.js';
import type { Sender } from '../../net/sender.js';
import { Fault } from '../../services/file/fault.js';
import type { Message } from '../../services/file/message.js';
import type { ByteSource } from '../../services/file/send-file.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import { parseVerdict, type Verdict, VerdictBody } from '../../services/file/verdict.js';
import { IncomingStream } from '../../services/incoming-stream.js';
import type { FlowHost } from '../../services/service.js';
import type { RateLimiter } from './rate-limiter.js';

export interface FileTransferOptions {
  readonly host: FlowHost;
  readonly logger: Logger;
  readonly peer: number;
  readonly source: HashedSource;
  /** Of the file's flow. */
  readonly share: FlowOptions;
  /** For all files of the run. */
  readonly limiter?: RateLimiter;
}

/** Bytes whose SHA-256 is known when they have all been read. */
export interface HashedSource extends ByteSource {
  readonly sha256: string | null;
}

/**
 * Sends one file on a flow of its own and waits for the receiver's verdict, which comes on another. The flow stays open until then, though nothing is
 * left to send: its keep-alives tell a receiver that is busy with its disk from one that is gone.
 */
export class FileTransfer implements FlowWriter {
  private readonly options: FileTransferOptions;
  private sender: Sender | null = null;
  /** An answer is on its way in. */
  private isAnswered = false;
  /** Every byte of the source is with the flow. */
  private isWritten = false;
  private verdict: Verdict | null = null;
  /** Wakes the pump when the flow has room again, or is closed. */
  private wakePump: () => void = () => undefined;
  private resolve: (verdict: Verdict) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  constructor(options: FileTransferOptions) {
    this.options = options;
  }

  /** Bytes of the stream that the receiver has acknowledged: the file's, and some hundred around them. */
  get acknowledgedBytes(): number {
    return this.sender?.acknowledgedBytes ?? 0;
  }

  /** Data frames that were lost and sent again. */
  get lostFrames(): number {
    return this.sender?.statistics.framesRepaired ?? 0;
  }

  /**
   * Sends all there is. Resolves with the receiver's verdict, bad ones included, once the flow is closed; throws XpassError when the flow fails
   * before, and a Failure when the file cannot be read or changes. Call it once.
   */
  async send(): Promise<Verdict> {
    assert(this.sender === null, 'a transfer is sent once');
    const { host, peer, source, share } = this.options;
    const outcome = new Promise<Verdict>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    try {
      this.sender = host.openSender(peer, this, { ...share, onReply: (reply) => this.readReply(reply) });
      void this.pump(this.sender);
      return await outcome;
    } finally {
      this.sender?.forgetReplies();
      await source.close();
    }
  }

  /** Gives the transfer up with `error`, unless its verdict is there already. */
  abort(error: XpassError | Failure): void {
    this.reject(error);
    this.sender?.reset();
  }

  onWritable(): void {
    this.wakePump();
  }

  /** After a verdict the receiver has the file, or has refused it, however the flow ends. */
  onClosed(error: XpassError | null): void {
    this.wakePump();
    this.options.logger.debug({ code: error?.code, ...this.sender?.statistics }, 'flow closed');
    if (this.verdict !== null) this.resolve(this.verdict);
    else this.reject(error ?? new Failure(ExitCode.failed, 'the flow was closed before the receiver gave its verdict'));
  }

  private async pump(sender: Sender): Promise<void> {
    const { source } = this.options;
    try {
      for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) {
        await this.pace(chunk.length);
        while (!sender.isClosed && !sender.write(chunk)) await this.room();
        if (sender.isClosed) return;
      }
      this.isWritten = true;
    } catch (error) {
      this.reject(error);
      sender.reset();
    }
  }

  private async pace(bytes: number): Promise<void> {
    const { limiter, host } = this.options;
    const waitNs = limiter?.take(bytes, host.now()) ?? 0;
    if (waitNs > 0) await sleep(waitNs / 1e6);
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.wakePump = resolve;
    });
  }

  /** One answer at a time. A receiver whose answer was lost answers again; whether it is still there shows on the flow of the file. */
  private readReply(reply: Receiver): FlowReader | null {
    if (this.isAnswered || this.verdict !== null) return null;
    this.isAnswered = true;
    const { host, logger } = this.options;
    return new IncomingStream({
      receiver: reply,
      host,
      logger,
      accept: (message) => this.acceptVerdict(message),
      onRefused: (fault) => this.handleWrongReply(fault),
      onClosed: (_, error) => {
        logger.debug({ code: error?.code, ...reply.statistics }, 'reply closed');
        this.isAnswered = false;
      },
    });
  }

  /** One that breaks off is not wrong: another may come. */
  private handleWrongReply({ code, message }: Fault): void {
    if (code !== 'aborted') this.abort(new Failure(ExitCode.failed, `the receiver's answer is wrong: ${message}`));
  }

  private acceptVerdict(message: Message): TransferBody | Fault {
    const verdict = parseVerdict(message);
    return verdict instanceof Fault ? verdict : new VerdictBody(verdict, (read) => this.handleVerdict(read));
  }

  private handleVerdict(verdict: Verdict): void {
    const { sender, isWritten } = this;
    if (sender === null || sender.isClosed) return;
    if (verdict.ok && !(isWritten && verdict.sha256 === this.options.source.sha256)) {
      this.abort(new Failure(ExitCode.failed, 'the receiver says that it has the file, but with another SHA-256'));
      return;
    }
    this.verdict = verdict;
    if (verdict.ok) sender.end();
    else sender.reset();
  }
}
