/**
 * The naive twin of src/wire: PROTOCOL §2 and §3 written down once more, from the text alone, with bit strings and plain objects. It shares neither code nor
 * numbers with src/wire, so where both agree, both read the text alike. It is slow, and meant to be.
 */

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
  /** Header and body by the names in the diagrams, without `type`, `range count` and checks. `reserved` is written, never read. */
  fields: Record<string, number>;
  /** Of an ACK or WINDOW_ACK: start and end of each. */
  ranges: [number, number][];
  /** Of DATA. */
  payload: number[];
  /** Of DATA with CHUNKS. */
  chunks?: NaiveChunk[];
  /** Bytes of zero behind a CREDIT's check, and behind its explicit rate. */
  paddingBytes: number;
}

/** §2 */
export const HEADER: readonly NaiveField[] = [
  ['hop limit', 6],
  ['ECN', 2],
  ['version', 4],
  ['type', 4],
  ['flags', 8],
  ['path id', 8],
  ['destination host', 16],
  ['source host', 16],
  ['flow id', 32],
];

/** §3.16: what a chunk has in the table. */
export const CHUNK: readonly NaiveField[] = [
  ['flow id', 32],
  ['stream offset', 32],
  ['payload bytes', 16],
  ['flags', 8],
  ['reserved', 8],
];

/** §3.2: what follows the check of a CREDIT with EXPLICIT_RATE. */
export const EXPLICIT: readonly NaiveField[] = [
  ['explicit rate', 12],
  ['hop', 4],
];

const keepAlive: readonly NaiveField[] = [['token', 32]];

/** §2.2, and §3 without the check and what repeats. */
export const TYPES: Record<string, { number: number; body: readonly NaiveField[] }> = {
  CREDIT_REQUEST: {
    number: 1,
    body: [
      ['sent offset', 32],
      ['probe', 16],
      ['max frame bytes', 16],
      ['paired flow id', 32],
      ['backlog', 32],
      ['weight', 8],
      ['reserved', 24],
    ],
  },
  CREDIT: {
    number: 2,
    body: [
      ['credit sequence', 20],
      ['rate code', 12],
    ],
  },
  DATA: {
    number: 3,
    body: [
      ['echoed credit sequence', 20],
      ['rate code', 12],
      ['stream offset', 32],
      ['unused', 12],
      ['hop', 4],
    ],
  },
  ACK: {
    number: 4,
    body: [
      ['cumulative offset', 32],
      ['probe', 16],
      ['range count', 8],
      ['reserved', 8],
    ],
  },
  CREDIT_STOP: {
    number: 5,
    body: [
      ['sent offset', 32],
      ['probe', 16],
      ['unused', 16],
    ],
  },
  FIN: {
    number: 6,
    body: [
      ['final offset', 32],
      ['probe', 16],
      ['unused', 16],
    ],
  },
  RESET: {
    number: 7,
    body: [
      ['code', 16],
      ['reserved', 16],
    ],
  },
  ATTACH: {
    number: 8,
    body: [
      ['token', 32],
      ['max frame bytes', 16],
      ['reserved', 16],
    ],
  },
  ATTACHED: {
    number: 9,
    body: [
      ['token', 32],
      ['rate, in kbit/s', 32],
      ['max frame bytes', 16],
      ['keep-alive time, ms', 16],
    ],
  },
  ATTACH_REFUSED: {
    number: 10,
    body: [
      ['token', 32],
      ['code', 16],
      ['reserved', 16],
    ],
  },
  KEEP_ALIVE: { number: 11, body: keepAlive },
  DETACH: { number: 12, body: keepAlive },
  WINDOW_ACK: {
    number: 13,
    body: [
      ['cumulative offset', 32],
      ['probe', 16],
      ['range count', 8],
      ['arrived with', 8],
      ['window end', 32],
      ['frame number', 32],
      ['remote queuing, us', 32],
    ],
  },
  SPECULATIVE_DATA: {
    number: 14,
    body: [
      ['reserved', 32],
      ['stream offset', 32],
      ['reserved', 16],
    ],
  },
  VERSION: {
    number: 15,
    body: [
      ['lowest version', 8],
      ['highest version', 8],
      ['reserved', 16],
    ],
  },
};

/** Fields that say what the rest of a `NaiveFrame` says. */
const DERIVED = ['type', 'range count'];

