// Tested by test/udp/seal/sealer.test.ts
/** Sealed frames: a plain frame with its body encrypted, a packet number and a tag. docs/decisions/0025-sealed-frames.md */
import { read16, read32, write16 } from './bytes.js';
import { CHECK_BYTES, Credit, FrameType, Header, SEALED_CREDIT_EXTRA_BYTES, SEALED_EXTRA_BYTES } from './layout.js';

/** Bytes that switches leave alone; the tag covers them. Byte 0 is rewritten on the way. */
export const AUTHENTICATED_FROM = 1;

/** Of all frames but CREDIT, counted from the end of the body: the number stands where the check stood. */
export const Sealed = { number: 0, tag: 4, tagBytes: 16, extraBytes: SEALED_EXTRA_BYTES } as const;
const LEAST_SEALED_BYTES = Header.bytes + CHECK_BYTES + Sealed.extraBytes;

/** CREDIT: the explicit rate, which switches lower, stays where it is. `bytes` without padding. */
export const SealedCredit = {
  text: Credit.sequenceAndRate,
  textEnd: Credit.check,
  numberHigh: Credit.check,
  explicitRate: Credit.explicitRate,
  numberLow: 20,
  tag: 22,
  tagBytes: 8,
  bytes: 30,
  extraBytes: SEALED_CREDIT_EXTRA_BYTES,
} as const;

export function isCredit(bytes: Uint8Array): boolean {
  return (bytes[Header.versionAndType] & 0x0f) === FrameType.credit;
}

/** Makes room in a plain CREDIT of `length` bytes, whose padding begins with the explicit rate; returns the length with it. */
export function widenCredit(bytes: Uint8Array, length: number): number {
  const hasRate = length >= Credit.bytes + Credit.explicitBytes;
  if (!hasRate) write16(bytes, SealedCredit.explicitRate, 0);
  bytes.fill(0, SealedCredit.numberLow, length + SealedCredit.extraBytes);
  return length + SealedCredit.extraBytes;
}

/** Whether a sealed CREDIT is as long as one can be, and its padding is zero: it is outside the tag. */
function isSealedCreditWhole(bytes: Uint8Array, length: number): boolean {
  if (length < SealedCredit.bytes || length > SealedCredit.bytes + Credit.maxPaddingBytes) return false;
  for (let at: number = SealedCredit.bytes; at < length; at++) if (bytes[at] !== 0) return false;
  return true;
}

/** Turns an opened CREDIT back into a plain one, without its check; returns its length. */
export function narrowCredit(bytes: Uint8Array, length: number): number {
  const narrow = length - SealedCredit.extraBytes;
  const padding = Credit.bytes + Credit.explicitBytes;
  if (narrow > padding) bytes.fill(0, padding, narrow);
  return narrow;
}

/** Phase and packet number, 32 bits, signed: numbers above 2^31 would become doubles. */
function readCreditNumber(bytes: Uint8Array): number {
  return (read16(bytes, SealedCredit.numberHigh) << 16) | read16(bytes, SealedCredit.numberLow);
}

export function writeCreditNumber(bytes: Uint8Array, number: number): void {
  write16(bytes, SealedCredit.numberHigh, number >>> 16);
  write16(bytes, SealedCredit.numberLow, number);
}

/** Whether a sealed frame can have this length, and a CREDIT this padding. */
export function isSealedWhole(bytes: Uint8Array, length: number): boolean {
  return isCredit(bytes) ? isSealedCreditWhole(bytes, length) : length >= LEAST_SEALED_BYTES;
}

/** Phase and packet number of any frame for which `isSealedWhole` holds; signed as those of a CREDIT. */
export function readMarkedNumber(bytes: Uint8Array, length: number): number {
  if (isCredit(bytes)) return readCreditNumber(bytes);
  return read32(bytes, length - Sealed.extraBytes - Sealed.tag + Sealed.number) | 0;
}
