/**
 * Bytes to fields. `checkFrame` checks each arrival once; afterwards no accessor of the frame's type can read outside it. Accessors take the frame's bytes,
 * allocate nothing and return unsigned numbers.
 */
import { type Crc32, crc32Bits } from '../base/crc32.js';
import { read16, read32 } from './bytes.js';
import { chunkCount, chunkTableBytes, hasChunks, hasRoomForChunks, hasValidChunks, tableEnd } from './chunks.js';
import type { Frame } from './frame.js';
import {
  Ack,
  Attach,
  Attached,
  AttachRefused,
  CHECK_RESIDUE,
  Credit,
  CreditFlag,
  CreditRequest,
  CreditStop,
  Data,
  Fin,
  FrameType,
  Header,
  HOP_BITS,
  KeepAlive,
  MAX_FRAME_BYTES,
  NO_HOP,
  RATE_BITS,
  Reset,
  VERSION,
  VersionOffer,
  WindowAck,
} from './layout.js';
import { hasValidFields } from './validity.js';

/** Why `checkFrame` turned a datagram away; negative, so that one number tells a type from a reason. PROTOCOL §2.7 */
export const DropCode = { short: -1, version: -2, type: -3, length: -4, check: -5, invalid: -6 } as const;

/** Names of the drop codes: the name of `code` is at `-code`. */
export const DROP_NAMES: readonly string[] = ['', 'short', 'version', 'type', 'length', 'check', 'invalid'];

const RATE_MASK = (1 << RATE_BITS) - 1;

/** The least that any frame takes: a CREDIT without padding. PROTOCOL §2.7 */
export const SMALLEST_FRAME_BYTES = Credit.bytes;

/** Shortest and longest frame by type; zero where there is no such type. PROTOCOL §3 */
const minBytes = new Uint16Array(16);
const maxBytes = new Uint16Array(16);

function allow(type: number, least: number, most: number): void {
  minBytes[type] = least;
  maxBytes[type] = most;
}

allow(FrameType.creditRequest, CreditRequest.bytes, CreditRequest.bytes);
allow(FrameType.credit, Credit.bytes, Credit.bytes + Credit.maxPaddingBytes);
allow(FrameType.data, Data.overheadBytes + 1, MAX_FRAME_BYTES);
allow(FrameType.ack, Ack.bytes, Ack.bytes + Ack.maxRanges * Ack.rangeBytes);
allow(FrameType.creditStop, CreditStop.bytes, CreditStop.bytes);
allow(FrameType.fin, Fin.bytes, Fin.bytes);
allow(FrameType.reset, Reset.bytes, Reset.bytes);
allow(FrameType.attach, 20, 512);
allow(FrameType.attached, Attached.bytes, Attached.bytes);
allow(FrameType.attachRefused, AttachRefused.bytes, AttachRefused.bytes);
allow(FrameType.keepAlive, KeepAlive.bytes, KeepAlive.bytes);
allow(FrameType.detach, KeepAlive.bytes, KeepAlive.bytes);
allow(FrameType.windowAck, WindowAck.bytes, WindowAck.bytes + Ack.maxRanges * Ack.rangeBytes);
allow(FrameType.speculativeData, Data.overheadBytes + 1, MAX_FRAME_BYTES);
allow(FrameType.version, VersionOffer.bytes, VersionOffer.bytes);

/**
 * The frame's type, or a negative DropCode, tried in the order short, version, type, length, check, invalid. `check === null` skips the check, for worlds that
 * corrupt nothing; so does a frame with counted bytes. PROTOCOL §2.6, §2.7
 */
export function checkFrame(frame: Frame, check: Crc32 | null): number {
  const type = peekHeader(frame.bytes, frame.length);
  if (type < 0) return type;
  const bytes = frame.bytes;
  const lengthFault = checkLength(frame, type);
  if (lengthFault !== 0) return lengthFault;
  if (check !== null && frame.phantomBytes === 0) {
    const intact = type === FrameType.credit ? isCreditIntact(bytes) : check(bytes, 1, frame.length) === CHECK_RESIDUE;
    if (!intact) return DropCode.check;
  }
  if (hasChunks(bytes) && !hasValidChunks(bytes)) return DropCode.invalid;
  return hasValidFields(bytes, type) ? type : DropCode.invalid;
}

/**
 * Checks what a switch needs before it reads the forwarding header: returns the type or a negative DropCode. A VERSION frame is the same in every version and
 * taken from any. PROTOCOL §2, §2.7, §10
 */
export function peekHeader(bytes: Uint8Array, length: number): number {
  if (length < SMALLEST_FRAME_BYTES) return DropCode.short;
  const type = frameType(bytes);
  if (frameVersion(bytes) !== VERSION && type !== FrameType.version) return DropCode.version;
  return maxBytes[type] === 0 ? DropCode.type : type;
}

