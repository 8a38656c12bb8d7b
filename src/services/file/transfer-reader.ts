import { Fault } from './fault.js';
import { type Message, MessageDecoder } from './message.js';

/** Who takes the body that a header announced. Its calls come from inside TransferReader's. */
export interface TransferBody {
  /** Length of the body; Infinity for one that ends with the stream. */
  readonly bodyBytes: number;
  /** The body comes in chunks, each behind its length; one of 0 bytes ends it. `bodyBytes` is 0 then. docs/APPLICATIONS.md, "Streams" */
  readonly isChunked?: boolean;
  /** Whether a message follows the body. */
  readonly hasTrailer: boolean;
  /** The next bytes of the body, valid only during the call. Their release is this side's business. */
  onBody(bytes: Uint8Array): void;
  /** Everything has arrived. The last call. */
  onEnd(trailer: Message | null): void;
  /** The rest will not come, or makes no sense. The last call. */
  onFault(fault: Fault): void;
}

/** Who decides what becomes of a stream. */
export interface TransferHandler {
  /** The header has arrived: who takes the body, or why nobody does. */
  accept(header: Message): TransferBody | Fault;
  /** No header came, or none that is accepted. Called at most once; afterwards the stream is read and forgotten. */
  onRefused(fault: Fault): void;
  /** So many bytes that belong to no body are done with: the flow may release them. */
  onFraming(bytes: number): void;
}

/** Of the length before a chunk, big-endian. docs/APPLICATIONS.md, "Streams" */
const LENGTH_BYTES = 4;

/**
 * Reads one application stream: a header message, the body it announces and, for some kinds, a trailer message. docs/APPLICATIONS.md, "Streams".
 * Chunks may be split anywhere. Never throws, whatever arrives: a fault is told once, and what comes after it, or after the end, is forgotten.
 */
export class TransferReader {
  private readonly handler: TransferHandler;
  private state: 'header' | 'body' | 'length' | 'trailer' | 'ended' | 'faulty' = 'header';
  private decoder = new MessageDecoder();
  private body: TransferBody | null = null;
  private bodyBytesLeft = 0;
  /** Of the length of a chunk. */
  private lengthBytes = 0;
  private chunkLength = 0;

  constructor(handler: TransferHandler) {
    this.handler = handler;
  }

  /** Everything that the header announced has arrived. */
  get isComplete(): boolean {
    return this.state === 'ended';
  }

  /** Some of it has arrived, and not all. */
  get isUnderWay(): boolean {
    return this.body !== null && this.state !== 'ended' && this.state !== 'faulty';
  }

  /** The next bytes of the stream, valid only during the call. */
  push(chunk: Uint8Array): void {
    const end = this.take(chunk, 0);
    if (end < chunk.length) this.handler.onFraming(chunk.length - end);
  }

  /** Takes bytes from `start` on and returns where it stopped: the end of the chunk, or of what the header announced. */
  take(chunk: Uint8Array, start: number): number {
    let at = start;
    let bodyBytes = 0;
    while (at < chunk.length && this.state !== 'ended') {
      if (this.state === 'body') {
        const end = at + Math.min(this.bodyBytesLeft, chunk.length - at);
        bodyBytes += end - at;
        this.pushBody(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
        at = end;
      } else {
        at = this.pushFraming(chunk, at);
      }
    }
    if (bodyBytes < at - start) this.handler.onFraming(at - start - bodyBytes);
    return at;
  }

  /** The stream has ended. */
  end(): void {
    if (this.state === 'body' && this.bodyBytesLeft === Number.POSITIVE_INFINITY) this.complete(null);
    else if (this.state !== 'ended') this.fail(new Fault('truncated', `the stream ended in its ${this.state}`));
  }

  /** The rest will not come, because the flow is lost: told like a fault in the stream itself. */
  abort(fault: Fault): void {
    if (this.state !== 'ended') this.fail(fault);
  }

  private pushBody(bytes: Uint8Array): void {
    this.bodyBytesLeft -= bytes.length;
    this.body?.onBody(bytes);
    if (this.state !== 'body' || this.bodyBytesLeft > 0) return;
    if (this.body?.isChunked === true) this.state = 'length';
    else this.handleBodyEnd();
  }

  /** Everything but body bytes; returns where it stopped. */
  private pushFraming(chunk: Uint8Array, at: number): number {
    if (this.state === 'faulty') return chunk.length;
    if (this.state === 'length') return this.pushLength(chunk, at);
    const end = this.decoder.push(chunk, at);
    const { result } = this.decoder;
    if (result instanceof Fault) this.fail(result);
    else if (result !== null) this.handleMessage(result);
    return end;
  }

  private pushLength(chunk: Uint8Array, at: number): number {
    while (at < chunk.length && this.lengthBytes < LENGTH_BYTES) {
      this.chunkLength = this.chunkLength * 256 + chunk[at++];
      this.lengthBytes++;
    }
    if (this.lengthBytes === LENGTH_BYTES) this.beginChunk();
    return at;
  }

  private beginChunk(): void {
    this.bodyBytesLeft = this.chunkLength;
    this.lengthBytes = 0;
    this.chunkLength = 0;
    if (this.bodyBytesLeft > 0) this.state = 'body';
    else this.handleBodyEnd();
  }

  private handleMessage(message: Message): void {
    if (this.state === 'trailer') {
      this.complete(message);
      return;
    }
    const body = this.handler.accept(message);
    if (body instanceof Fault) {
      this.fail(body);
      return;
    }
    this.body = body;
    this.bodyBytesLeft = body.bodyBytes;
    this.state = body.isChunked === true ? 'length' : 'body';
    if (this.state === 'body' && this.bodyBytesLeft === 0) this.handleBodyEnd();
  }

  private handleBodyEnd(): void {
    if (this.body?.hasTrailer !== true) {
      this.complete(null);
      return;
    }
    this.state = 'trailer';
    this.decoder = new MessageDecoder();
  }

  private complete(trailer: Message | null): void {
    this.state = 'ended';
    this.body?.onEnd(trailer);
  }

  private fail(fault: Fault): void {
    if (this.state === 'faulty') return;
    this.state = 'faulty';
    if (this.body === null) this.handler.onRefused(fault);
    else this.body.onFault(fault);
  }
}
