// Tested by test/udp/cookies.test.ts
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SECOND_NS } from '../base/time.js';
import { type Bits64, COOKIE_BYTES, type CookieMaker } from '../wire/proofs.js';

/**
 * How long one secret makes cookies; those of the one before are still good. Ours: a handshake takes seconds at most, and who comes back in minutes
 * is known.
 */
const SECRET_NS = 120 * SECOND_NS;
const SECRET_BYTES = 32;
/** Number of the secret, in front of the HMAC. */
const TIME_BYTES = 4;

/**
 * Cookies over HMAC-SHA256 of the address, and of the initiator's bits where they are for one handshake. They prove that a peer gets what is sent to its
 * address, and keep no memory. PROTOCOL §7.2
 */
export class HmacCookies implements CookieMaker {
  private readonly addressOf: (peer: number) => string;
  private readonly root = randomBytes(SECRET_BYTES);

  /** `addressOf`: what cookies of a peer are for; its number must not change meanwhile. */
  constructor(addressOf: (peer: number) => string) {
    this.addressOf = addressOf;
  }

  write(peer: number, bits: Bits64 | null, nowNs: number, out: Uint8Array): void {
    out.set(this.cookie(peer, bits, Math.floor(nowNs / SECRET_NS)));
  }

  isValid(peer: number, bits: Bits64, nowNs: number, cookie: Uint8Array): boolean {
    const now = Math.floor(nowNs / SECRET_NS);
    const epoch = Buffer.from(cookie.buffer, cookie.byteOffset, cookie.length).readUInt32BE(0) - 1;
    if (epoch !== now && epoch !== now - 1) return false;
    return [bits, null].some((those) => timingSafeEqual(cookie, this.cookie(peer, those, epoch)));
  }

  /** A cookie of zeros is none, so secrets count from 1. */
  private cookie(peer: number, bits: Bits64 | null, epoch: number): Buffer {
    const cookie = Buffer.alloc(COOKIE_BYTES);
    cookie.writeUInt32BE(epoch + 1);
    const secret = createHmac('sha256', this.root).update(cookie.subarray(0, TIME_BYTES)).digest();
    const hmac = createHmac('sha256', secret).update(`${this.addressOf(peer)}
`);
    const digest = hmac.update(bits ?? '').digest();
    digest.copy(cookie, TIME_BYTES, 0, COOKIE_BYTES - TIME_BYTES);
    return cookie;
  }
}
