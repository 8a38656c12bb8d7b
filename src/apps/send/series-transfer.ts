import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import type { FlowReader, FlowWriter } from '../../core/flow-callbacks.js';
import type { FlowOptions } from '../../net/host-options.js';
import type { Receiver } from '../../net/receiver.js';
import type { Sender } from '../../net/sender.js';
import { ANSWERS_KIND } from '../../services/answer-flow.js';
import { Fault } from '../../services/file/fault.js';
import { encodeMessage, type Message } from '../../services/file/message.js';
import { FILES_KIND, MessagesBody } from '../../services/file/series-body.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import { parseVerdict, type Verdict, VerdictBody } from '../../services/file/verdict.js';
import { IncomingStream } from '../../services/incoming-stream.js';
import type { FlowHost } from '../../services/service.js';
import type { RateLimiter } from './rate-limiter.js';

export interface SeriesTransferOptions {
  readonly host: FlowHost;
  readonly logger: Logger;
  readonly peer: number;
  readonly share: FlowOptions;
  readonly limiter: RateLimiter;
}

/** A file as it goes on the flow: its header, bytes and digest. */
export interface SeriesFile {
  readonly parts: readonly Uint8Array[];
  readonly sha256: string;
  /** The flow needs the parts no longer. */
  release?(): void;
}

/** Written at once (ours): what a send buffer that is nearly full still takes, and what a limited rate spaces. */
const PIECE_BYTES = 65_536;

function piecesOf(part: Uint8Array): Uint8Array[] {
  if (part.length <= PIECE_BYTES) return [part];
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < part.length; at += PIECE_BYTES) pieces.push(part.subarray(at, at + PIECE_BYTES));
  return pieces;
}

/** A file that waits for its verdict. */
interface Pending {
  readonly sha256: string;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends small files in a row on one flow, without waiting for the verdict of one before the next begins. Verdicts come on another flow, as files are done.
 * What is wrong with one file does not touch the others; when the flow is lost, all that have no verdict fail with it.
 */
export class SeriesTransfer implements FlowWriter {
  private readonly options: SeriesTransferOptions;
  private readonly sender: Sender;
  private readonly pending = new Map<number, Pending>();
  private readonly lent: { readonly file: SeriesFile; readonly untilBytes: number }[] = [];
  private sentFiles = 0;
  private writtenBytes = 0;
  private toldFrames = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private wake: () => void = () => undefined;
  private over: unknown = null;
  /** Of the stream as a whole. */
  private refusal: Verdict | null = null;
  private ended: () => void = () => undefined;
  private readonly closed: Promise<void>;

  /** Throws XpassError when no flow can be opened. */
  constructor(options: SeriesTransferOptions) {
    const { host, peer, share } = options;
    this.options = options;
    this.closed = new Promise((resolve) => {
      this.ended = resolve;
    });
    this.sender = host.openSender(peer, this, { ...share, onReply: (reply) => this.readReply(reply) });
    const opening = encodeMessage({ kind: FILES_KIND });
    this.writtenBytes += opening.length;
    this.sender.write(opening);
  }

  /** No file can be sent on it any more. */
  get isOver(): boolean {
    return this.over !== null;
  }

  /** Sent, and not known to have arrived. */
  get bytesUnderWay(): number {
    const { bytesSent, bytesAcknowledged } = this.sender.statistics;
    return bytesSent - bytesAcknowledged;
  }

  /** Data frames that were lost and sent again since this was asked last. */
  takeLostFrames(): number {
    const { framesRepaired } = this.sender.statistics;
    const lostFrames = framesRepaired - this.toldFrames;
    this.toldFrames = framesRepaired;
    return lostFrames;
  }

  /**
   * Sends the whole stream of one file, which `load` reads when it is its turn. Resolves with its verdict, bad ones included, and with null where `load` has
   * nothing to send; throws what `load` throws, and XpassError or a Failure when the flow is lost.
   */
  async send(load: () => Promise<SeriesFile | null>): Promise<Verdict | null> {
    const written = this.turn.then(() => this.write(load));
    this.turn = written.catch(() => undefined);
    return (await written).verdict;
  }

  /** No file follows. Resolves when the flow is closed. */
  async end(): Promise<void> {
    if (this.over === null) {
      this.sender.end();
      await this.closed;
    }
    this.sender.forgetReplies();
  }

