// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import { write32 } from '../../../wire/bytes.js';
import { destinationHost, flowId, frameType, sourceHost } from '../../../wire/decode.js';
import type { Frame } from '../../../wire/frame.js';
import { Cookie, Hello, Welcome } from '../../../wire/frames.js';
import { CONTROL_CODES } from '../../../wire/layout.js';
import { BITS_BYTES, type Bits64, COOKIE_BYTES } from '../../../wire/proofs.js';
import type { Dice } from '../dice.js';

/** What a liar remembers of each kind (ours: some round trips of a small world). */
const MEMORY = 64;

/** Frames with bits of handshakes. */
const KINDS = [Hello, Cookie, Welcome] as const;

/** A flow of which a liar knows the id: guessing 32 bits would show nothing. */
export interface SeenFlow {
  readonly from: number;
  readonly to: number;
  readonly id: number;
}

/** A cookie with its maker, and the bits that it came with. */
export interface SeenCookie {
  readonly maker: number;
  readonly ci: Bits64;
  readonly cookie: Uint8Array;
}

/** What a hostile host has seen, the latest of each kind. */
export class Sight {
  readonly frames: Uint8Array[] = [];
  readonly flows: SeenFlow[] = [];
  readonly cookies: SeenCookie[] = [];
  /** Bits of handshakes. */
  readonly bits: Bits64[] = [];

  /** The whole frame: it came to the liar, left it, or passed it. */
  see(frame: Frame): void {
    const bytes = frame.bytes.slice(0, frame.length);
    keep(this.frames, bytes);
    this.noteFlow(frame);
    if (frameType(bytes) >= CONTROL_CODES) this.noteHandshake(bytes);
  }

  /** Only of which flow it is. */
  noteFlow({ bytes }: Frame): void {
    if (frameType(bytes) >= CONTROL_CODES) return;
    const last = this.flows.at(-1);
    const seen = { from: sourceHost(bytes), to: destinationHost(bytes), id: flowId(bytes) };
    if (last?.id !== seen.id || last.from !== seen.from) keep(this.flows, seen);
  }

  /** Bits that somebody has used, or any. */
  someBits(dice: Dice): Bits64 {
    if (this.bits.length > 0 && dice.chance(0.7)) return dice.pick(this.bits);
    const bits = new Uint8Array(BITS_BYTES);
    write32(bits, 0, dice.uint32());
    write32(bits, BITS_BYTES / 2, dice.uint32());
    return bits;
  }

  private noteHandshake(bytes: Uint8Array): void {
    const kind = KINDS.find(({ type }) => type === frameType(bytes));
    if (kind === undefined || bytes.length < kind.minBytes) return;
    const ci = kind.read.ci(bytes, new Uint8Array(BITS_BYTES));
    keep(this.bits, ci);
    if (kind === Welcome) keep(this.bits, Welcome.read.cr(bytes, new Uint8Array(BITS_BYTES)));
    if (kind === Hello) return;
    keep(this.cookies, { maker: sourceHost(bytes), ci, cookie: kind.read.cookie(bytes, new Uint8Array(COOKIE_BYTES)) });
  }
}

function keep<T>(memory: T[], item: T): void {
  memory.push(item);
  if (memory.length > MEMORY) memory.shift();
}
