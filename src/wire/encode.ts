/**
 * Fields of hot frames to bytes (the others follow from frames.ts), in a buffer of the caller that is long enough; returns the frame's length.
 * Allocates nothing: fill one object of fields anew. Wide counters are cut to the field's lower bits (PROTOCOL §1.3). `check === null` writes zeros,
 * for worlds that corrupt nothing.
 */
import { type Crc32, crc32Bits } from '../base/crc32.js';
import { write16, write32 } from './bytes.js';
import {
  Ack,
  CHECK_BYTES,
  Credit,
  CreditFlag,
  Data,
  DataFlag,
  Ecn,
  FrameType,
  Header,
  HOP_BITS,
  MAX_HOP_LIMIT,
  NO_HOP,
  RATE_BITS,
  VERSION,
  WindowAck,
} from './layout.js';

/** Where a frame goes and of which flow it is. PROTOCOL §1.2, §2.5 */
export interface FlowHeader {
  /** Host id. */
  destination: number;
  /** Host id. */
  source: number;
  /** 0 in frames between a host and its switch. */
  flowId: number;
  /** Of frames that carry none of their own; 0 without it. PROTOCOL §2.4 */
  pathId?: number;
}

/** PROTOCOL §3.2 */
export interface CreditFields {
  /** Bits of `CreditFlag`; 0 without it. */
  flags?: number;
  sequence: number;
  pathId: number;
  /** 0 to 8; at least the 2 of the explicit rate where there is one. */
  paddingBytes: number;
  /** Rate code of the flow, which asks for an explicit rate; 0: it asks for none. PROTOCOL §9.7 */
  rateCode: number;
  /** The hop that limits the flow, or NO_HOP. */
  hop: number;
}

/** PROTOCOL §3.15 */
export interface SpeculativeFields {
  /** Stream offset of the payload's first byte. */
  offset: number;
  /** DataFlag.end or 0. */
  flags: number;
}

/** PROTOCOL §3.3 */
export interface DataFields {
  /** In a reactive flow the frame's number, which stands in the same place. PROTOCOL §11.2 */
  creditSequence: number;
  /** What the credit brought: rate code and hop, as CREDIT has them; 0 for none. PROTOCOL §9.7 */
  explicitRate: number;
  /** Stream offset of the payload's first byte. */
  offset: number;
  unused: number;
  /** Bits of `DataFlag`. */
  flags: number;
  pathId: number;
}

/** Ascending ranges beyond the cumulative offset that touch neither it nor each other; a `RangeSet` is one. */
export interface AckRanges {
  readonly count: number;
  start(index: number): number;
  /** Exclusive. */
  end(index: number): number;
}

/** PROTOCOL §3.4 */
export interface AckFields {
  /** Bits of `AckFlag`. */
  flags: number;
  cumulative: number;
  probe: number;
  /** As many of the lowest are written as a frame and the buffer hold. */
  ranges: AckRanges;
}

/** PROTOCOL §3.14 */
export interface WindowAckFields extends AckFields {
  windowEnd: number;
  frameNumber: number;
  /** Byte 0 of the data frame as it arrived. */
  arrivedWith: number;
  /** Microseconds, at most 65,535. */
  remoteQueuing: number;
  /** Units of 100 ns, lower 16 bits. */
  arrivalTime: number;
}

/** Writes a frame of these fields and returns its length. */
export type Encode<F> = (bytes: Uint8Array, header: FlowHeader, fields: F, check: Crc32 | null) => number;

/** Of a frame that is ECN-capable, as it leaves its host. */
export const CAPABLE_FIRST_BYTE = (MAX_HOP_LIMIT << 2) | Ecn.capable0;
const PLAIN_FIRST_BYTE = (MAX_HOP_LIMIT << 2) | Ecn.notCapable;
/** An explicit rate that no port has lowered: the highest code, and no hop. */
const UNLIMITED = 0xffff;

/** PROTOCOL §2; credits and data are ECN-capable (§2.1). */
export function writeHeader(bytes: Uint8Array, header: FlowHeader, type: number, flags: number): void {
  const capable = type === FrameType.credit || type === FrameType.data;
  bytes[Header.hopLimitAndEcn] = capable ? CAPABLE_FIRST_BYTE : PLAIN_FIRST_BYTE;
  bytes[Header.versionAndType] = (VERSION << 4) | type;
  bytes[Header.flags] = flags;
  bytes[Header.pathId] = header.pathId ?? 0;
  write16(bytes, Header.destination, header.destination);
  write16(bytes, Header.source, header.source);
  write32(bytes, Header.flowId, header.flowId);
}

