// Tested by test/telemetry/capture/capture.test.ts
/**
 * Blocks of a pcapng file: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html. Little-endian; time stamps in ns. Nothing here knows what is in a
 * packet.
 */

/** Packets begin with an IPv4 or IPv6 header. https://www.tcpdump.org/linktypes.html */
const LINKTYPE_RAW = 101;
/** Draft, section 4.2, if_tsresol: units of 10^-9 s. */
const NANOSECONDS = 9;

const Block = { section: 0x0a0d0d0a, interface: 1, statistics: 5, packet: 6 } as const;
const Option = {
  comment: 1,
  application: 4,
  name: 2,
  description: 3,
  resolution: 9,
  startTime: 2,
  endTime: 3,
  received: 4,
  dropped: 5,
  accepted: 6,
  delivered: 8,
} as const;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
/** Of a section whose length is not written. */
const NO_LENGTH = 0xffffffff;
/** Type, total length and, at the end, total length again. */
const FRAME_BYTES = 12;
/** Block type and length, interface, time in two words, captured and original length. */
const PACKET_HEADER_BYTES = 28;
const OPTION_HEADER_BYTES = 4;
const WORD = 2 ** 32;

const utf8 = new TextEncoder();

/** A time in ns since 1970 as two words of 32 bits: no double holds it to the nanosecond. */
export interface Stamp {
  high: number;
  low: number;
}

/** One interface of a file. */
export interface CaptureInterface {
  readonly name: string;
  readonly description: string;
}

/** What an Interface Statistics Block says. */
export interface InterfaceCounts {
  readonly start: Stamp;
  readonly end: Stamp;
  /** Frames that came by, those that the filter let through, and those of them that are in a file. */
  readonly received: number;
  readonly accepted: number;
  readonly delivered: number;
  /** Could not be written. */
  readonly dropped: number;
}

export function sectionHeader(application: string): Uint8Array {
  const options = [textOption(Option.application, application)];
  return block(Block.section, [words(BYTE_ORDER_MAGIC, 0x00000001, NO_LENGTH, NO_LENGTH)], options);
}

export function interfaceDescription({ name, description }: CaptureInterface, snapBytes: number): Uint8Array {
  const options = [
    textOption(Option.name, name),
    textOption(Option.description, description),
    { code: Option.resolution, value: Uint8Array.of(NANOSECONDS) },
  ];
  return block(Block.interface, [words(LINKTYPE_RAW, snapBytes)], options);
}

export function interfaceStatistics(index: number, counts: InterfaceCounts): Uint8Array {
  const { start, end } = counts;
  const options = [
    { code: Option.startTime, value: words(start.high, start.low) },
    { code: Option.endTime, value: words(end.high, end.low) },
    { code: Option.received, value: count(counts.received) },
    { code: Option.dropped, value: count(counts.dropped) },
    { code: Option.accepted, value: count(counts.accepted) },
    { code: Option.delivered, value: count(counts.delivered) },
  ];
  return block(Block.statistics, [words(index, end.high, end.low)], options);
}

/** A comment as packets carry it, made once for all packets that have it. */
export function packetComment(comment: string): Uint8Array {
  return optionBytes([textOption(Option.comment, comment)]);
}

/** What a packet with `captured` bytes takes in the file. */
export function packetBlockBytes(captured: number, comment: Uint8Array | null): number {
  return PACKET_HEADER_BYTES + padded(captured) + (comment === null ? 0 : comment.length) + 4;
}

/** One packet whose bytes the caller writes; `comment` as `packetComment` makes it. */
export interface PacketBlock {
  interfaceId: number;
  readonly stamp: Stamp;
  /** Bytes in the file, and on the wire. */
  captured: number;
  original: number;
  comment: Uint8Array | null;
}

/** Writes all of a packet's block but its bytes; returns where those begin. `into`: the same bytes twice. */
export function writePacketBlock(
  into: { readonly bytes: Uint8Array; readonly view: DataView },
  at: number,
  packet: PacketBlock,
): number {
  const { view } = into;
  const { captured, comment, stamp } = packet;
  const bytes = packetBlockBytes(captured, comment);
  view.setUint32(at, Block.packet, true);
  view.setUint32(at + 4, bytes, true);
  view.setUint32(at + 8, packet.interfaceId, true);
  view.setUint32(at + 12, stamp.high, true);
  view.setUint32(at + 16, stamp.low, true);
  view.setUint32(at + 20, captured, true);
  view.setUint32(at + 24, packet.original, true);
  const dataAt = at + PACKET_HEADER_BYTES;
  // The padding is in the last word before the caller's bytes come.
  if (captured % 4 !== 0) view.setUint32(dataAt + padded(captured) - 4, 0, true);
  if (comment !== null) into.bytes.set(comment, dataAt + padded(captured));
  view.setUint32(at + bytes - 4, bytes, true);
  return dataAt;
}

