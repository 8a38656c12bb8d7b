// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import type { Random } from '../base/random.js';
import { SECOND_NS } from '../base/time.js';
import { read32, write32 } from '../wire/bytes.js';
import { type Bits64, COOKIE_BYTES, type CookieMaker } from '../wire/proofs.js';

/** As long as a secret of real cookies: src/udp/cookies.ts. */
const SECRET_NS = 120 * SECOND_NS;
const WORD_BYTES = 4;
/** Words of a cookie behind its time. */
const SUMS = COOKIE_BYTES / WORD_BYTES - 1;

/** Cookies of simulated hosts: sums with a secret in place of HMACs. Nobody in a simulation computes, so the secret stays one. */
export class SumCookies implements CookieMaker {
  private readonly secret: readonly number[];

  constructor(random: Random) {
    this.secret = Array.from({ length: SUMS }, () => random.uint32());
  }

  write(peer: number, bits: Bits64 | null, nowNs: number, out: Uint8Array): void {
    this.writeOf(peer, bits, { epoch: Math.floor(nowNs / SECRET_NS), out });
  }

  isValid(peer: number, bits: Bits64, nowNs: number, cookie: Uint8Array): boolean {
    const epoch = read32(cookie, 0) - 1;
    const now = Math.floor(nowNs / SECRET_NS);
    if (epoch !== now && epoch !== now - 1) return false;
    const out = new Uint8Array(COOKIE_BYTES);
    return [bits, null].some((those) => {
      this.writeOf(peer, those, { epoch, out });
      return out.every((byte, at) => byte === cookie[at]);
    });
  }

  /** A cookie of zeros is none, so times count from 1. */
  private writeOf(peer: number, bits: Bits64 | null, { epoch, out }: { epoch: number; out: Uint8Array }): void {
    write32(out, 0, epoch + 1);
    const halves = bits === null ? [0, 0, 0] : [1, read32(bits, 0), read32(bits, WORD_BYTES)];
    const words = [epoch, peer, ...halves];
    this.secret.forEach((secret, at) => {
      write32(out, (at + 1) * WORD_BYTES, words.reduce(mix, secret));
    });
  }
}

/** The finaliser of MurmurHash3 (Austin Appleby, public domain), word by word. */
function mix(sum: number, word: number): number {
  let mixed = Math.imul(sum ^ word, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