/** Writes the CRC behind the first `length` bytes and returns the length with it. PROTOCOL §2.6 */
export function seal(bytes: Uint8Array, length: number, check: Crc32 | null): number {
  const crc = check === null ? 0 : check(bytes, 1, length);
  bytes[length] = crc;
  bytes[length + 1] = crc >>> 8;
  bytes[length + 2] = crc >>> 16;
  bytes[length + 3] = crc >>> 24;
  return length + CHECK_BYTES;
}

/** PROTOCOL §3.2 */
export function encodeCredit(bytes: Uint8Array, header: FlowHeader, fields: CreditFields, check: Crc32 | null): number {
  const { rateCode, flags = 0 } = fields;
  writeHeader(bytes, header, FrameType.credit, rateCode === 0 ? flags : flags | CreditFlag.explicitRate | fields.hop);
  bytes[Header.pathId] = fields.pathId;
  write32(bytes, Credit.sequenceAndRate, (fields.sequence << RATE_BITS) | rateCode);
  write16(bytes, Credit.check, check === null ? 0 : crc32Bits(bytes, 1, Credit.check));
  const length = Credit.bytes + fields.paddingBytes;
  for (let at: number = Credit.bytes; at < length; at++) bytes[at] = 0;
  if (rateCode !== 0) write16(bytes, Credit.explicitRate, UNLIMITED);
  return length;
}

/**
 * Writes all that stands before the payload and returns where it ends, at `Data.payload`. The caller puts the payload there and calls `seal`, or
 * counts payload and check in `Frame.phantomBytes`. PROTOCOL §3.3
 */
export function encodeData(bytes: Uint8Array, header: FlowHeader, fields: DataFields): number {
  writeHeader(bytes, header, FrameType.data, fields.flags);
  bytes[Header.pathId] = fields.pathId;
  const { creditSequence, explicitRate } = fields;
  const isReactive = (fields.flags & DataFlag.reactive) !== 0;
  write32(
    bytes,
    Data.sequenceAndRate,
    isReactive ? creditSequence : (creditSequence << RATE_BITS) | (explicitRate >>> HOP_BITS),
  );
  write32(bytes, Data.offset, fields.offset);
  write16(bytes, Data.unusedAndHop, (fields.unused << HOP_BITS) | (explicitRate & NO_HOP));
  return Data.payload;
}

/** Writes all but payload and check, as `encodeData` does. PROTOCOL §3.15 */
export function encodeSpeculativeData(bytes: Uint8Array, header: FlowHeader, fields: SpeculativeFields): number {
  writeHeader(bytes, header, FrameType.speculativeData, fields.flags);
  write32(bytes, Data.sequenceAndRate, 0);
  write32(bytes, Data.offset, fields.offset);
  write16(bytes, Data.unusedAndHop, 0);
  return Data.payload;
}

/** PROTOCOL §3.4 */
export function encodeAck(bytes: Uint8Array, header: FlowHeader, fields: AckFields, check: Crc32 | null): number {
  writeHeader(bytes, header, FrameType.ack, fields.flags);
  bytes[Ack.rangeCount + 1] = 0;
  return seal(bytes, writeArrived(bytes, fields, Ack.ranges), check);
}

/** PROTOCOL §3.14 */
export const encodeWindowAck: Encode<WindowAckFields> = (bytes, header, fields, check) => {
  writeHeader(bytes, header, FrameType.windowAck, fields.flags);
  bytes[WindowAck.arrivedWith] = fields.arrivedWith;
  write32(bytes, WindowAck.windowEnd, fields.windowEnd);
  write32(bytes, WindowAck.frameNumber, fields.frameNumber);
  write16(bytes, WindowAck.remoteQueuing, fields.remoteQueuing);
  write16(bytes, WindowAck.arrivalTime, fields.arrivalTime);
  return seal(bytes, writeArrived(bytes, fields, WindowAck.ranges), check);
};

/** What ACK and WINDOW_ACK have in common; the ranges begin at `first`. Returns where they end. */
function writeArrived(bytes: Uint8Array, { cumulative, probe, ranges }: AckFields, first: number): number {
  const room = Math.floor((bytes.length - first - CHECK_BYTES) / Ack.rangeBytes);
  const count = Math.min(ranges.count, Ack.maxRanges, room);
  write32(bytes, Ack.cumulative, cumulative);
  write16(bytes, Ack.probe, probe);
  bytes[Ack.rangeCount] = count;
  let at = first;
  for (let index = 0; index < count; index++, at += Ack.rangeBytes) {
    write32(bytes, at, ranges.start(index));
    write32(bytes, at + Ack.rangeBytes / 2, ranges.end(index));
  }
  return at;
}
