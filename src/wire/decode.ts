/**
 * Bytes to fields. `checkFrame` checks each arrival once; afterwards no accessor of the frame's type can read outside it. Accessors take the frame's bytes,
 * allocate nothing and return unsigned numbers.
 */
import { type Crc32, crc32Bits } from '../base/crc32.js';
import { read16, read32 } from './bytes.js';
import { chunkCount, chunkTableBytes, hasChunks, hasRoomForChunks, hasValidChunks, tableEnd } from './chunks.js';
import type { Frame } from './frame.js';
import { kindOf, MAX_BYTES, MIN_BYTES } from './frames.js';
import {
  Ack,
  CHECK_BYTES,
  CHECK_RESIDUE,
  CONTROL_CODES,
  Credit,
  CreditFlag,
  Data,
  EXTENDED,
  Extension,
  FrameType,
  Header,
  HOP_BITS,
  NO_HOP,
  RATE_BITS,
  VERSION,
  WindowAck,
} from './layout.js';
import { hasValidFields } from './validity.js';

/** Why `checkFrame` turned a datagram away; negative, so that one number tells a type from a reason. PROTOCOL §2.7 */
export const DropCode = {
  short: -1,
  version: -2,
  type: -3,
  length: -4,
  check: -5,
  extension: -6,
  invalid: -7,
} as const;

/** Names of the drop codes: the name of `code` is at `-code`. */
export const DROP_NAMES: readonly string[] = [
  '',
  'short',
  'version',
  'type',
  'length',
  'check',
  'extension',
  'invalid',
];

const RATE_MASK = (1 << RATE_BITS) - 1;

/** The least that any frame takes: a CREDIT without padding. PROTOCOL §2.7 */
export const SMALLEST_FRAME_BYTES = Credit.bytes;

/**
 * The frame's type, or a negative DropCode, tried in the order short, version, type, length, check, extension, invalid. `check === null` skips the check, for
 * worlds that corrupt nothing; so does a frame with counted bytes. An extension block is taken off the frame. PROTOCOL §2.6, §2.7, §2.9
 */
export function checkFrame(frame: Frame, check: Crc32 | null): number {
  const type = peekHeader(frame.bytes, frame.length);
  if (type < 0) return type;
  if ((frame.bytes[Header.flags] & EXTENDED) !== 0 && type !== FrameType.credit)
    return checkExtended(frame, type, check);
  const lengthFault = checkLength(frame, type);
  if (lengthFault !== 0) return lengthFault;
  if (!isIntact(frame, type, check)) return DropCode.check;
  return checkFields(frame.bytes, type);
}

function checkFields(bytes: Uint8Array, type: number): number {
  if (hasChunks(bytes) && !hasValidChunks(bytes)) return DropCode.invalid;
  return hasValidFields(bytes, type) ? type : DropCode.invalid;
}

/** Whether the check of a frame of this type is right, or nothing has one. PROTOCOL §2.6 */
export function isIntact({ bytes, length, phantomBytes }: Frame, type: number, check: Crc32 | null): boolean {
  if (check === null || phantomBytes > 0) return true;
  return type === FrameType.credit ? isCreditIntact(bytes) : check(bytes, 1, length) === CHECK_RESIDUE;
}

/** What is dropped stays as it came. PROTOCOL §2.9 */
function checkExtended(frame: Frame, type: number, check: Crc32 | null): number {
  const { bytes, length } = frame;
  const after = length - CHECK_BYTES - Extension.lengthBytes;
  const first = after - read16(bytes, after);
  if (frame.phantomBytes > 0 || first < Header.bytes) return DropCode.length;
  frame.length = first + CHECK_BYTES;
  const lengthFault = checkLength(frame, type);
  frame.length = length;
  if (lengthFault !== 0) return lengthFault;
  if (!isIntact(frame, type, check)) return DropCode.check;
  if (!maySkip(bytes, first, after)) return DropCode.extension;
  const verdict = checkFields(bytes, type);
  if (verdict < 0) return verdict;
  frame.length = first + CHECK_BYTES;
  bytes[Header.flags] &= ~EXTENDED;
  return type;
}

/** Whether the entries fill the block, and all may be skipped: this version knows none. */
function maySkip(bytes: Uint8Array, first: number, after: number): boolean {
  let at = first;
  while (at + Extension.value <= after && (bytes[at] & Extension.requiredBit) === 0)
    at += Extension.value + bytes[at + Extension.length];
  return at === after;
}

/**
 * Checks what a switch needs before it reads the forwarding header: returns the type or a negative DropCode. A VERSION frame is the same in every version and
 * taken from any. PROTOCOL §2, §2.7, §10
 */
