import { createHash } from 'node:crypto';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { FileHeader } from './file-header.js';
import { encodeMessage } from './message.js';
import type { ByteSource, Comparison } from './send-file.js';

const LENGTH_BYTES = 4;
/** rw-r--r--: what is piped has no permissions of its own. */
const PIPED_MODE = 0o644;

/** Standard input as an application stream: a header without a length, chunks behind their lengths, and the digest. docs/APPLICATIONS.md, "file" */
export class PipeSource implements ByteSource {
  readonly header: FileHeader;
  private readonly input: AsyncIterator<Uint8Array>;
  private readonly hash = createHash('sha256');
  private stage: 'header' | 'body' | 'done' = 'header';
  private digest: string | null = null;
  private bytesRead = 0;

  constructor(name: string, input: AsyncIterable<Uint8Array>) {
    const bytes = Number.POSITIVE_INFINITY;
    this.header = { kind: 'file', name, bytes, mode: PIPED_MODE, offset: 0, prefixSha256: null };
    this.input = input[Symbol.asyncIterator]();
  }

  /** The SHA-256 of all that was sent, once `next` has said null. */
  get sha256(): string | null {
    return this.digest;
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.bytesRead;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.stage === 'done') return null;
    if (this.stage === 'header') {
      this.stage = 'body';
      const { kind, name, mode } = this.header;
      return encodeMessage({ kind, name, bytes: null, mode });
    }
    const { value, done } = await this.read();
    if (done !== true) return value.length === 0 ? this.next() : this.chunk(value);
    this.stage = 'done';
    this.digest = this.hash.digest('hex');
    return Buffer.concat([new Uint8Array(LENGTH_BYTES), encodeMessage({ kind: 'digest', sha256: this.digest })]);
  }

  /** A pipe cannot be read twice: what the receiver has of an earlier one is of no use. */
  compare(): Promise<Comparison> {
    return Promise.resolve({ isWhole: false, sha256: null });
  }

  async close(): Promise<void> {
    this.stage = 'done';
  }

  private chunk(bytes: Uint8Array): Uint8Array {
    this.hash.update(bytes);
    this.bytesRead += bytes.length;
    const framed = new Uint8Array(LENGTH_BYTES + bytes.length);
    new DataView(framed.buffer).setUint32(0, bytes.length);
    framed.set(bytes, LENGTH_BYTES);
    return framed;
  }

  private async read(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.input.next();
    } catch (error) {
      const failure = failureOf(error, 'standard input');
      throw failure === null ? error : new Failure(ExitCode.failed, failure.message);
    }
  }
}
