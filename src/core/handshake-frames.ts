// Tested by test/core/door.test.ts
import type { Crc32 } from '../base/crc32.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { Confirm, Cookie, Hello, Welcome } from '../wire/frames.js';
import { NO_HOST } from '../wire/layout.js';
import { type Bits64, COOKIE_BYTES, type CookieMaker, lowerHalf } from '../wire/proofs.js';
import type { Agreement, Hailing } from './acquaintance.js';
import { type FrameSeal, MAX_HANDSHAKE_BYTES } from './association.js';

/** HELLO with the longest message. */
const LONGEST_BYTES = 256;

export const NO_MESSAGE = new Uint8Array(0);
export const NO_COOKIE = new Uint8Array(COOKIE_BYTES);

export interface HandshakeFrameParts {
  readonly hostId: number;
  readonly check: Crc32;
  readonly pool: FramePool;
  readonly cookies: CookieMaker;
}

/** Writes what a host says in handshakes to `output`. */
export class HandshakeFrames {
  readonly output = new FrameQueue();
  private readonly options: HandshakeFrameParts;

  constructor(options: HandshakeFrameParts) {
    this.options = options;
  }

  /** With a cookie of the peer, or null. */
  hello(peer: number, { ci, initiation }: Hailing, cookie: Uint8Array | null, nowNs: number): void {
    const message = initiation?.message ?? NO_MESSAGE;
    // The flow id says to a host of another version, which answers with VERSION, what it answers.
    const header = { ...this.headerTo(peer), flowId: lowerHalf(ci) };
    const fields = { ci, cookie: cookie ?? NO_COOKIE, messageBytes: message.length, message };
    const frame = this.take(peer, nowNs);
    frame.length = Hello.encode(frame.bytes, header, fields, this.options.check);
    this.output.push(frame);
  }

  cookie(peer: number, ci: Bits64, nowNs: number): void {
    const fields = { ci, cookie: this.cookieFor(peer, ci, nowNs) };
    const frame = this.take(peer, nowNs);
    frame.length = Cookie.encode(frame.bytes, this.headerTo(peer), fields, this.options.check);
    this.output.push(frame);
  }

  welcome(peer: number, { ci, cr, message }: Agreement, nowNs: number): void {
    const fields = { ci, cr, cookie: this.cookieFor(peer, null, nowNs), messageBytes: message.length, message };
    const frame = this.take(peer, nowNs);
    frame.length = Welcome.encode(frame.bytes, this.headerTo(peer), fields, this.options.check);
    this.output.push(frame);
  }

  /** Shows the peer that its WELCOME has come. */
  confirm(peer: number, seal: FrameSeal, nowNs: number): void {
    const frame = this.take(peer, nowNs);
    frame.length = Confirm.encode(frame.bytes, this.headerTo(peer), {}, this.options.check);
    seal.seal(frame);
    this.output.push(frame);
  }

  private cookieFor(peer: number, ci: Bits64 | null, nowNs: number): Uint8Array {
    const cookie = new Uint8Array(COOKIE_BYTES);
    this.options.cookies.write(peer, ci, nowNs, cookie);
    return cookie;
  }

  private take(peer: number, nowNs: number): Frame {
    const frame = this.options.pool.take();
    frame.reserve(LONGEST_BYTES);
    frame.peer = peer;
    frame.atNs = nowNs;
    return frame;
  }

  private headerTo(peer: number) {
    const { hostId } = this.options;
    return { destination: hostId === NO_HOST ? NO_HOST : peer, source: hostId, flowId: 0 };
  }
}

/** Of a HELLO or WELCOME, whose length was checked. */
export function messageOf(kind: typeof Hello | typeof Welcome, bytes: Uint8Array): Uint8Array {
  return kind.read.message(bytes, new Uint8Array(MAX_HANDSHAKE_BYTES)).subarray(0, kind.read.messageBytes(bytes));
}
