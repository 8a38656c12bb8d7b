/**
 * The naive twin of src/wire: PROTOCOL §2 and §3 with bit strings and plain objects, its tables read from the diagrams, the rest written down once
 * more from the text alone. It shares neither code nor numbers with src/wire, so where both agree, both read the text alike. It is slow, and meant to
 * be.
 */
import {
  bodyFields,
  type DiagramField,
  frameTable,
  readDiagram,
  repeatedFields,
  section,
} from './protocol-document.js';

/** Name and bits of a field, in the words of the diagrams. */
export type NaiveField = readonly [name: string, bits: number];

/** Of a filled frame, §3.16. */
export interface NaiveChunk {
  'flow id': number;
  'stream offset': number;
  flags: number;
  payload: number[];
}

export interface NaiveFrame {
  /** As in the table of §2.2. */
  type: string;
  /** Header and body by the names in the diagrams, without class, type, counts of what repeats, and checks. `reserved` is written, never read. */
  fields: Record<string, number>;
  /** Of an ACK or WINDOW_ACK: start and end of each. */
  ranges: [number, number][];
  /** Of DATA. */
  payload: number[];
  /** Of CREDITS: by the names in the diagram. */
  entries?: Record<string, number>[];
  /** Of DATA with CHUNKS. */
  chunks?: NaiveChunk[];
  /** Entries of an extension block, §2.9; the flag goes with it. */
  extension?: number[];
  /** Bytes of zero behind a CREDIT's check, and behind its explicit rate. */
  paddingBytes: number;
}

/** §2 */
export const HEADER = readDiagram(section('2')).map(asNaive);

/** §3.16: what a chunk has in the table. */
export const CHUNK = repeatedFields(section('3.16')).map(asNaive);

/** §3.28: what a row of credits has. */
const ENTRY = repeatedFields(section('3.28')).map(asNaive);

/** §3.2: what follows the check of a CREDIT with EXPLICIT_RATE. */
export const EXPLICIT = readDiagram(section('3.2')).slice(3, 5).map(asNaive);

interface NaiveType {
  /** As in §2.2, and 256 more for a control frame. */
  type: number;
  direction: string;
  /** Of §3, without the check and what repeats. A field of more than four bytes is a word for each four. */
  body: readonly NaiveField[];
  smallest: number;
  largest: number;
}

/** §2.2, with the diagrams and headings of §3. */
export const TYPES: Record<string, NaiveType> = Object.fromEntries(
  frameTable().map(({ name, type, direction, section: number }) => {
    const body = bodyFields(section(number)).flatMap(inWords);
    return [name, { type, direction, body, ...sizesOf(section(number).title) }];
  }),
);

function asNaive({ name, bits }: DiagramField): NaiveField {
  return [name, bits];
}

function inWords({ name, bits }: DiagramField): NaiveField[] {
  if (bits <= 32) return [[name, bits]];
  return Array.from({ length: bits / 32 }, (_, index) => [name === 'reserved' ? name : `${name}.${index}`, 32]);
}

/** What a heading says: "(24 bytes and 8 for each range)". */
function sizesOf(title: string): { smallest: number; largest: number } {
  const numbers = [...title.matchAll(/[\d,]+/g)].map(([text]) => Number(text.replaceAll(',', '')));
  const [smallest, other = smallest] = numbers;
  if (title.includes('and payload')) return { smallest: smallest + 1, largest: 65_507 };
  const [, repeated = ''] = /for each (\w+)/.exec(title) ?? [];
  const most = { range: 32, entry: 42 }[repeated];
  return { smallest, largest: most === undefined ? other : smallest + most * other };
}

/** Fields that say what the rest of a `NaiveFrame` says. */
const DERIVED = ['class', 'range count', 'entry count'];

