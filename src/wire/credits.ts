// Tested by test/wire/credits.test.ts
/** CREDITS: credits of any flows between two hosts in one frame. An entry is a row of credits that differ in their sequence alone. PROTOCOL §3.28 */
import { assert } from '../base/assert.js';
import type { Crc32 } from '../base/crc32.js';
import { isZero32, read16, read32, write16, write32 } from './bytes.js';
import { CAPABLE_FIRST_BYTE, seal } from './encode.js';
import type { Frame } from './frame.js';
import {
  CHECK_BYTES,
  CONTROL_CODES,
  Credit,
  CreditFlag,
  Credits,
  FrameType,
  Header,
  NO_HOST,
  RATE_BITS,
  SEALED_EXTRA_BYTES,
  VERSION,
} from './layout.js';

const VERSION_AND_CREDIT = (VERSION << 4) | FrameType.credit;
const VERSION_AND_CONTROL = (VERSION << 4) | FrameType.control;
const CONTROL_TYPE = Credits.type - CONTROL_CODES;
/** Others mean nothing in an entry. */
const FLAGS = CreditFlag.hopMask | CreditFlag.explicitRate | CreditFlag.lowClass;

/** Whether this frame of direct mode may go in CREDITS: a CREDIT without a path id, and unmarked. */
export function mayJoin({ bytes }: Frame): boolean {
  return (
    bytes[Header.versionAndType] === VERSION_AND_CREDIT &&
    bytes[Header.hopLimitAndEcn] === CAPABLE_FIRST_BYTE &&
    bytes[Header.pathId] === 0
  );
}

/** Begins to write CREDITS. */
export function beginCredits(frame: Frame): void {
  const { bytes } = frame;
  bytes.fill(0, 0, Credits.entries);
  bytes[Header.hopLimitAndEcn] = CAPABLE_FIRST_BYTE;
  bytes[Header.versionAndType] = VERSION_AND_CONTROL;
  bytes[Header.flags] = CONTROL_TYPE;
  frame.length = Credits.entries;
}

/** Adds a CREDIT for which `mayJoin` holds; false where it does not fit. */
export function addCredit(frame: Frame, { bytes: credit }: Frame): boolean {
  const { bytes, length: at } = frame;
  if (at > Credits.entries && isNext(bytes, at - Credits.entryBytes, credit)) {
    bytes[at - Credits.entryBytes + Credits.count]++;
    return true;
  }
  const end = at + Credits.entryBytes;
  if (end > lastEnd(bytes)) return false;
  for (let offset = 0; offset < 4; offset++) {
    bytes[at + Credits.flowId + offset] = credit[Header.flowId + offset];
    bytes[at + Credits.sequenceAndRate + offset] = credit[Credit.sequenceAndRate + offset];
  }
  write16(bytes, at + Credits.explicitRate, explicitRateOf(credit));
  bytes[at + Credits.flags] = credit[Header.flags];
  bytes[at + Credits.count] = 1;
  frame.length = end;
  return true;
}

/** Writes what is known at the end. */
export function endCredits(frame: Frame, check: Crc32 | null): void {
  write16(frame.bytes, Credits.entryCount, (frame.length - Credits.entries) / Credits.entryBytes);
  frame.length = seal(frame.bytes, frame.length, check);
  assert(framesIn(frame) <= Credits.maxCredits, 'one frame has no more credits than may be in it');
}

/** Whether every entry is one that a correct peer sends. PROTOCOL §2.7 `invalid` */
export function hasValidCredits(bytes: Uint8Array): boolean {
  const end = entryAt(entryCount(bytes));
  let sum = 0;
  for (let at = entryAt(0); at < end; at += Credits.entryBytes) {
    const count = bytes[at + Credits.count];
    if (isZero32(bytes, at + Credits.flowId) || count === 0) return false;
    sum += count;
  }
  return sum <= Credits.maxCredits && read16(bytes, Header.destination) === NO_HOST;
}

/** Entries of CREDITS that passed `checkFrame`. */
export function entryCount(bytes: Uint8Array): number {
  return read16(bytes, Credits.entryCount);
}

/** Frames that a frame stands for, 1 or more: the credits of CREDITS. Of any bytes, for who only wants to know how much there was to do. */
export function framesIn({ bytes, length }: Frame): number {
  if (!isCredits(bytes)) return 1;
  let sum = 0;
  for (let at = entryAt(0); at + Credits.entryBytes < length; at += Credits.entryBytes)
    sum += bytes[at + Credits.count];
  return Math.max(1, sum);
}

/** Makes `into` the first CREDIT of entry `index`, without a check; returns how many the entry has. */
export function takeCredit(frame: Frame, index: number, into: Frame): number {
  const [from, to, at] = [frame.bytes, into.bytes, entryAt(index)];
  to[Header.hopLimitAndEcn] = from[Header.hopLimitAndEcn];
  to[Header.versionAndType] = VERSION_AND_CREDIT;
  to[Header.flags] = from[at + Credits.flags] & FLAGS;
  for (let offset = 0; offset < 4; offset++) {
    to[Header.flowId + offset] = from[at + Credits.flowId + offset];
    to[Credit.sequenceAndRate + offset] = from[at + Credits.sequenceAndRate + offset];
  }
  write16(to, Credit.explicitRate, read16(from, at + Credits.explicitRate));
  into.length = Credit.bytes + Credit.explicitBytes;
  into.peer = frame.peer;
  return from[at + Credits.count];
}

/** Makes a CREDIT the one after it. */
export function nextCredit(bytes: Uint8Array): void {
  write32(bytes, Credit.sequenceAndRate, read32(bytes, Credit.sequenceAndRate) + (1 << RATE_BITS));
}

/** Whether a frame is CREDITS with an entry of this flow. Of any bytes; where they are sealed, none shows. */
export function hasCreditOf(id: number, bytes: Uint8Array, length: number): boolean {
  if (!isCredits(bytes)) return false;
  for (let at = entryAt(0); at + Credits.entryBytes < length; at += Credits.entryBytes)
    if (read32(bytes, at + Credits.flowId) === id) return true;
  return false;
}

/** Of any bytes, sealed ones too. */
export function isCredits(bytes: Uint8Array): boolean {
  return bytes[Header.versionAndType] === VERSION_AND_CONTROL && bytes[Header.flags] === CONTROL_TYPE;
}

/** Whether `credit` is the one after those of the entry at `at`, and like them in all else. */
function isNext(bytes: Uint8Array, at: number, credit: Uint8Array): boolean {
  const count = bytes[at + Credits.count];
  // The sequence is above the rate code: both are compared.
  const next = (read32(bytes, at + Credits.sequenceAndRate) + (count << RATE_BITS)) >>> 0;
  return (
    read32(credit, Credit.sequenceAndRate) === next &&
    read32(credit, Header.flowId) === read32(bytes, at + Credits.flowId) &&
    credit[Header.flags] === bytes[at + Credits.flags] &&
    explicitRateOf(credit) === read16(bytes, at + Credits.explicitRate)
  );
}

function explicitRateOf(credit: Uint8Array): number {
  return (credit[Header.flags] & CreditFlag.explicitRate) === 0 ? 0 : read16(credit, Credit.explicitRate);
}

/** Where the last entry ends at the latest: check and seal follow. */
function lastEnd(bytes: Uint8Array): number {
  return Math.min(entryAt(Credits.maxEntries), bytes.length - CHECK_BYTES - SEALED_EXTRA_BYTES);
}

function entryAt(index: number): number {
  return Credits.entries + index * Credits.entryBytes;
}
