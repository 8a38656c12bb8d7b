import { Fault } from './fault.js';
import { isCount } from './file-header.js';
import { type Message, MessageDecoder } from './message.js';
import { type TransferBody, TransferReader } from './transfer-reader.js';

/** Small files in a row on one stream, each as on a stream of its own. docs/APPLICATIONS.md, "files" */
export const FILES_KIND = 'files';

/** Who takes the files of a series, which are numbered from 0. */
export interface SeriesHandler {
  /** The header of a file has arrived: who takes its bytes, or why nobody does; the files behind it come all the same. */
  accept(header: Message, at: number): TransferBody | Fault;
  onRefused(fault: Fault, at: number): void;
  /** What comes makes no sense from here on. */
  onBroken(fault: Fault): void;
  /** So many bytes that belong to no file are done with. */
  onFraming(bytes: number): void;
}

/** Reads a series. One file is under way at a time, so it holds what one transfer does. */
export class SeriesBody implements TransferBody {
  readonly bodyBytes = Number.POSITIVE_INFINITY;
  readonly hasTrailer = false;
  private readonly handler: SeriesHandler;
  private at = 0;
  private reader: TransferReader;

  constructor(handler: SeriesHandler) {
    this.handler = handler;
    this.reader = this.nextReader();
  }

  onBody(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      from = this.reader.take(bytes, from);
      if (!this.reader.isComplete) continue;
      this.at++;
      this.reader = this.nextReader();
    }
  }

  /** Between two files is where a series ends. */
  onEnd(): void {
    if (this.reader.isUnderWay) this.reader.end();
  }

  onFault(fault: Fault): void {
    if (this.reader.isUnderWay) this.reader.abort(fault);
  }

  private nextReader(): TransferReader {
    const { at, handler } = this;
    return new TransferReader({
      accept: (header) => {
        const body = handler.accept(header, at);
        return body instanceof Fault && header.kind === 'file' && isCount(header.bytes, Number.MAX_SAFE_INTEGER)
          ? this.skip(header.bytes, body)
          : body;
      },
      onRefused: (fault) => handler.onBroken(fault),
      onFraming: (bytes) => handler.onFraming(bytes),
    });
  }

  /** Forgets the bytes of a file that nobody takes. */
  private skip(bodyBytes: number, fault: Fault): TransferBody {
    const { at, handler } = this;
    handler.onRefused(fault, at);
    return {
      bodyBytes,
      hasTrailer: true,
      onBody: (bytes) => handler.onFraming(bytes.length),
      onEnd: () => {},
      onFault: () => {},
    };
  }
}

/** Messages in a row until the stream ends. */
export class MessagesBody implements TransferBody {
  readonly bodyBytes = Number.POSITIVE_INFINITY;
  readonly hasTrailer = false;
  private decoder = new MessageDecoder();
  private readonly onMessage: (message: Message | Fault) => void;
  private readonly release: (bytes: number) => void;

  constructor(onMessage: (message: Message | Fault) => void, release: (bytes: number) => void) {
    this.onMessage = onMessage;
    this.release = release;
  }

  onBody(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at = this.decoder.push(bytes, at);
      const { result } = this.decoder;
      if (result === null) continue;
      this.onMessage(result);
      // What follows a message that makes no sense is not read.
      if (result instanceof Fault) break;
      this.decoder = new MessageDecoder();
    }
    this.release(bytes.length);
  }

  onEnd(): void {}

  onFault(): void {}
}