/** The whole datagram. `type` and `range count` follow from the frame; what `fields` does not name is zero. */
export function naiveEncode(frame: NaiveFrame): Uint8Array {
  const { number, body } = TYPES[frame.type];
  const fields: Record<string, number> = { ...frame.fields, type: number, 'range count': frame.ranges.length };
  const fixed = [...HEADER, ...body].map(([name, bits]) => toBits(fields[name] ?? 0, bits));
  const ranges = frame.ranges.flat().map((offset) => toBits(offset, 32));
  const table = frame.chunks === undefined ? [] : tableOf(frame.chunks);
  const chunked = (frame.chunks ?? []).flatMap(({ payload }) => payload);
  const bytes = [...toBytes([...fixed, ...ranges, ...table].join('')), ...frame.payload, ...chunked];
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

/** Makes the check of a datagram fit again after its bytes were changed; leaves one alone that is too short to have a check. */
export function naiveReseal(datagram: Uint8Array): Uint8Array {
  const type = nameOf(datagram[1] % 16);
  const checked = type === 'CREDIT' ? 16 : datagram.length - 4;
  if (checked < 12 || datagram.length < 18) return datagram;
  const check = checkOf(type ?? 'unknown', [...datagram.subarray(0, checked)]);
  return Uint8Array.from([...datagram.subarray(0, checked), ...check, ...datagram.subarray(checked + check.length)]);
}

/** The frame in a datagram, or the reason of §2.7 why there is none. */
export function naiveDecode(datagram: Uint8Array): NaiveFrame | string {
  const bytes = [...datagram];
  if (bytes.length < 18) return 'short';
  const header = readFields(bytes, 0, HEADER);
  if (header.version !== 1 && header.type !== 15) return 'version';
  const type = nameOf(header.type);
  if (type === undefined) return 'type';
  const fields = { ...header, ...readFields(bytes, 12, TYPES[type].body) };
  const rangeCount = fields['range count'] ?? 0;
  const isExplicit = hasExplicitRate(type, header.flags);
  const lengthFault = judgeLength(type, bytes.length, { rangeCount, isExplicit });
  if (lengthFault !== null) return lengthFault;
  const hasChunks = type === 'DATA' && hasBit(header.flags, 0x40);
  if (hasChunks && !holdsChunks(bytes)) return 'length';
  if (!isIntact(type, bytes)) return 'check';
  const frame: NaiveFrame = {
    type,
    fields: {
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => !DERIVED.includes(name))),
      ...(isExplicit && readFields(bytes, 18, EXPLICIT)),
    },
    ranges: readRanges(bytes, rangesAt(type), rangeCount),
    payload: carriesPayload(type) ? bytes.slice(22, -4) : [],
    paddingBytes: type === 'CREDIT' ? bytes.length - (isExplicit ? 20 : 18) : 0,
    ...(hasChunks && readChunks(bytes)),
  };
  return isInvalid(frame) ? 'invalid' : frame;
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

/** §3.3, §3.15 */
function carriesPayload(type: string): boolean {
  return type === 'DATA' || type === 'SPECULATIVE_DATA';
}

/** The headings of §3. */
function judgeLength(
  type: string,
  length: number,
  { rangeCount, isExplicit }: { rangeCount: number; isExplicit: boolean },
): string | null {
  const bodyBits = TYPES[type].body.reduce((sum, [, bits]) => sum + bits, 0);
  const afterBody = (type === 'CREDIT' ? 2 : 4) + (isExplicit ? 2 : 0) + (carriesPayload(type) ? 1 : 0);
  const smallest = 12 + bodyBits / 8 + afterBody;
  const largest: Record<string, number> = {
    CREDIT: 26,
    DATA: 65_507,
    SPECULATIVE_DATA: 65_507,
    ACK: 24 + 8 * 32,
    WINDOW_ACK: 36 + 8 * 32,
  };
  if (length < smallest) return 'short';
  if (length > (largest[type] ?? smallest)) return 'length';
  return rangesAt(type) > 0 && length !== rangesAt(type) + 4 + 8 * rangeCount ? 'length' : null;
}

/** The list of §2.7. */
function isInvalid({ type, fields, ranges, chunks }: NaiveFrame): boolean {
  const to = fields['destination host'];
  const from = fields['source host'];
  const ofFlow = TYPES[type].number <= 7 || ['WINDOW_ACK', 'SPECULATIVE_DATA'].includes(type);
  const ofSwitch = TYPES[type].number >= 8 && TYPES[type].number <= 12;
  const frameSize = fields['max frame bytes'] ?? 27;
  return [
    to === 65_535 || from === 65_535,
    ofFlow && fields['flow id'] === 0,
    ofFlow && [to, from].filter((host) => host === 0).length === 1,
    ofSwitch && fields['flow id'] !== 0,
    ['ATTACH', 'KEEP_ALIVE', 'DETACH'].includes(type) && to !== 0,
    ['KEEP_ALIVE', 'DETACH'].includes(type) && from === 0,
    ['ATTACHED', 'ATTACH_REFUSED'].includes(type) && from !== 0,
    type === 'ATTACHED' && to === 0,
    (frameSize < 27 || frameSize > 65_507) && !(type === 'ATTACH' && frameSize === 0),
    type === 'ATTACHED' && fields['keep-alive time, ms'] === 0,
    type === 'CREDIT_REQUEST' && fields.weight === 0,
    chunks !== undefined && (chunks.length < 1 || chunks.length > 64 || hasBit(fields.flags, 0x08)),
    chunks?.some((chunk) => chunk['flow id'] === 0 || chunk.payload.length === 0),
    !areAscending(fields['cumulative offset'], ranges.flat()),
    type === 'VERSION' && fields['lowest version'] > fields['highest version'],
  ].some(Boolean);
}

function areAscending(cumulative: number, edges: number[]): boolean {
  return edges.every((edge, index) => isAfter(edge, cumulative) && (index === 0 || isAfter(edge, edges[index - 1])));
}

/** §1.3 */
function isAfter(a: number, b: number): boolean {
  const difference = (a - b + 2 ** 32) % 2 ** 32;
  return difference >= 1 && difference <= 2 ** 31 - 1;
}

function nameOf(number: number): string | undefined {
  return Object.keys(TYPES).find((name) => TYPES[name].number === number);
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
    .slice(from, from + 20)
    .map((byte) => toBits(byte, 8))
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

function toBits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0').slice(-width);
}

function toBytes(bits: string): number[] {
  return Array.from({ length: bits.length / 8 }, (_, index) =>
    Number.parseInt(bits.slice(8 * index, 8 * index + 8), 2),
  );
}
