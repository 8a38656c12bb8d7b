// Tested by test/udp/seal/sealer.test.ts
import { Opening } from '../../core/frame-sealer.js';
import { REPLAY_WINDOW, ReplayWindow } from '../../core/replay-window.js';
import type { Frame } from '../../wire/frame.js';
import { isSealedWhole, readMarkedNumber } from '../../wire/sealed.js';
import type { DirectionKeys } from './direction-keys.js';
import type { Nonce } from './nonce.js';
import { type DirectionParts, makeKeys, makeNonce, NUMBER_MASK, openWith } from './sealed-direction.js';

/** Opens what arrives, and follows the peer's key updates. */
export class SealedInput {
  keyUpdates = 0;
  forgeries = 0;
  private readonly nonce: Nonce;
  private readonly window = new ReplayWindow();
  private keys: DirectionKeys;
  /** The keys of what was on its way at the last update. */
  private old: DirectionKeys | null = null;
  /** Made with the first frame that may be of them, so that forged ones cost no more. */
  private coming: DirectionKeys | null = null;
  /** Lowest number that came under `keys`. */
  private firstNumber = 0;

  constructor(parts: DirectionParts) {
    this.nonce = makeNonce(parts);
    this.keys = makeKeys(parts, false);
  }

  open(frame: Frame): Opening {
    const { bytes, length } = frame;
    if (!isSealedWhole(bytes, length)) return Opening.malformed;
    const marked = readMarkedNumber(bytes, length);
    const number = this.window.extend(marked & NUMBER_MASK);
    if (this.window.isTooOld(number)) return Opening.tooOld;
    if (this.window.hasCome(number)) return Opening.duplicate;
    const keys = this.keysOf(number, marked < 0 ? 1 : 0);
    if (keys === null) return this.refuse();
    if (!openWith(keys, frame, this.nonce.setNumber(number))) return this.refuse();
    this.accept(keys, number);
    return Opening.opened;
  }

  private refuse(): Opening {
    this.forgeries++;
    return Opening.forged;
  }

  /** Which keys a frame was sealed with: below the first number of the present ones, the other phase means the old ones. RFC 9001 section 6.5 */
  private keysOf(number: number, phase: number): DirectionKeys | null {
    if (phase === (this.keyUpdates & 1)) return this.keys;
    if (number < this.firstNumber) return this.old;
    if (number < this.window.highest) return null;
    this.coming ??= this.keys.makeNext();
    return this.coming;
  }

  private accept(keys: DirectionKeys, number: number): void {
    if (keys === this.coming) this.updateTo(keys, number);
    else if (keys === this.keys && number < this.firstNumber) this.firstNumber = number;
    this.window.mark(number);
    // What is still sealed with the old keys is below the replay window by now.
    if (this.old !== null && this.window.highest - this.firstNumber >= REPLAY_WINDOW) this.dropOld();
  }

  private updateTo(keys: DirectionKeys, number: number): void {
    this.dropOld();
    this.old = this.keys;
    this.keys = keys;
    this.coming = null;
    this.firstNumber = number;
    this.keyUpdates++;
  }

  private dropOld(): void {
    this.old?.close();
    this.old = null;
  }

  close(): void {
    this.dropOld();
    this.coming?.close();
    this.keys.close();
  }
}
