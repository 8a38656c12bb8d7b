// Tested by test/udp/cookies.test.ts and test/switch/switch.test.ts
import type { Crc32 } from '../base/crc32.js';
import type { Random } from '../base/random.js';
import { read32, write32 } from './bytes.js';
import { seal } from './encode.js';
import type { Frame } from './frame.js';
import { CHECK_BYTES } from './layout.js';

/** What shows that a peer gets what is sent to its address, and that it is who it was. PROTOCOL §7.2, §8.3 */

/** 64 random bits. */
export type Bits64 = Uint8Array;
export const BITS_BYTES = 8;
const LOWER = 4;
/** The number of a secret and half of an HMAC. PROTOCOL §7.2 */
export const COOKIE_BYTES = 20;
/** Half of an HMAC. PROTOCOL §8.3 */
export const PROOF_BYTES = 16;

export function randomBits(random: Random): Bits64 {
  const bits = new Uint8Array(BITS_BYTES);
  write32(bits, 0, random.uint32());
  write32(bits, LOWER, random.uint32());
  return bits;
}

/** The half that stands in the place of the flow id. PROTOCOL §7.7, §7.8 */
export function lowerHalf(bits: Bits64): number {
  return read32(bits, LOWER);
}

/** In a time that says nothing of where they differ; of one length. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at];
  return difference === 0;
}

/** Makes and checks proofs of an address without keeping anything of it. PROTOCOL §7.2 */
export interface CookieMaker {
  /** Writes COOKIE_BYTES to `out`: for the address of `peer` and these bits; null for any bits, in a cookie for the next time. */
  write(peer: number, bits: Bits64 | null, nowNs: number, out: Uint8Array): void;
  /** Whether `cookie` was made here for that address not long ago, for these bits or for any. */
  isValid(peer: number, bits: Bits64, nowNs: number, cookie: Uint8Array): boolean;
}

/** Shows that a frame between a host and its switch is of who attached. PROTOCOL §8.3 */
export interface AttachProof {
  /** Writes PROOF_BYTES at `at` of a frame that is complete up to there. */
  write(bytes: Uint8Array, at: number, nonce: Bits64): void;
  isValid(bytes: Uint8Array, at: number, nonce: Bits64): boolean;
}

/** Where the proof of a frame stands that ends with one: in front of its check. */
export function proofAt({ length }: Frame): number {
  return length - CHECK_BYTES - PROOF_BYTES;
}

/** Ends a frame that was encoded without its proof and its check. */
export function proveFrame(frame: Frame, by: { proof: AttachProof; nonce: Bits64; check: Crc32 | null }): void {
  by.proof.write(frame.bytes, proofAt(frame), by.nonce);
  seal(frame.bytes, frame.length - CHECK_BYTES, by.check);
}

/** Without a key: the 64 random bits of the process, which who sees no frames does not know. */
export const NONCE_PROOF: AttachProof = {
  write: (bytes, at, nonce) => {
    bytes.fill(0, at, at + PROOF_BYTES);
    bytes.set(nonce, at);
  },
  isValid: (bytes, at, nonce) =>
    isSame(bytes.subarray(at, at + BITS_BYTES), nonce) &&
    bytes.subarray(at + BITS_BYTES, at + PROOF_BYTES).every((byte) => byte === 0),
};