/** The whole datagram. `class`, flags of control frames and counts of what repeats follow from the frame; what `fields` does not name is zero. */
export function naiveEncode(frame: NaiveFrame): Uint8Array {
  const { type, body } = TYPES[frame.type];
  const isControl = type > 255;
  const entries = frame.entries ?? [];
  const counts = { 'range count': frame.ranges.length, 'entry count': entries.length };
  const derived = { class: isControl ? 8 : type, ...counts };
  const fields: Record<string, number> = { ...frame.fields, ...derived };
  if (isControl) fields.flags = (fields.flags & 0x80) + (type % 256);
  const fixed = [...HEADER, ...body].map(([name, bits]) => toBits(fields[name] ?? 0, bits));
  const ranges = frame.ranges.flat().map((offset) => toBits(offset, 32));
  const rows = entries.flatMap((entry) => ENTRY.map(([name, bits]) => toBits(entry[name], bits)));
  const table = frame.chunks === undefined ? [] : tableOf(frame.chunks);
  const chunked = (frame.chunks ?? []).flatMap(({ payload }) => payload);
  const zeros = new Array(frame.type === 'MTU_PROBE' ? fields.size - 24 : 0).fill(0);
  const plain = [...toBytes([...fixed, ...ranges, ...rows, ...table].join('')), ...frame.payload, ...chunked, ...zeros];
  const bytes = frame.extension === undefined ? plain : [...plain, ...blockOf(frame.extension)];
  const explicit = hasExplicitRate(frame.type, frame.fields.flags)
    ? toBytes(EXPLICIT.map(([name, bits]) => toBits(frame.fields[name], bits)).join(''))
    : [];
  return Uint8Array.from([
    ...bytes,
    ...checkOf(frame.type, bytes),
    ...explicit,
    ...new Array(frame.paddingBytes).fill(0),
  ]);
}

/** §2.9 */
function blockOf(entries: number[]): number[] {
  return [...entries, ...toBytes(toBits(entries.length, 16))];
}

/** The frame without its extension block, or the reason why it is none. The check is not looked at. */
function takeBlockOff(bytes: number[]): { plain: number[]; entries: number[] } | 'length' {
  const end = bytes.length - 6;
  const start = end - (bytes[end] * 256 + bytes[end + 1]);
  if (end < 12 || start < 12) return 'length';
  return { plain: [...bytes.slice(0, start), ...bytes.slice(-4)], entries: bytes.slice(start, end) };
}

function mayBeSkipped(entries: number[]): boolean {
  if (entries.length === 0) return true;
  const [type, length = Number.POSITIVE_INFINITY] = entries;
  return type < 128 && entries.length >= 2 + length && mayBeSkipped(entries.slice(2 + length));
}

/** Makes the check of a datagram fit again after its bytes were changed; leaves one alone that is too short to have a check. */
export function naiveReseal(datagram: Uint8Array): Uint8Array {
  const type = nameOf(datagram);
  const checked = type === 'CREDIT' ? 16 : datagram.length - 4;
  if (checked < 12 || datagram.length < 18) return datagram;
  const check = checkOf(type ?? 'unknown', [...datagram.subarray(0, checked)]);
  return Uint8Array.from([...datagram.subarray(0, checked), ...check, ...datagram.subarray(checked + check.length)]);
}

/** The frame in a datagram, or the reason of §2.7 why there is none. */
export function naiveDecode(datagram: Uint8Array): NaiveFrame | string {
  const whole = [...datagram];
  if (whole.length < 18) return 'short';
  const header = readFields(whole, 0, HEADER);
  if (header.version !== 2 && header.class !== 15) return 'version';
  const type = nameOf(whole);
  if (type === undefined) return 'type';
  const block = isExtended(type, header.flags) ? takeBlockOff(whole) : { plain: whole, entries: [] };
  if (block === 'length') return block;
  const lengthFault = judgeLength(type, block.plain);
  if (lengthFault !== null) return lengthFault;
  if (!isIntact(type, whole)) return 'check';
  if (!mayBeSkipped(block.entries)) return 'extension';
  const frame = readFrame(type, block.plain);
  return isInvalid(frame) ? 'invalid' : frame;
}

function readFrame(type: string, bytes: number[]): NaiveFrame {
  const fields = { ...readFields(bytes, 0, HEADER), ...readFields(bytes, 12, TYPES[type].body) };
  const isExplicit = hasExplicitRate(type, fields.flags);
  const hasChunks = type === 'DATA' && hasBit(fields.flags, 0x40);
  if (isExtended(type, fields.flags)) fields.flags -= 0x80;
  if (TYPES[type].type > 255) fields.flags = 0;
  return {
    type,
    fields: {
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => !DERIVED.includes(name))),
      ...(isExplicit && readFields(bytes, 18, EXPLICIT)),
    },
    ranges: readRanges(bytes, rangesAt(type), fields['range count'] ?? 0),
    payload: /DATA$/.test(type) ? bytes.slice(22, -4) : [],
    paddingBytes: type === 'CREDIT' ? bytes.length - (isExplicit ? 20 : 18) : 0,
    ...(hasChunks && readChunks(bytes)),
    ...(type === 'CREDITS' && {
      entries: Array.from({ length: fields['entry count'] }, (_, at) => readEntry(bytes, at)),
    }),
  };
}

