import { assert } from '../../base/assert.js';
import { Fault } from './fault.js';

/** Longest JSON text of a message, in bytes. docs/APPLICATIONS.md, "Messages" */
export const MAX_MESSAGE_BYTES = 65_536;

const PREFIX_BYTES = 4;
/** `{}`, the shortest JSON object. */
const MIN_MESSAGE_BYTES = 2;
/** The least buffer of a message in pieces; it grows with what has arrived, so that a claimed length costs nothing. */
const FIRST_BUFFER_BYTES = 1_024;
const NO_BYTES = new Uint8Array(0);

const ROOM_FOR_LENGTH = ' '.repeat(PREFIX_BYTES);
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** One JSON object; `kind` says what the other fields are. They are the peer's word: check each before use. */
export interface Message {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The bytes of a message: 4 bytes of length, big-endian, and the JSON text in UTF-8. */
export function encodeMessage(message: Message): Uint8Array {
  const bytes = Buffer.from(ROOM_FOR_LENGTH + JSON.stringify(message));
  const length = bytes.length - PREFIX_BYTES;
  assert(length <= MAX_MESSAGE_BYTES, 'a message of ours is within the limit');
  bytes.writeUInt32BE(length);
  return bytes;
}

/** Puts one message together from chunks split anywhere. Never throws, whatever arrives. */
export class MessageDecoder {
  private buffer = NO_BYTES;
  private filled = 0;
  private wanted = PREFIX_BYTES;
  private outcome: Message | Fault | null = null;

  /** The message or what is wrong with it, once it is known. */
  get result(): Message | Fault | null {
    return this.outcome;
  }

  /** Takes bytes from `start` on and returns where it stopped: the end of the chunk, or of the message. */
  push(chunk: Uint8Array, start: number): number {
    const end = this.filled === 0 ? this.takeWhole(chunk, start) : start;
    if (end > start) return end;
    while (this.outcome === null && start < chunk.length) {
      const count = Math.min(this.wanted - this.filled, chunk.length - start);
      this.append(chunk.subarray(start, start + count));
      start += count;
      if (this.filled === this.wanted) this.complete();
    }
    return start;
  }

  /** A message that is in one chunk is not copied. Returns `start` for any other. */
  private takeWhole(chunk: Uint8Array, start: number): number {
    const body = start + PREFIX_BYTES;
    if (this.outcome !== null || body > chunk.length) return start;
    const length = lengthAt(chunk, start);
    if (length < MIN_MESSAGE_BYTES || length > MAX_MESSAGE_BYTES || body + length > chunk.length) return start;
    this.outcome = parseMessage(chunk.subarray(body, body + length));
    return body + length;
  }

  private append(bytes: Uint8Array): void {
    const length = this.filled + bytes.length;
    if (length > this.buffer.length) {
      const grown = new Uint8Array(
        Math.max(length, Math.min(this.wanted, Math.max(FIRST_BUFFER_BYTES, 2 * this.buffer.length))),
      );
      grown.set(this.buffer.subarray(0, this.filled));
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.filled);
    this.filled = length;
  }

  private complete(): void {
    if (this.wanted > PREFIX_BYTES) {
      this.outcome = parseMessage(this.buffer.subarray(PREFIX_BYTES, this.filled));
      return;
    }
    const length = lengthAt(this.buffer, 0);
    if (length < MIN_MESSAGE_BYTES || length > MAX_MESSAGE_BYTES) {
      const allowed = `allowed: ${MIN_MESSAGE_BYTES} to ${MAX_MESSAGE_BYTES}`;
      this.outcome = new Fault('badMessage', `a message claims ${length} bytes; ${allowed}`);
    }
    this.wanted = PREFIX_BYTES + length;
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

function parseMessage(text: Uint8Array): Message | Fault {
  let value: unknown;
  try {
    value = JSON.parse(DECODER.decode(text));
  } catch {
    return new Fault('badMessage', 'a message is not JSON in UTF-8');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Fault('badMessage', 'a message is not a JSON object');
  }
  if (!('kind' in value) || typeof value.kind !== 'string') return new Fault('badMessage', 'a message has no kind');
  return value as Message;
}