export function peekHeader(bytes: Uint8Array, length: number): number {
  if (length < SMALLEST_FRAME_BYTES) return DropCode.short;
  const type = frameType(bytes);
  if (frameVersion(bytes) !== VERSION && type !== FrameType.version) return DropCode.version;
  return MAX_BYTES[type] === 0 ? DropCode.type : type;
}

function checkLength(frame: Frame, type: number): number {
  const total = frame.length + frame.phantomBytes;
  if (total < MIN_BYTES[type]) return DropCode.short;
  if (total > MAX_BYTES[type]) return DropCode.length;
  if (type === FrameType.credit && total < Credit.bytes + Credit.explicitBytes && asksForRate(frame.bytes))
    return DropCode.short;
  const hasRanges = type === FrameType.ack || type === FrameType.windowAck;
  if (type >= CONTROL_CODES && !isAsLongAsItSays(frame.bytes, type, total)) return DropCode.length;
  if (hasRanges && total !== MIN_BYTES[type] + ackRangeCount(frame.bytes) * Ack.rangeBytes) return DropCode.length;
  if (hasChunks(frame.bytes)) return hasRoomForChunks(frame) ? 0 : DropCode.length;
  const misplaced = frame.phantomBytes > 0 && (!isStreamData(type) || frame.length !== Data.payload);
  return misplaced ? DropCode.length : 0;
}

/** Of a control frame, in which what counts has 16 bits. */
function isAsLongAsItSays(bytes: Uint8Array, type: number, total: number): boolean {
  const { repeats, fields } = kindOf(type);
  return repeats === undefined || total === repeats.least + repeats.bytes * read16(bytes, fields[repeats.count].at);
}

/** Of a CREDIT. PROTOCOL §9.7 */
function asksForRate(bytes: Uint8Array): boolean {
  return (flags(bytes) & CreditFlag.explicitRate) !== 0;
}

/** A frame of this type carries bytes of a stream. */
function isStreamData(type: number): boolean {
  return type === FrameType.data || type === FrameType.speculativeData;
}

/** Always the CRC of base: half of all frames are credits, and it takes 17 ns for their 15 bytes, a call into Node's zlib 105 ns (Node 20). PROTOCOL §3.2 */
function isCreditIntact(bytes: Uint8Array): boolean {
  return (crc32Bits(bytes, 1, Credit.check) & 0xffff) === read16(bytes, Credit.check);
}

/** PROTOCOL §2.2 */
export function frameVersion(bytes: Uint8Array): number {
  return bytes[Header.versionAndType] >>> 4;
}

/** The frame's class, or CONTROL_CODES and the type of a control frame. PROTOCOL §2.2 */
export function frameType(bytes: Uint8Array): number {
  const frameClass = bytes[Header.versionAndType] & 0x0f;
  return frameClass === FrameType.control ? CONTROL_CODES + (bytes[Header.flags] & ~EXTENDED) : frameClass;
}

/** PROTOCOL §2.1 */
export function hopLimit(bytes: Uint8Array): number {
  return bytes[Header.hopLimitAndEcn] >>> 2;
}

/** One of `Ecn`. PROTOCOL §2.1 */
export function ecn(bytes: Uint8Array): number {
  return bytes[Header.hopLimitAndEcn] & 0x03;
}

/** PROTOCOL §2.3 */
export function flags(bytes: Uint8Array): number {
  return bytes[Header.flags];
}

/** PROTOCOL §2.4 */
export function pathId(bytes: Uint8Array): number {
  return bytes[Header.pathId];
}

/** PROTOCOL §1.2 */
export function destinationHost(bytes: Uint8Array): number {
  return read16(bytes, Header.destination);
}

/** PROTOCOL §1.2 */
export function sourceHost(bytes: Uint8Array): number {
  return read16(bytes, Header.source);
}

/** PROTOCOL §2.5 */
export function flowId(bytes: Uint8Array): number {
  return read32(bytes, Header.flowId);
}

/** Lower 20 bits. PROTOCOL §3.2 */
export function creditSequence(bytes: Uint8Array): number {
  return read32(bytes, Credit.sequenceAndRate) >>> RATE_BITS;
}

/** Rate code of the flow that the credit is of; 0: none. PROTOCOL §9.7 */
export function creditRateCode(bytes: Uint8Array): number {
  return read16(bytes, Credit.sequenceAndRate + 2) & RATE_MASK;
}

/** Rate code and, in the lowest four bits, hop, as the ports have left them; 0: the credit asks for none. PROTOCOL §9.7 */
export function creditExplicitRate(bytes: Uint8Array): number {
  return (flags(bytes) & CreditFlag.explicitRate) === 0 ? 0 : read16(bytes, Credit.explicitRate);
}

/** Lower 32 bits of the frame's number in a reactive flow. PROTOCOL §3.3, §11.2 */
export function dataFrameNumber(bytes: Uint8Array): number {
  return read32(bytes, Data.frameNumber);
}

