import type { Logger } from 'pino';
import { printable } from '../base/display.js';
import { XpassError } from '../base/errors.js';
import type { FlowReader } from '../core/flow-callbacks.js';
import type { Receiver } from '../net/receiver.js';
import { AnswerFlow } from './answer-flow.js';
import { isAnswer } from './answer-kinds.js';
import { Fault } from './file/fault.js';
import { MAX_NAME_BYTES } from './file/file-name.js';
import { encodeMessage, type Message } from './file/message.js';
import { type TransferBody, type TransferHandler, TransferReader } from './file/transfer-reader.js';
import type { FlowHost, ServedStream } from './service.js';

export interface IncomingStreamParts {
  readonly receiver: Receiver;
  readonly host: FlowHost;
  readonly logger: Logger;
  /** Who takes the body of a stream with this header. */
  accept(header: Message, stream: IncomingStream): TransferBody | Fault;
  /** No header came, or none that is accepted. The rest of the stream is read and forgotten. */
  onRefused(fault: Fault, stream: IncomingStream): void;
  /** The flow is closed. */
  onClosed(stream: IncomingStream, error: XpassError | null): void;
}

/** How often an answer is tried, each time for the connect or idle timeout, before the stream that it belongs to is reset (ours). */
const MAX_REPLIES = 3;

/** One accepted flow: reads the header, gives the body to whoever takes it, and answers. */
export class IncomingStream implements FlowReader, TransferHandler, ServedStream {
  readonly receiver: Receiver;
  readonly host: FlowHost;
  logger: Logger;
  readonly peerName: string;
  isClosed = false;
  /** Its header is an answer, so it gets none. */
  private isAnswer = false;
  private readonly parts: IncomingStreamParts;
  private readonly reader: TransferReader;
  private answers: AnswerFlow | null = null;

  constructor(parts: IncomingStreamParts) {
    const { receiver, host, logger } = parts;
    this.parts = parts;
    this.receiver = receiver;
    this.host = host;
    this.logger = logger;
    this.peerName = receiver.peerName;
    this.reader = new TransferReader(this);
  }

  onData(bytes: Uint8Array): void {
    this.reader.push(bytes);
  }

  onEnd(): void {
    this.reader.end();
  }

  onClosed(error: XpassError | null): void {
    this.isClosed = true;
    this.answers?.end();
    if (error !== null) this.reader.abort(new Fault('aborted', coreWords(error)));
    this.parts.onClosed(this, error);
  }

  accept(header: Message): TransferBody | Fault {
    this.isAnswer = isAnswer(header.kind);
    const { name } = header;
    if (typeof name === 'string') this.logger = this.logger.child({ file: printable(name.slice(0, MAX_NAME_BYTES)) });
    return this.parts.accept(header, this);
  }

  onRefused(fault: Fault): void {
    this.parts.onRefused(fault, this);
  }

  onFraming(bytes: number): void {
    this.receiver.release(bytes);
  }

  reply(message: Message): void {
    if (this.isAnswer) this.receiver.reset();
    else this.sendReply(message, MAX_REPLIES);
  }

  answer(message: Message): void {
    if (this.isClosed) return;
    this.answers ??= new AnswerFlow(this.receiver);
    this.answers.send(message);
  }

  private sendReply(message: Message, attempts: number): void {
    const onClosed = (error: XpassError | null): void => {
      if (error === null) this.handleReplied();
      else this.handleUnreplied(message, error, attempts - 1);
    };
    try {
      const sender = this.receiver.openReply({ onWritable: () => undefined, onClosed });
      this.host.run(() => {
        sender.write(encodeMessage(message));
        sender.end();
      });
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      this.handleUnreplied(message, error, 0);
    }
  }

  private handleReplied(): void {
    if (!this.reader.isComplete) this.receiver.reset();
  }

  /** A peer whose flow is over has its answer, or is gone. One whose flow is open waits for it, and would do so for ever. */
  private handleUnreplied(message: Message, error: XpassError, attemptsLeft: number): void {
    this.logger.debug({ peer: this.peerName, code: error.code }, 'the answer may not have arrived');
    if (this.isClosed) return;
    if (attemptsLeft > 0) this.sendReply(message, attemptsLeft);
    else this.receiver.reset();
  }
}

/** Whoever reads a fault is told the peer's name beside it. */
function coreWords({ cause, message }: XpassError): string {
  return cause instanceof XpassError ? cause.message : message;
}