  /** Gives up what has no verdict. */
  abort(error: XpassError | Failure): void {
    this.fail(error);
    this.sender.reset();
  }

  onWritable(): void {
    this.wake();
  }

  onClosed(error: XpassError | null): void {
    this.fail(error ?? new Failure(ExitCode.failed, 'the flow was closed before the receiver gave its verdict'));
    this.ended();
  }

  /** In an object, since what an async function returns is awaited: the verdict would hold up the files behind. */
  private async write(load: () => Promise<SeriesFile | null>): Promise<{ verdict: Promise<Verdict | null> }> {
    const file = this.refusal === null ? await load() : null;
    if (this.refusal !== null || file === null) return { verdict: Promise.resolve(this.refusal) };
    if (this.over !== null) throw this.over;
    const verdict = new Promise<Verdict>((resolve, reject) => {
      this.pending.set(this.sentFiles++, { sha256: file.sha256, resolve, reject });
    });
    // Whoever waits for it is told; nobody does while the file is being written.
    verdict.catch(() => undefined);
    const pieces = file.parts.flatMap((part) => piecesOf(part));
    const { limiter } = this.options;
    for (const group of limiter.isUnlimited ? [pieces] : pieces.map((piece) => [piece])) await this.writeAll(group);
    this.lent.push({ file, untilBytes: this.writtenBytes });
    return { verdict };
  }

  private async writeAll(pieces: readonly Uint8Array[]): Promise<void> {
    const { limiter, host } = this.options;
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    this.writtenBytes += bytes;
    const waitNs = limiter.take(bytes, host.now());
    if (waitNs > 0) await sleep(waitNs / 1e6);
    for (let at = 0; !this.sender.isClosed; ) {
      host.run(() => {
        while (at < pieces.length && this.sender.write(pieces[at])) at++;
      });
      if (at === pieces.length) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** A flow may send bytes again until they are acknowledged. */
  private releaseLent(): void {
    const { acknowledgedBytes } = this.sender;
    let count = 0;
    while (count < this.lent.length && this.lent[count].untilBytes <= acknowledgedBytes)
      this.lent[count++].file.release?.();
    this.lent.splice(0, count);
  }

  private fail(error: unknown): void {
    this.over ??= error;
    this.wake();
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }

  private readReply(reply: Receiver): FlowReader | null {
    if (this.over !== null) return null;
    const { host, logger } = this.options;
    return new IncomingStream({
      receiver: reply,
      host,
      logger,
      accept: (message) => this.acceptReply(message, reply),
      onRefused: (fault) => this.handleWrongReply(fault),
      onClosed: () => undefined,
    });
  }

  private acceptReply(message: Message, reply: Receiver): TransferBody | Fault {
    if (message.kind === ANSWERS_KIND) {
      return new MessagesBody(
        (answer) => this.handleAnswer(answer),
        (bytes) => reply.release(bytes),
      );
    }
    const verdict = parseVerdict(message);
    return verdict instanceof Fault ? verdict : new VerdictBody(verdict, (read) => this.handleRefusal(read));
  }

  /** The stream as a whole is refused: each file has the same verdict. */
  private handleRefusal(verdict: Verdict): void {
    this.refusal = { ...verdict, ok: false };
    for (const { resolve } of this.pending.values()) resolve(this.refusal);
    this.pending.clear();
    this.abort(new Failure(ExitCode.failed, verdict.message));
  }

  private handleWrongReply({ code, message }: Fault): void {
    if (code !== 'aborted') this.abort(new Failure(ExitCode.failed, `the receiver's answer is wrong: ${message}`));
  }

  private handleAnswer(answer: Message | Fault): void {
    const verdict = answer instanceof Fault ? answer : parseVerdict(answer);
    if (verdict instanceof Fault) {
      this.handleWrongReply(verdict);
      return;
    }
    const { at } = answer as Message;
    const file = this.pending.get(at as number);
    if (file === undefined) return;
    this.pending.delete(at as number);
    this.releaseLent();
    const isOther = verdict.ok && verdict.sha256 !== file.sha256;
    if (isOther)
      file.reject(new Failure(ExitCode.failed, 'the receiver says that it has the file, but with another SHA-256'));
    else file.resolve(verdict);
  }
}
