import { assert } from '../../base/assert.js';
import type { FlowWriter } from '../../core/application.js';
import type { XpassError } from '../../core/errors.js';
import type { ShareOptions } from '../../core/flow-terms.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import type { SenderFlow } from '../../core/sender-flow.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import { Fault } from '../shared/files/fault.js';
import type { Message } from '../shared/files/message.js';
import type { ByteSource } from '../shared/files/send-file.js';
import type { TransferBody } from '../shared/files/transfer-reader.js';
import { parseVerdict, type Verdict, VerdictBody } from '../shared/files/verdict.js';
import { IncomingStream } from '../shared/incoming-stream.js';
import type { Logger } from '../shared/logger.js';
import type { Replies } from '../shared/replies.js';
import type { StreamTransport } from '../shared/service.js';

export interface FileTransferOptions {
  readonly transport: StreamTransport;
  readonly replies: Replies;
  readonly logger: Logger;
  readonly peer: number;
  readonly source: HashedSource;
  /** Of the file's flow. */
  readonly share: ShareOptions;
}

/** Bytes whose SHA-256 is known when they have all been read. */
export interface HashedSource extends ByteSource {
  readonly sha256: string | null;
}

/**
 * Sends one file on a flow of its own and waits for the receiver's verdict, which comes on another. The flow stays open until then, though nothing is left to send:
 * its keep-alives tell a receiver that is busy with its disk from one that is gone.
 */
export class FileTransfer implements FlowWriter {
  private readonly options: FileTransferOptions;
  private flow: SenderFlow | null = null;
  private isClosed = false;
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
    return this.flow?.statistics.bytesAcknowledged ?? 0;
  }

  /** Data frames that were lost and sent again. */
  get lostFrames(): number {
    return this.flow?.statistics.framesRepaired ?? 0;
  }

  /**
   * Sends all there is. Resolves with the receiver's verdict, bad ones included, once the flow is closed; throws XpassError when the flow fails before, and a Failure
   * when the file cannot be read or changes. Call it once.
   */
  async send(): Promise<Verdict> {
    assert(this.flow === null, 'a transfer is sent once');
    const { transport, peer, replies, source, share } = this.options;
    const outcome = new Promise<Verdict>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    try {
      const flow = transport.run((nowNs, { endpoint }) => endpoint.open(peer, this, share, nowNs));
      this.flow = flow;
      this.expectReply(flow);
      void this.pump(flow);
      return await outcome;
    } finally {
      if (this.flow !== null) replies.forget(this.flow);
      await source.close();
    }
  }

  /** Gives the transfer up with `error`, unless its verdict is there already. */
  abort(error: XpassError | Failure): void {
    this.reject(error);
    this.reset();
  }

  onWritable(): void {
    this.wakePump();
  }

  /** After a verdict the receiver has the file, or has refused it, however the flow ends. */
  onClosed(error: XpassError | null): void {
    this.isClosed = true;
    this.wakePump();
    this.options.logger.debug({ code: error?.code, ...this.flow?.statistics }, 'flow closed');
    if (this.verdict !== null) this.resolve(this.verdict);
    else this.reject(error ?? new Failure(ExitCode.failed, 'the flow was closed before the receiver gave its verdict'));
  }

  private reset(): void {
    const { flow } = this;
    if (flow !== null && !this.isClosed) this.options.transport.run((nowNs) => flow.reset(nowNs));
  }

  private async pump(flow: SenderFlow): Promise<void> {
    const { source, transport } = this.options;
    try {
      for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) {
        const bytes = chunk;
        while (!this.isClosed && !transport.run((nowNs) => flow.write(bytes, nowNs))) await this.room();
        if (this.isClosed) return;
      }
      this.isWritten = true;
    } catch (error) {
      this.reject(error);
      this.reset();
    }
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.wakePump = resolve;
    });
  }

  private expectReply(flow: SenderFlow): void {
    this.options.replies.expect(flow, (reply) => this.readReply(reply));
  }

  /** A receiver whose answer was lost answers again; whether it is still there shows on the flow of the file. */
  private handleReplyClosed(): void {
    if (this.flow !== null && !this.isClosed && this.verdict === null) this.expectReply(this.flow);
  }

  private readReply(reply: ReceiverFlow): IncomingStream {
    const { transport, logger } = this.options;
    return new IncomingStream({
      flow: reply,
      transport,
      logger,
      accept: (message) => this.acceptVerdict(message),
      onRefused: (fault) => this.handleWrongReply(fault),
      onClosed: (_, error) => {
        logger.debug({ code: error?.code, ...reply.statistics }, 'reply closed');
        this.handleReplyClosed();
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
    const { flow, isWritten } = this;
    if (flow === null || this.isClosed) return;
    if (verdict.ok && !(isWritten && verdict.sha256 === this.options.source.sha256)) {
      this.abort(new Failure(ExitCode.failed, 'the receiver says that it has the file, but with another SHA-256'));
      return;
    }
    this.verdict = verdict;
    if (verdict.ok) this.options.transport.run((nowNs) => flow.end(nowNs));
    else this.reset();
  }
}
