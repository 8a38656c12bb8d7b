// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import type { Bits64 } from '../../../core/association.js';
import { COOKIE_BYTES } from '../../../core/association.js';
import { destinationHost, flowId, frameType, sourceHost } from '../../../wire/decode.js';
import type { Frame } from '../../../wire/frame.js';
import { CONTROL_CLASS, ControlType, Cookie, controlType, Hello, readBits, Welcome } from '../../../wire/handshake.js';
import type { Dice } from '../dice.js';

/** What a liar remembers of each kind (ours: some round trips of a small world). */
const MEMORY = 64;

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
    if (frameType(bytes) === CONTROL_CLASS) this.noteHandshake(bytes);
  }

  /** Only of which flow it is. */
  noteFlow({ bytes }: Frame): void {
    if (frameType(bytes) === CONTROL_CLASS) return;
    const last = this.flows.at(-1);
    const seen = { from: sourceHost(bytes), to: destinationHost(bytes), id: flowId(bytes) };
    if (last?.id !== seen.id || last.from !== seen.from) keep(this.flows, seen);
  }

  /** Bits that somebody has used, or any. */
  someBits(dice: Dice): Bits64 {
    if (this.bits.length > 0 && dice.chance(0.7)) return dice.pick(this.bits);
    return { upper: dice.uint32(), lower: dice.uint32() };
  }

  private noteHandshake(bytes: Uint8Array): void {
    const type = controlType(bytes);
    if (type === ControlType.noAssociation || type === ControlType.confirm || bytes.length < Cookie.bytes) return;
    const ci = readBits(bytes, Hello.ci);
    keep(this.bits, ci);
    if (type === ControlType.welcome) keep(this.bits, readBits(bytes, Welcome.cr));
    if (type === ControlType.hello) return;
    keep(this.cookies, {
      maker: sourceHost(bytes),
      ci,
      cookie: bytes.slice(Cookie.cookie, Cookie.cookie + COOKIE_BYTES),
    });
  }
}

function keep<T>(memory: T[], item: T): void {
  memory.push(item);
  if (memory.length > MEMORY) memory.shift();
}
