import { crc32 } from '../../../src/base/crc32.js';
import { Bundle } from '../../../src/wire/bundle.js';
import { write16 } from '../../../src/wire/bytes.js';
import { writeChunk, writeChunkCount } from '../../../src/wire/chunks.js';
import { addCredit, beginCredits } from '../../../src/wire/credits.js';
import * as encode from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { type Field, type FixedFrame, type FrameKind, isBytes } from '../../../src/wire/frame-kind.js';
import { CreditRequest, CreditStop, Fin, FRAMES, Reset } from '../../../src/wire/frames.js';
import {
  CHECK_BYTES,
  CONTROL_CODES,
  Credit,
  Credits,
  DataFlag,
  Header,
  MAX_BUNDLE_BYTES,
  MAX_CREDIT_BYTES,
} from '../../../src/wire/layout.js';
import type { Input } from '../engine/input.js';

/** What a liar knows of the flow that it lies to. */
export interface Known {
  readonly destination: number;
  readonly source: number;
  readonly flowId: number;
  /** Of the stream, near which offsets are often put. */
  readonly offset: number;
  readonly sequence: number;
  readonly probe: number;
  readonly token: number;
  /** What 64 bits, cookies and proofs begin with. */
  readonly bits?: Uint8Array;
}

const NOTHING_KNOWN: Known = {
  destination: 0,
  source: 0,
  flowId: 0xbeef,
  offset: 0,
  sequence: 0,
  probe: 1,
  token: 7,
};

/** Longer than any frame that is made here. */
const FRAME_BYTES = 2_048;
const MOST_RANGES = 34;
const MOST_CHUNKS = 6;
const MOST_ROWS = 4;
/** Shortest frame that is padded. */
const PADDED_BYTES = 24;
const NO_BITS = new Uint8Array(0);

type Write = (input: Input, bytes: Uint8Array, header: encode.FlowHeader, known: Known) => number;

/** The first of the writers are those of frames of flows. */
const FLOW_FRAMES = 10;

/** What a field is near, by its name in the descriptor. */
function anchorOf(key: string, { offset, probe, token }: Known): number {
  const anchors: Readonly<Record<string, number>> = {
    ...{ sentOffset: offset, finalOffset: offset, probe, token },
    ...{ maxFrameBytes: 1_472, backlog: 100_000, weight: 1, rateKbps: 100_000, keepAliveMs: 10, counter: 1 },
    ...{ messageBytes: 48, highest: 2, lowest: 2, size: 600 },
  };
  return anchors[key] ?? 0;
}

function fieldValue(input: Input, key: string, field: Field, known: Known): number | Uint8Array {
  if (isBytes(field))
    return input.below(2) === 0 ? (known.bits ?? NO_BITS).slice(0, field.bytes) : input.bytes(field.bytes);
  const value = input.near(anchorOf(key, known)) % 2 ** field.bits;
  // A frame can be padded to no more than fits here.
  return key === 'size' ? PADDED_BYTES + (value % (FRAME_BYTES - PADDED_BYTES)) : value;
}

/** A frame whose fields all have fixed places. */
function fixedWriter(kind: FrameKind): Write {
  const { type, fields, encode: write } = kind as FixedFrame;
  return (input, bytes, header, known) => {
    const values = Object.entries(fields).map(([key, field]) => [key, fieldValue(input, key, field, known)]);
    const flags = type < CONTROL_CODES ? { flags: input.u8() } : {};
    const ends = endsOf(kind, header);
    return write(bytes, ends, { ...Object.fromEntries(values), ...flags } as never, crc32);
  };
}

/** The switch has no id, and few control frames are of a flow. */
function endsOf({ type, direction, hasBitsForId }: FrameKind, header: encode.FlowHeader): encode.FlowHeader {
  if (type < CONTROL_CODES) return header;
  const flowId = hasBitsForId === true ? header.flowId : 0;
  if (direction === 'host to switch') return { source: header.source, destination: 0, flowId };
  return direction === 'switch to host'
    ? { source: 0, destination: header.destination, flowId }
    : { ...header, flowId };
}

