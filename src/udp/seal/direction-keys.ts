// Tested by test/udp/seal/sealer.test.ts
import { hkdfSync } from 'node:crypto';
import { ChaCha20Poly1305 } from '../../base/chacha20-poly1305.js';
import { GCM_KEY_BYTES, type GcmCipher, type MakeGcm } from './gcm.js';

/** Of a direction, from the handshake. */
export const SECRET_BYTES = 32;
const CREDIT_KEY_BYTES = 32;
export const SALT_BYTES = 3;
const NO_SALT = new Uint8Array(0);

/** The keys of one direction from one key update to the next. */
export class DirectionKeys {
  /** Of all frames but CREDIT. */
  readonly frames: GcmCipher;
  readonly credits: ChaCha20Poly1305;
  private readonly secret: Uint8Array;
  private readonly makeGcm: MakeGcm;
  private readonly isSealing: boolean;

  constructor(secret: Uint8Array, makeGcm: MakeGcm, isSealing: boolean) {
    this.secret = secret;
    this.makeGcm = makeGcm;
    this.isSealing = isSealing;
    this.frames = makeGcm(derive(secret, 'frames', GCM_KEY_BYTES), isSealing);
    this.credits = new ChaCha20Poly1305(derive(secret, 'credits', CREDIT_KEY_BYTES));
  }

  /** The keys after these, which do not lead back to them. */
  makeNext(): DirectionKeys {
    return new DirectionKeys(derive(this.secret, 'update', SECRET_BYTES), this.makeGcm, this.isSealing);
  }

  close(): void {
    this.frames.close();
  }
}

/** HKDF-SHA256, RFC 5869; each purpose has a label of its own. */
export function derive(secret: Uint8Array, purpose: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, NO_SALT, `xpass 2 ${purpose}`, bytes));
}