/** A block that was read. */
export interface ReadBlock {
  readonly type: 'packet' | 'other';
  /** The whole block. */
  readonly bytes: Uint8Array;
  readonly interfaceId: number;
  readonly stamp: Stamp;
  readonly original: number;
  readonly data: Uint8Array;
  /** Its options as they stand there; null for none. */
  readonly options: Uint8Array | null;
}

/** Whether `sectionHeader` begins the file. */
export function isCapture(file: Uint8Array): boolean {
  const view = viewOf(file);
  return file.length >= 28 && view.getUint32(0, true) === Block.section && view.getUint32(8, true) === BYTE_ORDER_MAGIC;
}

/** The blocks of a file for which `isCapture` holds, one at a time; what does not follow the format ends it. */
export function* eachBlock(file: Uint8Array): Generator<ReadBlock> {
  const view = viewOf(file);
  for (let at = 0; at + FRAME_BYTES <= file.length; ) {
    const bytes = view.getUint32(at + 4, true);
    if (bytes < FRAME_BYTES || bytes % 4 !== 0 || at + bytes > file.length) return;
    yield readBlock(view, at, bytes);
    at += bytes;
  }
}

/** All blocks; null for a file of another kind. */
export function readBlocks(file: Uint8Array): ReadBlock[] | null {
  return isCapture(file) ? [...eachBlock(file)] : null;
}

/** Options of a packet with one more comment; the other comments stay. */
export function addComment(options: Uint8Array | null, comment: string): Uint8Array {
  const added = packetComment(comment);
  if (options === null) return added;
  const bytes = new Uint8Array(added.length - OPTION_HEADER_BYTES + options.length);
  bytes.set(added);
  bytes.set(options, added.length - OPTION_HEADER_BYTES);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readBlock(view: DataView, at: number, length: number): ReadBlock {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  const nothing = { interfaceId: 0, stamp: { high: 0, low: 0 }, original: 0, data: bytes.subarray(0, 0) };
  if (view.getUint32(at, true) !== Block.packet || length < PACKET_HEADER_BYTES + 4)
    return { type: 'other', bytes, ...nothing, options: null };
  const captured = Math.min(view.getUint32(at + 20, true), length - PACKET_HEADER_BYTES - 4);
  const optionsAt = PACKET_HEADER_BYTES + padded(captured);
  return {
    type: 'packet',
    bytes,
    interfaceId: view.getUint32(at + 8, true),
    stamp: { high: view.getUint32(at + 12, true), low: view.getUint32(at + 16, true) },
    original: view.getUint32(at + 24, true),
    data: bytes.subarray(PACKET_HEADER_BYTES, PACKET_HEADER_BYTES + captured),
    options: optionsAt < length - 4 ? bytes.subarray(optionsAt, length - 4) : null,
  };
}

interface OptionValue {
  readonly code: number;
  readonly value: Uint8Array;
}

function textOption(code: number, text: string): OptionValue {
  return { code, value: utf8.encode(text) };
}

/** 64 bits. */
function count(value: number): Uint8Array {
  return words(value % WORD, Math.floor(value / WORD));
}

function words(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => {
    view.setUint32(index * 4, value, true);
  });
  return new Uint8Array(view.buffer);
}

function optionBytes(options: readonly OptionValue[]): Uint8Array {
  const size = options.reduce((sum, { value }) => sum + OPTION_HEADER_BYTES + padded(value.length), 0);
  const bytes = new Uint8Array(size + OPTION_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { code, value } of options) {
    view.setUint16(at, code, true);
    view.setUint16(at + 2, value.length, true);
    bytes.set(value, at + OPTION_HEADER_BYTES);
    at += OPTION_HEADER_BYTES + padded(value.length);
  }
  return bytes;
}

function block(type: number, parts: readonly Uint8Array[], options: readonly OptionValue[]): Uint8Array {
  const body = [...parts, optionBytes(options)];
  const length = FRAME_BYTES + body.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, length, true);
  let at = 8;
  for (const part of body) {
    bytes.set(part, at);
    at += part.length;
  }
  view.setUint32(at, length, true);
  return bytes;
}

function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}