const WRITERS: readonly Write[] = [
  fixedWriter(CreditRequest),
  (input, bytes, header, { sequence }) => {
    const rateCode = input.u16() & 0xfff;
    const paddingBytes = Math.max(rateCode === 0 ? 0 : Credit.explicitBytes, input.below(Credit.maxPaddingBytes + 1));
    const fields = { flags: input.u8(), sequence: input.near(sequence), pathId: input.u8(), paddingBytes };
    return encode.encodeCredit(bytes, header, { ...fields, rateCode, hop: input.below(16) }, crc32);
  },
  (input, bytes, header, { sequence, offset }) => {
    const fields = {
      creditSequence: input.near(sequence),
      explicitRate: input.u16(),
      offset: input.near(offset),
      unused: input.pick([0, 1, 4_095]),
      flags: input.u8() & ~DataFlag.chunks,
      pathId: input.u8(),
    };
    return payload(input, bytes, encode.encodeData(bytes, header, fields));
  },
  (input, bytes, header, { offset, sequence, flowId }) => {
    const fields = { creditSequence: input.near(sequence), explicitRate: 0, offset: input.near(offset), unused: 0 };
    encode.encodeData(bytes, header, { ...fields, flags: DataFlag.chunks | input.u8(), pathId: 0 });
    const count = input.below(MOST_CHUNKS);
    let sum = 0;
    for (let index = 0; index < count; index++) {
      const payloadBytes = input.u8();
      const chunk = { flowId: input.near(flowId), offset: input.near(offset), payloadBytes, flags: input.u8() };
      writeChunk(bytes, index, chunk);
      sum += payloadBytes;
    }
    const end = writeChunkCount(bytes, count) + input.u8() + (input.below(8) === 0 ? 0 : sum);
    return encode.seal(bytes, Math.min(end, FRAME_BYTES - CHECK_BYTES), crc32);
  },
  (input, bytes, header, { offset }) =>
    payload(
      input,
      bytes,
      encode.encodeSpeculativeData(bytes, header, { offset: input.near(offset), flags: input.u8() }),
    ),
  (input, bytes, header, known) => encode.encodeAck(bytes, header, acknowledgement(input, known), crc32),
  (input, bytes, header, known) =>
    encode.encodeWindowAck(
      bytes,
      header,
      {
        ...acknowledgement(input, known),
        windowEnd: input.near(known.offset + 65_536),
        frameNumber: input.near(known.sequence),
        arrivedWith: input.u8(),
        remoteQueuing: input.near(0),
        arrivalTime: input.near(0),
      },
      crc32,
    ),
  fixedWriter(CreditStop),
  fixedWriter(Fin),
  fixedWriter(Reset),
  ...FRAMES.flatMap((kind) => (kind.type > Reset.type && 'encode' in kind ? [fixedWriter(kind)] : [])),
  (input, bytes, header, known) => {
    const bundle = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    for (let frames = 1 + input.below(6); frames > 0; frames--) {
      const inner = new Frame(new Uint8Array(FRAME_BYTES));
      inner.length = WRITERS[input.below(FLOW_FRAMES)]!(input, inner.bytes, header, known);
      if (inner.length < 256 && bundle.hasRoom(inner.length)) bundle.append(inner);
    }
    bytes.set(bundle.bytes.subarray(0, bundle.length));
    return bundle.length;
  },
  (input, bytes, header, known) => {
    const credits = new Frame(bytes);
    beginCredits(credits);
    write16(bytes, Header.destination, header.destination);
    write16(bytes, Header.source, header.source);
    for (let rows = input.below(MOST_ROWS); rows > 0; rows--) addRow(input, credits, header, known);
    // Not by `endCredits`: there may be too many.
    write16(bytes, Credits.entryCount, (credits.length - Credits.entries) / Credits.entryBytes);
    return encode.seal(bytes, credits.length, crc32);
  },
];

function addRow(input: Input, credits: Frame, header: encode.FlowHeader, { flowId, sequence }: Known): void {
  const credit = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
  const rate = { rateCode: input.pick([0, 0, 1, 4_095]), hop: input.below(16), paddingBytes: Credit.explicitBytes };
  const fields = { ...rate, flags: input.u8(), sequence: input.near(sequence), pathId: 0 };
  encode.encodeCredit(credit.bytes, { ...header, flowId: input.near(flowId) }, fields, null);
  addCredit(credits, credit);
  credits.bytes[credits.length - Credits.entryBytes + Credits.count] = input.pick([1, 2, 64, 65, 0]);
}

/** One input that begins each kind of frame. */
export const SAMPLES: readonly Uint8Array[] = WRITERS.map((_, kind) => Uint8Array.from([kind, 0, 0]));

/** A frame that somebody made up: its check fits in most cases, its fields are near what is right in many. */
export function hostileFrame(input: Input, known: Known = NOTHING_KNOWN): Frame {
  const frame = new Frame(new Uint8Array(FRAME_BYTES));
  const write = WRITERS[input.below(WRITERS.length)]!;
  const how = input.u8();
  const header = {
    destination: (how & 1) === 0 ? known.destination : input.u16(),
    source: (how & 2) === 0 ? known.source : input.u16(),
    flowId: (how & 4) === 0 ? known.flowId : input.near(known.flowId),
  };
  frame.length = write(input, frame.bytes, header, known);
  if ((how & 8) !== 0) frame.bytes[input.u8()]! ^= input.u8();
  if ((how & 16) !== 0) frame.bytes[input.below(16)] = input.u8();
  if ((how & 32) !== 0 && frame.length > 2 * CHECK_BYTES) encode.seal(frame.bytes, frame.length - CHECK_BYTES, crc32);
  if ((how & 64) !== 0) frame.length = Math.min(frame.length, input.u8());
  return frame;
}

function payload(input: Input, bytes: Uint8Array, at: number): number {
  const length = input.pick([1, 100, 102, 1_446, 0, 1_024]);
  return encode.seal(bytes, at + length, crc32);
}

function acknowledgement(input: Input, { offset, probe }: Known) {
  const cumulative = input.near(offset);
  const edges: number[] = [];
  let at = cumulative;
  for (let count = 2 * input.below(MOST_RANGES); count > 0; count--) {
    at += input.below(8) === 0 ? input.u32() : input.u16();
    edges.push(at);
  }
  const ranges = {
    count: edges.length / 2,
    start: (index: number) => edges[2 * index]!,
    end: (index: number) => edges[2 * index + 1]!,
  };
  return { flags: input.u8(), cumulative, probe: input.near(probe) & 0xffff, ranges };
}
