import { assert } from '../../base/assert.js';
import { type FrameSealer, Opening } from '../../core/frame-sealer.js';
import { REPLAY_WINDOW } from '../../core/replay-window.js';
import type { Frame } from '../../wire/frame.js';
import { SECRET_BYTES } from './direction-keys.js';
import type { MakeGcm } from './gcm.js';
import type { Direction } from './nonce.js';
import { SealedInput } from './sealed-input.js';
import { SealedOutput } from './sealed-output.js';

/** AES-GCM holds 2^23 full frames under one key (RFC 9001 section 6.6); half of that, so that no delay comes near it. */
export const USUAL_UPDATE_PACKETS = 2 ** 22;
const MOST_UPDATE_PACKETS = 2 ** 23;
/**
 * Forgeries until the association ends, of all keys. RFC 9001 has 2^36 and 2^52 for tags of 128 bits. Ours: a guess of a credit's 64 bits then
 * succeeds once in 2^32 associations.
 */
const USUAL_FORGERIES = 2 ** 32;

export interface SealerOptions {
  /** Of the handshake, for this association alone: 32 bytes. */
  readonly secret: Uint8Array;
  /** Whether this host opened the association. */
  readonly isInitiator: boolean;
  readonly makeGcm: MakeGcm;
  /** Packets that are sealed with one key: 8,192 to 2^23. */
  readonly updatePackets?: number;
  /** Forgeries after which the association is over. */
  readonly forgeryLimit?: number;
}

/** Seals and opens the frames of one association at one end. docs/decisions/0025-sealed-frames.md */
export class Sealer implements FrameSealer {
  private readonly output: SealedOutput;
  private readonly input: SealedInput;
  private readonly forgeryLimit: number;

  constructor({ secret, isInitiator, makeGcm, ...limits }: SealerOptions) {
    const { updatePackets = USUAL_UPDATE_PACKETS, forgeryLimit = USUAL_FORGERIES } = limits;
    assert(secret.length === SECRET_BYTES, 'the secret of an association has 32 bytes');
    // With fewer, frames of three keys would be within the replay window, and the phase tells only two apart.
    assert(updatePackets >= REPLAY_WINDOW && updatePackets <= MOST_UPDATE_PACKETS, 'a key lasts 8,192 to 2^23 packets');
    const [outward, inward]: [Direction, Direction] = isInitiator ? [0, 1] : [1, 0];
    this.forgeryLimit = forgeryLimit;
    this.output = new SealedOutput({ secret, direction: outward, makeGcm }, updatePackets);
    this.input = new SealedInput({ secret, direction: inward, makeGcm });
  }

  get isOver(): boolean {
    return this.input.forgeries >= this.forgeryLimit || this.output.isUsedUp;
  }

  get forgeries(): number {
    return this.input.forgeries;
  }

  /** Key updates of either direction. */
  get keyUpdates(): { readonly sent: number; readonly received: number } {
    return { sent: this.output.keyUpdates, received: this.input.keyUpdates };
  }

  seal(frame: Frame): boolean {
    if (this.isOver) return false;
    this.output.seal(frame);
    return true;
  }

  open(frame: Frame): Opening {
    return this.isOver ? Opening.over : this.input.open(frame);
  }

  close(): void {
    this.output.close();
    this.input.close();
  }
}