/** The echo: sequence of the credit that released the frame. PROTOCOL §3.3 */
export function dataCreditSequence(bytes: Uint8Array): number {
  return read32(bytes, Data.sequenceAndRate) >>> RATE_BITS;
}

/** What the credit brought: rate code and, in the lowest four bits, hop. PROTOCOL §9.7 */
export function dataExplicitRate(bytes: Uint8Array): number {
  return (
    ((read16(bytes, Data.sequenceAndRate + 2) & RATE_MASK) << HOP_BITS) | (read16(bytes, Data.unusedAndHop) & NO_HOP)
  );
}

/** Stream offset of the payload's first byte, lower 32 bits. PROTOCOL §3.3 */
export function dataOffset(bytes: Uint8Array): number {
  return read32(bytes, Data.offset);
}

/** 12-bit count of credits that found nothing to send. PROTOCOL §3.3, §4.3 */
export function dataUnused(bytes: Uint8Array): number {
  return read16(bytes, Data.unusedAndHop) >>> HOP_BITS;
}

/**
 * Bytes of its flow's stream in a DATA frame that passed `checkFrame`, also where they are only counted; 0 in filled frames alone. They start at
 * `dataPayloadAt`. PROTOCOL §3.3
 */
export function dataPayloadBytes(frame: Frame): number {
  const bytes = frame.length + frame.phantomBytes - Data.overheadBytes;
  return hasChunks(frame.bytes) ? bytes - chunkTableBytes(frame.bytes) : bytes;
}

/** Where the payload of a DATA frame begins. PROTOCOL §3.3, §3.16 */
export function dataPayloadAt(bytes: Uint8Array): number {
  return hasChunks(bytes) ? tableEnd(chunkCount(bytes)) : Data.payload;
}

/** Stream offset, lower 32 bits. Of ACK and WINDOW_ACK. PROTOCOL §3.4, §3.14 */
export function ackCumulative(bytes: Uint8Array): number {
  return read32(bytes, Ack.cumulative);
}

/** 16 bits. Of ACK and WINDOW_ACK. PROTOCOL §3.4, §3.14, §5.4 */
export function ackProbe(bytes: Uint8Array): number {
  return read16(bytes, Ack.probe);
}

/** 0 to 32. Of ACK and WINDOW_ACK. PROTOCOL §3.4, §3.14 */
export function ackRangeCount(bytes: Uint8Array): number {
  return bytes[Ack.rangeCount];
}

/** Stream offset, lower 32 bits; `index` below `ackRangeCount`. PROTOCOL §3.4 */
export function ackRangeStart(bytes: Uint8Array, index: number): number {
  return read32(bytes, Ack.ranges + index * Ack.rangeBytes);
}

/** Exclusive; stream offset, lower 32 bits. PROTOCOL §3.4 */
export function ackRangeEnd(bytes: Uint8Array, index: number): number {
  return read32(bytes, Ack.ranges + index * Ack.rangeBytes + Ack.rangeBytes / 2);
}

/** The hop limit with which the data frame arrived. PROTOCOL §3.14 */
export function windowAckHopLimit(bytes: Uint8Array): number {
  return bytes[WindowAck.arrivedWith] >>> 2;
}

/** The ECN field with which the data frame arrived: one of `Ecn`. PROTOCOL §3.14 */
export function windowAckEcn(bytes: Uint8Array): number {
  return bytes[WindowAck.arrivedWith] & 0x03;
}

/** Stream offset, lower 32 bits. PROTOCOL §3.14 */
export function windowAckEnd(bytes: Uint8Array): number {
  return read32(bytes, WindowAck.windowEnd);
}

/** Lower 32 bits. PROTOCOL §3.14 */
export function windowAckFrameNumber(bytes: Uint8Array): number {
  return read32(bytes, WindowAck.frameNumber);
}

/** Microseconds. PROTOCOL §3.14 */
export function windowAckRemoteQueuing(bytes: Uint8Array): number {
  return read16(bytes, WindowAck.remoteQueuing);
}

/** By the receiver's clock, in units of 100 ns, lower 16 bits. PROTOCOL §3.14 */
export function windowAckArrivalTime(bytes: Uint8Array): number {
  return read16(bytes, WindowAck.arrivalTime);
}

/** Stream offset, lower 32 bits; `index` below `ackRangeCount`. PROTOCOL §3.14 */
export function windowAckRangeStart(bytes: Uint8Array, index: number): number {
  return read32(bytes, WindowAck.ranges + index * Ack.rangeBytes);
}

/** Exclusive; stream offset, lower 32 bits. PROTOCOL §3.14 */
export function windowAckRangeEnd(bytes: Uint8Array, index: number): number {
  return read32(bytes, WindowAck.ranges + index * Ack.rangeBytes + Ack.rangeBytes / 2);
}