/** §3.28: flags are those of CREDIT, and the others are not read; nor is an explicit rate that the entry says it has not. */
function readEntry(bytes: number[], index: number): Record<string, number> {
  const entry = readFields(bytes, 16 + 12 * index, ENTRY);
  const rate = hasBit(entry.flags, 0x10) ? {} : { 'explicit rate': 0, hop: 0 };
  return { ...entry, ...rate, flags: entry.flags % 0x40 };
}

/** §2.3, §2.9 */
function isExtended(type: string, flags: number): boolean {
  return type !== 'CREDIT' && hasBit(flags, 0x80);
}

/** §3.2 */
function hasExplicitRate(type: string, flags: number): boolean {
  return type === 'CREDIT' && hasBit(flags, 0x10);
}

function hasBit(flags: number, bit: number): boolean {
  return Math.floor(flags / bit) % 2 === 1;
}

/** §3.16 */
function tableOf(chunks: NaiveChunk[]): string[] {
  const entries = chunks.flatMap(({ payload, ...fields }) =>
    CHUNK.map(([name, bits]) => toBits({ ...fields, 'payload bytes': payload.length, reserved: 0 }[name] ?? 0, bits)),
  );
  return [toBits(chunks.length, 8), toBits(0, 8), ...entries];
}

function tableIn(bytes: number[]): Record<string, number>[] {
  return Array.from({ length: bytes[22] }, (_, index) => readFields(bytes, 24 + 12 * index, CHUNK));
}

function holdsChunks(bytes: number[]): boolean {
  const end = 24 + 12 * bytes[22];
  if (bytes.length < end + 4) return false;
  return bytes.length >= end + 4 + tableIn(bytes).reduce((sum, entry) => sum + entry['payload bytes'], 0);
}

function readChunks(bytes: number[]): Pick<NaiveFrame, 'payload' | 'chunks'> {
  let end = bytes.length - 4;
  const chunks = tableIn(bytes)
    .reverse()
    .map((entry) => {
      const payload = bytes.slice(end - entry['payload bytes'], end);
      end -= payload.length;
      return { 'flow id': entry['flow id'], 'stream offset': entry['stream offset'], flags: entry.flags, payload };
    });
  return { payload: bytes.slice(24 + 12 * bytes[22], end), chunks: chunks.reverse() };
}

/** The headings of §3, and what a frame says of its own length. */
function judgeLength(type: string, bytes: number[]): string | null {
  const { smallest, largest, body } = TYPES[type];
  const { flags } = readFields(bytes, 0, HEADER);
  const { length } = bytes;
  if (length < smallest + (hasExplicitRate(type, flags) ? 2 : 0)) return 'short';
  if (length > largest) return 'length';
  if (type === 'DATA' && hasBit(flags, 0x40) && !holdsChunks(bytes)) return 'length';
  const { size, 'range count': rangeCount, 'entry count': entryCount } = readFields(bytes, 12, body);
  if (type === 'MTU_PROBE' && length !== size) return 'length';
  if (type === 'CREDITS' && length !== smallest + 12 * entryCount) return 'length';
  return rangesAt(type) > 0 && length !== smallest + 8 * rangeCount ? 'length' : null;
}

/** The list of §2.7. */
function isInvalid({ type, fields, ranges, chunks, entries }: NaiveFrame): boolean {
  const to = fields['destination host'];
  const from = fields['source host'];
  const { direction } = TYPES[type];
  const ofFlow = ['sender to receiver', 'receiver to sender', 'both'].includes(direction);
  const mayLackId = /^ATTACH(_REFUSED|_CHALLENGE)?$/.test(type);
  const frameSize = fields['max frame bytes'] ?? 27;
  return [
    to === 65_535 || from === 65_535,
    ofFlow && fields['flow id'] === 0,
    (ofFlow || direction === 'host to host') && [to, from].filter((host) => host === 0).length === 1,
    TYPES[type].type > 255 &&
      !['HELLO', 'NO_ASSOCIATION', 'PATH_RESPONSE', 'PATH_MOVED'].includes(type) &&
      fields['flow id'] !== 0,
    direction === 'host to switch' && (to !== 0 || (from === 0 && !mayLackId)),
    direction === 'switch to host' && (from !== 0 || (to === 0 && !mayLackId)),
    (frameSize < 27 || frameSize > 65_507) && !(type === 'ATTACH' && frameSize === 0),
    fields['message bytes'] > 128,
    type === 'ATTACHED' && fields['keep-alive time, ms'] === 0,
    type === 'CREDIT_REQUEST' && fields.weight === 0,
    chunks !== undefined && (chunks.length < 1 || chunks.length > 64 || hasBit(fields.flags, 0x08)),
    chunks?.some((chunk) => chunk['flow id'] === 0 || chunk.payload.length === 0),
    !areRows(entries, [to, from]),
    !areAscending(fields['cumulative offset'], ranges.flat()),
    type === 'VERSION' && fields['lowest version'] > fields['highest version'],
  ].some(Boolean);
}

