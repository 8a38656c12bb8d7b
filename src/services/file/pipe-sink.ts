import { createHash } from 'node:crypto';
import { Fault, faultOf } from './fault.js';
import { type FileHeader, parseDigest } from './file-header.js';
import type { Message } from './message.js';
import type { TransferBody } from './transfer-reader.js';
import { badVerdict, goodVerdict, type Verdict } from './verdict.js';

/** Where bytes go that are not kept: standard output. */
export interface ByteSink {
  /** Takes the bytes, which from then on belong to it; calls back when they are with the system, or cannot be. */
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void;
}

export interface PipeSinkOptions {
  readonly sink: ByteSink;
  /** So many bytes of the body are done with, and the flow may release them. */
  onDrained(bytes: number): void;
  /** Called exactly once, when everything is written or was given up. */
  onVerdict(verdict: Verdict): void;
}

/**
 * Passes one file on as it comes: nothing of it can be taken back, so only the verdict tells whether it was right. Memory: a byte is released when it is
 * written, so at most a receive window waits for a slow reader, and the sender with it.
 */
export class PipeSink implements TransferBody {
  readonly bodyBytes: number;
  readonly isChunked: boolean;
  readonly hasTrailer = true;
  /** Bytes that came. */
  bytes = 0;
  private readonly name: string;
  private readonly options: PipeSinkOptions;
  private readonly hash = createHash('sha256');
  private isSettled = false;

  /** `header` comes from parseFileHeader and begins at 0. */
  constructor({ name, bytes }: FileHeader, options: PipeSinkOptions) {
    this.name = name;
    this.options = options;
    this.isChunked = bytes === Number.POSITIVE_INFINITY;
    this.bodyBytes = this.isChunked ? 0 : bytes;
  }

  onBody(bytes: Uint8Array): void {
    const { sink, onDrained } = this.options;
    if (this.isSettled) {
      onDrained(bytes.length);
      return;
    }
    this.bytes += bytes.length;
    this.hash.update(bytes);
    sink.write(bytes.slice(), (error) => {
      if (error != null) this.settle(badVerdict(faultOf(error, this.name)));
      onDrained(bytes.length);
    });
  }

  onEnd(trailer: Message | null): void {
    // What was written before is with the system when this is.
    this.options.sink.write(new Uint8Array(0), (error) => {
      this.settle(error == null ? this.judge(trailer) : badVerdict(faultOf(error, this.name)));
    });
  }

  onFault(fault: Fault): void {
    this.settle(badVerdict(fault));
  }

  /** Gives the file up; `why` ends the verdict's sentence. */
  abort(why: string): void {
    this.settle(badVerdict(new Fault('aborted', `'${this.name}' was given up: ${why}`)));
  }

  private judge(trailer: Message | null): Verdict {
    const digest = parseDigest(trailer);
    if (digest instanceof Fault) return badVerdict(digest);
    const sha256 = this.hash.digest('hex');
    if (sha256 === digest.sha256) return goodVerdict(`'${this.name}' is written`, sha256);
    return badVerdict(
      new Fault('badDigest', `'${this.name}' arrived with another SHA-256 than it was sent with`),
      sha256,
    );
  }

  private settle(verdict: Verdict): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.options.onVerdict(verdict);
  }
}
