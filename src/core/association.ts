// Tested by test/core/door.test.ts
import type { Crc32 } from '../base/crc32.js';
import { read32 } from '../wire/bytes.js';
import { frameType, isIntact } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { CHECK_BYTES, Credit, FrameType } from '../wire/layout.js';
import type { Bits64 } from '../wire/proofs.js';

/** Longest message of a handshake: Noise XX with an empty payload takes 96. */
export const MAX_HANDSHAKE_BYTES = 128;

/** Protects the frames of one association: by a mask of their checks, or sealed with keys. */
export interface FrameSeal {
  /** Makes a frame that nobody else can make. */
  seal(frame: Frame): void;
  /** Nothing can be sealed or opened any more: a new handshake has to follow. */
  readonly isOver: boolean;
  /**
   * Makes it plain again in place; false, and it is garbage, for one that nobody of the association made, or that came before. Frames without keys
   * show that by their check.
   */
  open(frame: Frame): boolean;
  /** Gives back what it holds of the system; nothing else is called afterwards. */
  close?(): void;
  /** As `open`, and looks at the check too; false leaves the frame as it was. */
  tryOpen(frame: Frame): boolean;
  /** As `tryOpen`, and the frame is surely of this association. */
  prove(frame: Frame): boolean;
}

/** The initiator's half of an exchange of keys. */
export interface Initiation {
  /** For HELLO. */
  readonly message: Uint8Array;
  /** Reads the message of WELCOME; null for one of somebody without the key. */
  finish(message: Uint8Array, ci: Bits64, cr: Bits64): FrameSeal | null;
}

/** Exchanges of keys; hosts without keys have none. PROTOCOL §7.3 */
export interface KeyExchange {
  /** Null: no key for this peer is known. */
  initiate(peer: number, ci: Bits64): Initiation | null;
  /** Answers the message of a HELLO; null for one of somebody without a key. */
  respond(
    peer: number,
    message: Uint8Array,
    bits: { ci: Bits64; cr: Bits64 },
  ): { readonly message: Uint8Array; readonly seal: FrameSeal } | null;
}

/** XORs the check of a frame, which only the two hosts can undo. */
function mask(frame: Frame, bits: number): void {
  if (frame.phantomBytes > 0) return;
  const { bytes } = frame;
  const isCredit = frameType(bytes) === FrameType.credit;
  const at = isCredit ? Credit.check : frame.length - CHECK_BYTES;
  if (!isCredit) {
    bytes[at] ^= bits >>> 24;
    bytes[at + 1] ^= bits >>> 16;
  }
  const low = isCredit ? at : at + 2;
  bytes[low] ^= bits >>> 8;
  bytes[low + 1] ^= bits;
}

/** Of one direction each; signed, so that V8 keeps them in place. */
function masksOf({ ci, cr }: { ci: Bits64; cr: Bits64 }) {
  return { toAnswerer: read32(cr, 0) ^ read32(ci, 4), toInitiator: read32(cr, 4) ^ read32(ci, 0) };
}

/** With these bits a frame that is sent back to its sender would count: no honest answerer draws them but once in 2^32 handshakes. */
export function canBeReflected(bits: { ci: Bits64; cr: Bits64 }): boolean {
  const { toAnswerer, toInitiator } = masksOf(bits);
  return toAnswerer === toInitiator;
}

/**
 * The seal of hosts without keys: a frame counts only if its sender knows the 128 random bits of the handshake, or guesses 32 bits for a frame, 16 for a
 * credit. It costs no byte. Whoever sees the frames can undo it. PROTOCOL §7.3
 */
export class MaskSeal implements FrameSeal {
  readonly isOver = false;
  private readonly check: Crc32;
  private readonly outgoing: number;
  private readonly incoming: number;

  constructor(check: Crc32, bits: { ci: Bits64; cr: Bits64 }, isInitiator: boolean) {
    const { toAnswerer, toInitiator } = masksOf(bits);
    this.check = check;
    this.outgoing = isInitiator ? toAnswerer : toInitiator;
    this.incoming = isInitiator ? toInitiator : toAnswerer;
  }

  seal(frame: Frame): void {
    mask(frame, this.outgoing);
  }

  open(frame: Frame): boolean {
    mask(frame, this.incoming);
    return true;
  }

  tryOpen(frame: Frame): boolean {
    mask(frame, this.incoming);
    if (isIntact(frame, frameType(frame.bytes), this.check)) return true;
    mask(frame, this.incoming);
    return false;
  }

  /** The check of a credit is too short to prove anything. */
  prove(frame: Frame): boolean {
    return frameType(frame.bytes) !== FrameType.credit && this.tryOpen(frame);
  }
}
