import type { FlowReader, FlowWriter } from '../../core/application.js';
import type { OpenOptions } from '../../core/endpoint.js';
import { XpassError } from '../../core/errors.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import type { SenderFlow } from '../../core/sender-flow.js';
import { Fault } from './files/fault.js';
import { MAX_NAME_BYTES } from './files/file-name.js';
import { encodeMessage, type Message } from './files/message.js';
import { type TransferBody, type TransferHandler, TransferReader } from './files/transfer-reader.js';
import type { Logger } from './logger.js';
import type { ServedStream, StreamTransport } from './service.js';
import { printable } from './terminal.js';

export interface IncomingStreamParts {
  readonly flow: ReceiverFlow;
  readonly transport: StreamTransport;
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

/** One accepted flow: reads the header, gives the body to whoever takes it, releases what is done with, and answers. */
export class IncomingStream implements FlowReader, TransferHandler, ServedStream {
  readonly flow: ReceiverFlow;
  readonly transport: StreamTransport;
  logger: Logger;
  readonly peerName: string;
  isClosed = false;
  private readonly parts: IncomingStreamParts;
  private readonly reader: TransferReader;
  private readonly releaseDone: (nowNs: number) => void;
  private isReading = false;
  /** Bytes that are done with and not yet released. */
  private doneBytes = 0;

  constructor(parts: IncomingStreamParts) {
    const { flow, transport, logger } = parts;
    this.parts = parts;
    this.flow = flow;
    this.transport = transport;
    this.logger = logger;
    this.peerName = transport.peerName(flow.peer);
    this.reader = new TransferReader(this);
    // One closure for all the releases of the stream, since there is at least one for each frame.
    this.releaseDone = (nowNs) => {
      const bytes = this.doneBytes;
      this.doneBytes = 0;
      flow.release(bytes, nowNs);
    };
  }

  onData(bytes: Uint8Array): void {
    this.isReading = true;
    this.reader.push(bytes);
    this.isReading = false;
    this.flush();
  }

  onEnd(): void {
    this.reader.end();
  }

  onClosed(error: XpassError | null): void {
    this.isClosed = true;
    if (error !== null) this.reader.abort(new Fault('aborted', error.message));
    this.parts.onClosed(this, error);
  }

  accept(header: Message): TransferBody | Fault {
    const { name } = header;
    if (typeof name === 'string') this.logger = this.logger.child({ file: printable(name.slice(0, MAX_NAME_BYTES)) });
    return this.parts.accept(header, this);
  }

  onRefused(fault: Fault): void {
    this.parts.onRefused(fault, this);
  }

  onFraming(bytes: number): void {
    this.release(bytes);
  }

  release(bytes: number): void {
    this.doneBytes += bytes;
    if (!this.isReading) this.flush();
  }

  openReply(writer: FlowWriter, options: OpenOptions = {}): SenderFlow {
    const { peer, id } = this.flow;
    return this.transport.run((nowNs, { endpoint }) =>
      endpoint.open(peer, writer, { ...options, pairedFlowId: id }, nowNs),
    );
  }

  reply(message: Message): void {
    this.sendReply(message, MAX_REPLIES);
  }

  private sendReply(message: Message, attempts: number): void {
    const onClosed = (error: XpassError | null): void => {
      if (error === null) this.handleReplied();
      else this.handleUnreplied(message, error, attempts - 1);
    };
    try {
      const flow = this.openReply({ onWritable: () => undefined, onClosed });
      this.transport.run((nowNs) => {
        flow.write(encodeMessage(message), nowNs);
        flow.end(nowNs);
      });
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      this.handleUnreplied(message, error, 0);
    }
  }

  private flush(): void {
    if (this.doneBytes > 0 && !this.isClosed) this.transport.run(this.releaseDone);
  }

  private handleReplied(): void {
    if (!this.reader.isComplete) this.reset();
  }

  /** A peer whose flow is over has its answer, or is gone. One whose flow is open waits for it, and would do so for ever. */
  private handleUnreplied(message: Message, error: XpassError, attemptsLeft: number): void {
    this.logger.debug({ peer: this.peerName, code: error.code }, 'the answer may not have arrived');
    if (this.isClosed) return;
    if (attemptsLeft > 0) this.sendReply(message, attemptsLeft);
    else this.reset();
  }

  private reset(): void {
    if (!this.isClosed) this.transport.run((nowNs) => this.flow.reset(nowNs));
  }
}
