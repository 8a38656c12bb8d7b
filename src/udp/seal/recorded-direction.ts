// Tested by test/udp/seal/recorded-direction.test.ts
import type { Frame } from '../../wire/frame.js';
import { isSealedWhole, readMarkedNumber } from '../../wire/sealed.js';
import type { DirectionKeys } from './direction-keys.js';
import type { Nonce } from './nonce.js';
import { type DirectionParts, makeKeys, makeNonce, NUMBER_MASK, openWith } from './sealed-direction.js';
import { USUAL_UPDATE_PACKETS } from './sealer.js';

const SPAN = NUMBER_MASK + 1;

/** Opens what was recorded of one direction: from any frame on, in any order, and as often as the same frame comes. */
export class RecordedDirection {
  private readonly nonce: Nonce;
  /** By the number of key updates before them. */
  private readonly keys: DirectionKeys[];
  /** Of the newest frame that was opened; null before there was one. */
  private newest: { number: number; updates: number } | null = null;

  constructor(parts: DirectionParts) {
    this.nonce = makeNonce(parts);
    this.keys = [makeKeys(parts, false)];
  }

  /** Opens a frame in place, as `FrameSealer.open` does; one that is not of this direction stays as it was. */
  open(frame: Frame): boolean {
    const { bytes, length } = frame;
    if (!isSealedWhole(bytes, length)) return false;
    const marked = readMarkedNumber(bytes, length);
    const number = this.extend(marked & NUMBER_MASK);
    const sealed = bytes.slice(0, length);
    for (const updates of this.candidates(number, marked < 0 ? 1 : 0)) {
      if (openWith(this.keysAfter(updates), frame, this.nonce.setNumber(number))) {
        if (this.newest === null || number > this.newest.number) this.newest = { number, updates };
        return true;
      }
      bytes.set(sealed);
    }
    return false;
  }

  close(): void {
    for (const keys of this.keys) keys.close();
  }

  /** The number nearest to the newest one. A recording that begins behind the first 2^31 packets is not followed. */
  private extend(low: number): number {
    const near = this.newest?.number ?? 0;
    const here = near - (near % SPAN) + low;
    const all = [here - SPAN, here, here + SPAN].filter((each) => each >= 0);
    return all.reduce((best, each) => (Math.abs(each - near) < Math.abs(best - near) ? each : best));
  }

  /** How often the keys may have been updated before this frame, likeliest first. Its phase says whether that is odd. */
  private candidates(number: number, phase: number): number[] {
    const likely = this.newest?.updates ?? Math.floor(number / USUAL_UPDATE_PACKETS);
    if ((likely & 1) === phase) return [likely];
    return [likely + 1, likely - 1].filter((updates) => updates >= 0);
  }

  private keysAfter(updates: number): DirectionKeys {
    while (this.keys.length <= updates) this.keys.push((this.keys.at(-1) as DirectionKeys).makeNext());
    return this.keys[updates];
  }
}