function checkLength(frame: Frame, type: number): number {
  const total = frame.length + frame.phantomBytes;
  if (total < minBytes[type]) return DropCode.short;
  if (total > maxBytes[type]) return DropCode.length;
  if (type === FrameType.credit && total < Credit.bytes + Credit.explicitBytes && asksForRate(frame.bytes))
    return DropCode.short;
  const hasRanges = type === FrameType.ack || type === FrameType.windowAck;
  if (hasRanges && total !== minBytes[type] + ackRangeCount(frame.bytes) * Ack.rangeBytes) return DropCode.length;
  if (hasChunks(frame.bytes)) return hasRoomForChunks(frame) ? 0 : DropCode.length;
  const misplaced = frame.phantomBytes > 0 && (!isStreamData(type) || frame.length !== Data.payload);
  return misplaced ? DropCode.length : 0;
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

/** PROTOCOL §2.2 */
export function frameType(bytes: Uint8Array): number {
  return bytes[Header.versionAndType] & 0x0f;
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

function field16(at: number): (bytes: Uint8Array) => number {
  return (bytes) => read16(bytes, at);
}

function field32(at: number): (bytes: Uint8Array) => number {
  return (bytes) => read32(bytes, at);
}

/** Stream offset, lower 32 bits. PROTOCOL §3.1 */
export const requestSentOffset = field32(CreditRequest.sentOffset);
/** 16 bits. PROTOCOL §3.1, §5.4 */
export const requestProbe = field16(CreditRequest.probe);
/** Largest UDP payload of the flow. PROTOCOL §3.1 */
export const requestMaxFrameBytes = field16(CreditRequest.maxFrameBytes);
/** 0 for none. PROTOCOL §3.1, §6.1 */
export const requestPairedFlowId = field32(CreditRequest.pairedFlowId);
/** Bytes that wait; 0xFFFFFFFF for that many or more. PROTOCOL §3.1 */
export const requestBacklog = field32(CreditRequest.backlog);

/** PROTOCOL §3.1 */
export function requestWeight(bytes: Uint8Array): number {
  return bytes[CreditRequest.weight];
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

/** Bytes of its flow's stream in a DATA frame that passed `checkFrame`, also where they are only counted; 0 in filled frames alone. They start at `dataPayloadAt`. PROTOCOL §3.3 */
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

/** Stream offset, lower 32 bits. PROTOCOL §3.5 */
export const stopSentOffset = field32(CreditStop.sentOffset);
/** 16 bits. PROTOCOL §3.5, §5.4 */
export const stopProbe = field16(CreditStop.probe);
/** 16 bits. PROTOCOL §3.5, §4.3 */
export const stopUnused = field16(CreditStop.unused);
/** The stream's length, lower 32 bits. PROTOCOL §3.6 */
export const finFinalOffset = field32(Fin.finalOffset);
/** 16 bits. PROTOCOL §3.6, §5.4 */
export const finProbe = field16(Fin.probe);
/** 16 bits. PROTOCOL §3.6, §4.3 */
export const finUnused = field16(Fin.unused);
/** One of `ResetCode`, or a code that this implementation does not know. PROTOCOL §3.7 */
export const resetCode = field16(Reset.code);
/** PROTOCOL §3.8 */
export const attachToken = field32(Attach.token);
/** 0 for "the switch's". PROTOCOL §3.8 */
export const attachMaxFrameBytes = field16(Attach.maxFrameBytes);
/** PROTOCOL §3.9 */
export const attachedToken = field32(Attached.token);
/** Rate of the host's link in kbit/s; 0 for unlimited. PROTOCOL §3.9 */
export const attachedRateKbps = field32(Attached.rateKbps);
/** PROTOCOL §3.9 */
export const attachedMaxFrameBytes = field16(Attached.maxFrameBytes);
/** PROTOCOL §3.9 */
export const attachedKeepAliveMs = field16(Attached.keepAliveMs);
/** PROTOCOL §3.10 */
export const attachRefusedToken = field32(AttachRefused.token);
/** One of `AttachRefusal`, or a code that this implementation does not know. PROTOCOL §3.10 */
export const attachRefusedCode = field16(AttachRefused.code);
/** Of KEEP_ALIVE and of DETACH. PROTOCOL §3.11, §3.12 */
export const keepAliveToken = field32(KeepAlive.token);

/** PROTOCOL §3.13 */
export function versionLowest(bytes: Uint8Array): number {
  return bytes[VersionOffer.lowest];
}

/** PROTOCOL §3.13 */
export function versionHighest(bytes: Uint8Array): number {
  return bytes[VersionOffer.highest];
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
  return read32(bytes, WindowAck.remoteQueuing);
}

/** Stream offset, lower 32 bits; `index` below `ackRangeCount`. PROTOCOL §3.14 */
export function windowAckRangeStart(bytes: Uint8Array, index: number): number {
  return read32(bytes, WindowAck.ranges + index * Ack.rangeBytes);
}

/** Exclusive; stream offset, lower 32 bits. PROTOCOL §3.14 */
export function windowAckRangeEnd(bytes: Uint8Array, index: number): number {
  return read32(bytes, WindowAck.ranges + index * Ack.rangeBytes + Ack.rangeBytes / 2);
}