/** §3.28 */
function areRows(entries: NaiveFrame['entries'], hosts: number[]): boolean {
  if (entries === undefined) return true;
  const isRow = (entry: Record<string, number>) => entry['flow id'] > 0 && entry.count >= 1;
  return hosts.every((host) => host === 0) && entries.length > 0 && entries.every(isRow) && creditsIn(entries) <= 64;
}

function creditsIn(entries: readonly Record<string, number>[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}

function areAscending(cumulative: number, edges: number[]): boolean {
  return edges.every((edge, index) => isAfter(edge, cumulative) && (index === 0 || isAfter(edge, edges[index - 1])));
}

/** §1.3 */
function isAfter(a: number, b: number): boolean {
  const difference = (a - b + 2 ** 32) % 2 ** 32;
  return difference >= 1 && difference <= 2 ** 31 - 1;
}

function nameOf(bytes: ArrayLike<number>): string | undefined {
  const type = bytes[1] % 16 === 8 ? 256 + (bytes[2] % 128) : bytes[1] % 16;
  return Object.keys(TYPES).find((name) => TYPES[name].type === type);
}

/** §2.6, §3.2 */
function checkOf(type: string, bytes: number[]): number[] {
  const bits = toBits(naiveCrc32(bytes.slice(1)), 32);
  return type === 'CREDIT' ? toBytes(bits.slice(16)) : toBytes(bits).reverse();
}

function isIntact(type: string, bytes: number[]): boolean {
  const checked = type === 'CREDIT' ? 16 : bytes.length - 4;
  return checkOf(type, bytes.slice(0, checked)).every((byte, index) => byte === bytes[checked + index]);
}

/** Division by the polynomial bit by bit, each byte's lowest bit first, as IEEE 802.3 states it. */
export function naiveCrc32(bytes: number[]): number {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const top = (remainder >>> 31) ^ ((byte >>> bit) & 1);
      remainder = (remainder << 1) ^ (top === 1 ? 0x04c11db7 : 0);
    }
  }
  return Number.parseInt([...toBits(~remainder >>> 0, 32)].reverse().join(''), 2);
}

function readFields(bytes: number[], from: number, fields: readonly NaiveField[]): Record<string, number> {
  const bits = bytes
    .slice(from, from + fields.reduce((sum, [, width]) => sum + width, 0) / 8)
    .map((byte) => BITS_OF_BYTE[byte])
    .join('');
  const values: Record<string, number> = {};
  let at = 0;
  for (const [name, width] of fields) {
    if (name !== 'reserved') values[name] = Number.parseInt(bits.slice(at, at + width), 2);
    at += width;
  }
  return values;
}

/** Where the ranges of a type begin, §3.4 and §3.14; 0 for one that has none. */
function rangesAt(type: string): number {
  return { ACK: 20, WINDOW_ACK: 32 }[type] ?? 0;
}

function readRanges(bytes: number[], from: number, count: number): [number, number][] {
  const edge = (index: number) => readFields(bytes, from + 4 * index, [['edge', 32]]).edge;
  return Array.from({ length: count }, (_, index) => [edge(2 * index), edge(2 * index + 1)]);
}

const BITS_OF_BYTE = Array.from({ length: 256 }, (_, byte) => toBits(byte, 8));

function toBits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0').slice(-width);
}

function toBytes(bits: string): number[] {
  return Array.from({ length: bits.length / 8 }, (_, index) =>
    Number.parseInt(bits.slice(8 * index, 8 * index + 8), 2),
  );
}
