import { read32, write32 } from '../wire/bytes.js';

/** When it was made, then the proof. */
export const COOKIE_BYTES = 20;
const TIME_BYTES = 4;
const PROOF_BYTES = COOKIE_BYTES - TIME_BYTES;
export const COOKIE_SECRET_BYTES = 32;
/** WireGuard's, whitepaper section 5.4.7: a secret makes cookies for two minutes, and they are good for two more. */
const ROTATION_NS = 120e9;
/** The unit of the time in a cookie; 32 bits of it are 49 days. */
const MILLISECOND_NS = 1e6;

/** HMAC-SHA256. */
export type Hmac = (key: Uint8Array, bytes: Uint8Array) => Uint8Array;

export interface CookieParts {
  readonly hmac: Hmac;
  /** Fresh random bytes, `COOKIE_SECRET_BYTES` of them. */
  readonly makeSecret: () => Uint8Array;
}

/** Who has to be reached before a host keeps state for it. */
export interface CookieHolder {
  /** IP address as bytes, or the host id behind a switch. */
  readonly address: Uint8Array;
  /** 0 behind a switch. */
  readonly port: number;
  /** The initiator's random number of this association: 8 bytes. */
  readonly ci: Uint8Array;
}

/**
 * Cookies by which a host that keeps no state knows that a peer receives what is sent to its address: RFC 9000 section 8.1, RFC 6347 section 4.2.1. A cookie is
 * good for one address, port and `ci`, for two to four minutes.
 */
export class CookieMaker {
  private readonly parts: CookieParts;
  private secret: Uint8Array;
  private previous: Uint8Array | null = null;
  private rotateAtNs: number;

  constructor(parts: CookieParts, nowNs: number) {
    this.parts = parts;
    this.secret = parts.makeSecret();
    this.rotateAtNs = nowNs + ROTATION_NS;
  }

  /** A cookie of `COOKIE_BYTES`. */
  make(holder: CookieHolder, nowNs: number): Uint8Array {
    this.rotate(nowNs);
    const cookie = new Uint8Array(COOKIE_BYTES);
    write32(cookie, 0, Math.floor(nowNs / MILLISECOND_NS));
    cookie.set(this.prove(this.secret, holder, cookie), TIME_BYTES);
    return cookie;
  }

  /** Whether this host has made the cookie for this holder, not too long ago. Takes the same time for all that are wrong. */
  isGood(cookie: Uint8Array, holder: CookieHolder, nowNs: number): boolean {
    this.rotate(nowNs);
    if (cookie.length !== COOKIE_BYTES) return false;
    const isOfNow = isSame(this.prove(this.secret, holder, cookie), cookie);
    const isOfBefore = this.previous !== null && isSame(this.prove(this.previous, holder, cookie), cookie);
    return (isOfNow || isOfBefore) && this.ageNs(cookie, nowNs) <= 2 * ROTATION_NS;
  }

  /** The time in the cookie wraps. */
  private ageNs(cookie: Uint8Array, nowNs: number): number {
    const nowMs = Math.floor(nowNs / MILLISECOND_NS);
    return ((nowMs - read32(cookie, 0)) >>> 0) * MILLISECOND_NS;
  }

  private prove(secret: Uint8Array, { address, port, ci }: CookieHolder, cookie: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(TIME_BYTES + 4 + ci.length + 1 + address.length);
    bytes.set(cookie.subarray(0, TIME_BYTES));
    write32(bytes, TIME_BYTES, port);
    // Lengths first, so that no two holders are the same bytes.
    bytes[TIME_BYTES + 4] = ci.length;
    bytes.set(ci, TIME_BYTES + 5);
    bytes.set(address, TIME_BYTES + 5 + ci.length);
    return this.parts.hmac(secret, bytes).subarray(0, PROOF_BYTES);
  }

  /** After a pause of two rotations no cookie is good any more. */
  private rotate(nowNs: number): void {
    if (nowNs < this.rotateAtNs) return;
    this.previous = nowNs < this.rotateAtNs + ROTATION_NS ? this.secret : null;
    this.secret = this.parts.makeSecret();
    this.rotateAtNs = nowNs + ROTATION_NS;
  }
}

function isSame(proof: Uint8Array, cookie: Uint8Array): boolean {
  let difference = 0;
  for (let at = 0; at < PROOF_BYTES; at++) difference |= proof[at] ^ cookie[TIME_BYTES + at];
  return difference === 0;
}
