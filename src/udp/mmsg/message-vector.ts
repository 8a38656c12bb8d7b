// Tested by test/loopback/udp-mmsg.test.ts

import {
  CONTROL_HEADER_BYTES,
  CONTROL_SPACE_BYTES,
  MessageLayout,
  type Native,
  SOCKADDR_ROOM_BYTES,
  STAMP_SPACE_BYTES,
  VECTOR_BYTES,
} from './native.js';

const HEADER_WORDS = MessageLayout.bytes / 4;
const VECTOR_WORDS = VECTOR_BYTES / 4;
const WORD_RANGE = 2 ** 32;
/** For traffic class, segment size, time stamp, and two that nobody asked for. */
const CONTROL_ROOM_BYTES = 4 * CONTROL_SPACE_BYTES + STAMP_SPACE_BYTES;
const CONTROL_WORDS = CONTROL_ROOM_BYTES / 4;
export const NAME_WORDS = SOCKADDR_ROOM_BYTES / 4;

export interface VectorShape {
  /** Messages in one system call. */
  readonly messages: number;
  /** Pieces of memory that one message may consist of. */
  readonly pieces: number;
  readonly dataBytes: number;
}

/** `struct mmsghdr`s and all they point to, in memory that never moves. Fields are 32-bit words; addresses, below 2^53, are cut in two. */
export class MessageVector {
  readonly data: Buffer;
  /** `NAME_WORDS` for each message. */
  readonly names: Int32Array;
  /** Where each message's header begins, for system calls. */
  readonly addresses: readonly bigint[];
  private readonly shape: VectorShape;
  private readonly headers: Int32Array;
  private readonly vectors: Int32Array;
  private readonly controls: Int32Array;
  private readonly dataAddress: number;

  constructor(native: Pick<Native, 'addressOf'>, shape: VectorShape) {
    const { messages, pieces, dataBytes } = shape;
    this.shape = shape;
    this.data = Buffer.allocUnsafeSlow(dataBytes);
    this.headers = fixedWords(messages * HEADER_WORDS);
    this.names = fixedWords(messages * NAME_WORDS);
    this.vectors = fixedWords(messages * pieces * VECTOR_WORDS);
    this.controls = fixedWords(messages * CONTROL_WORDS);
    const addressOf = (memory: Uint8Array | Int32Array) => native.addressOf(bytesOf(memory));
    this.dataAddress = Number(addressOf(this.data));
    const first = addressOf(this.headers);
    this.addresses = Array.from({ length: messages }, (_, message) => first + BigInt(message * MessageLayout.bytes));
    this.link(Number(addressOf(this.names)), Number(addressOf(this.vectors)), Number(addressOf(this.controls)));
  }

  /** The bytes at `offset` of the data are piece `piece` of the message. */
  setPiece(message: number, piece: number, offset: number, bytes: number): void {
    const at = (message * this.shape.pieces + piece) * VECTOR_WORDS;
    writeAddress(this.vectors, at, this.dataAddress + offset);
    this.vectors[at + 2] = bytes;
  }

  pieceBytes(message: number, piece: number): number {
    return this.vectors[(message * this.shape.pieces + piece) * VECTOR_WORDS + 2];
  }

  /** Lends the pieces of one message to another, from `piece` on. */
  borrowPiece(message: number, from: number, piece: number): void {
    const to = message * this.shape.pieces * VECTOR_WORDS;
    const at = (from * this.shape.pieces + piece) * VECTOR_WORDS;
    this.vectors.copyWithin(to, at, at + VECTOR_WORDS);
  }

  setPieceCount(message: number, pieces: number): void {
    this.setHeader(message, MessageLayout.vectorCount, pieces);
  }

  /** 0: the message has no name. */
  setNameBytes(message: number, bytes: number): void {
    this.setHeader(message, MessageLayout.nameBytes, bytes);
  }

  nameBytes(message: number): number {
    return this.headers[message * HEADER_WORDS + MessageLayout.nameBytes / 4];
  }

  /** Makes the whole room for control messages the kernel's. */
  offerControl(message: number): void {
    this.setHeader(message, MessageLayout.controlBytes, CONTROL_ROOM_BYTES);
  }

  clearControl(message: number): void {
    this.setHeader(message, MessageLayout.controlBytes, 0);
  }

  /** Adds a control message whose value has `bytes` bytes, up to 4. */
  addControl(message: number, kind: { level: number; type: number; bytes: number }, value: number): void {
    const used = this.controlBytes(message);
    const at = message * CONTROL_WORDS + used / 4;
    this.controls[at] = CONTROL_HEADER_BYTES + kind.bytes;
    this.controls[at + 1] = 0;
    this.controls[at + 2] = kind.level;
    this.controls[at + 3] = kind.type;
    this.controls[at + 4] = value;
    this.setHeader(message, MessageLayout.controlBytes, used + CONTROL_SPACE_BYTES);
  }

  /** Room that the control messages take. */
  controlBytes(message: number): number {
    return this.headers[message * HEADER_WORDS + MessageLayout.controlBytes / 4];
  }

  /** The control message that begins `at` bytes into the room: its length, level, type, and words of its value by `field` 0, 2, 3, 4 and so on. */
  controlWord(message: number, at: number, field: number): number {
    return this.controls[message * CONTROL_WORDS + at / 4 + field];
  }

  /** Bytes that the kernel moved. */
  transferred(message: number): number {
    return this.headers[message * HEADER_WORDS + MessageLayout.transferred / 4];
  }

  clearFlags(message: number): void {
    this.setHeader(message, MessageLayout.flags, 0);
  }

  private setHeader(message: number, field: number, value: number): void {
    this.headers[message * HEADER_WORDS + field / 4] = value;
  }

  private link(names: number, vectors: number, controls: number): void {
    for (let message = 0; message < this.shape.messages; message++) {
      const at = message * HEADER_WORDS;
      writeAddress(this.headers, at + MessageLayout.name / 4, names + message * SOCKADDR_ROOM_BYTES);
      writeAddress(this.headers, at + MessageLayout.vector / 4, vectors + message * this.shape.pieces * VECTOR_BYTES);
      writeAddress(this.headers, at + MessageLayout.control / 4, controls + message * CONTROL_ROOM_BYTES);
    }
  }
}

/** Words outside of V8's heap, which moves small arrays: those of 64 bytes and less are kept in it. */
function fixedWords(count: number): Int32Array {
  return new Int32Array(new ArrayBuffer(Math.max(count * 4, 128)), 0, count);
}

function bytesOf(memory: Uint8Array | Int32Array): Uint8Array {
  return new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength);
}

function writeAddress(words: Int32Array, at: number, address: number): void {
  words[at] = address % WORD_RANGE;
  words[at + 1] = Math.floor(address / WORD_RANGE);
}
