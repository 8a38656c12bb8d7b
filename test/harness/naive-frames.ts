/** Random frames in the words of the naive twin, each one that PROTOCOL §2 and §3 allow. */
import fc from 'fast-check';
import type { NaiveChunk, NaiveFrame } from './naive-codec.js';

type Fields = fc.Arbitrary<Record<string, number>>;

function upTo(largest: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: 0, max: largest }),
    fc.constantFrom(0, 1, largest, largest - 1, Math.ceil(largest / 2)),
  );
}

const byte = fc.integer({ min: 0, max: 255 });
const word = upTo(0xffff);
const long = upTo(0xffffffff);
const sequence = upTo(0xfffff);
const twelveBits = upTo(0xfff);
const hop = upTo(0xf);
const positive = (largest: number) => upTo(largest - 1).map((value) => value + 1);
const hostId = positive(65_534);
const frameSize = fc.oneof(fc.integer({ min: 27, max: 65_507 }), fc.constantFrom(27, 1472, 65_507));
const nothing = fc.constant(0);

/** Header of a frame of a flow: behind a switch, or in direct mode. */
const flowHeader: Fields = fc
  .tuple(fc.oneof(fc.tuple(hostId, hostId), fc.tuple(nothing, nothing)), positive(0xffffffff))
  .map(([[to, from], flow]) => ({ 'destination host': to, 'source host': from, 'flow id': flow }));

function switchHeader(to: fc.Arbitrary<number>, from: fc.Arbitrary<number>): Fields {
  return fc.record({ 'destination host': to, 'source host': from, 'flow id': nothing });
}

interface Shape {
  header: Fields;
  body: Fields;
  /** Bits that the type defines. */
  flags?: number;
  /** Credits and data carry a path id and are ECN-capable. */
  metered?: boolean;
}

const keepAlive: Shape = { header: switchHeader(nothing, hostId), body: fc.record({ token: long }) };

const SHAPES: Record<string, Shape> = {
  CREDIT_REQUEST: {
    header: flowHeader,
    flags: 0x1f,
    body: fc.record({
      'sent offset': long,
      probe: word,
      'max frame bytes': frameSize,
      'paired flow id': long,
      backlog: long,
      weight: positive(0xff),
    }),
  },
  CREDIT: {
    header: flowHeader,
    flags: 0x20,
    metered: true,
    body: fc.record({ 'credit sequence': sequence, 'rate code': nothing }),
  },
  DATA: {
    header: flowHeader,
    flags: 0x3f,
    metered: true,
    body: fc.record({
      'echoed credit sequence': sequence,
      'rate code': twelveBits,
      'stream offset': long,
      unused: twelveBits,
      hop,
    }),
  },
  ACK: { header: flowHeader, flags: 0x03, body: fc.record({ 'cumulative offset': long, probe: word }) },
  CREDIT_STOP: { header: flowHeader, body: fc.record({ 'sent offset': long, probe: word, unused: word }) },
  FIN: { header: flowHeader, body: fc.record({ 'final offset': long, probe: word, unused: word }) },
  RESET: { header: flowHeader, flags: 0x01, body: fc.record({ code: word }) },
  ATTACH: {
    header: switchHeader(nothing, fc.oneof(nothing, hostId)),
    body: fc.record({ token: long, 'max frame bytes': fc.oneof(nothing, frameSize) }),
  },
  ATTACHED: {
    header: switchHeader(hostId, nothing),
    body: fc.record({
      token: long,
      'rate, in kbit/s': long,
      'max frame bytes': frameSize,
      'keep-alive time, ms': positive(0xffff),
    }),
  },
  ATTACH_REFUSED: {
    header: switchHeader(fc.oneof(nothing, hostId), nothing),
    body: fc.record({ token: long, code: word }),
  },
  KEEP_ALIVE: keepAlive,
  DETACH: keepAlive,
  WINDOW_ACK: {
    header: flowHeader,
    flags: 0x05,
    body: fc.record({
      'cumulative offset': long,
      probe: word,
      'arrived with': byte,
      'window end': long,
      'frame number': long,
      'remote queuing, us': long,
    }),
  },
  SPECULATIVE_DATA: { header: flowHeader, flags: 0x01, body: fc.record({ 'stream offset': long }) },
  VERSION: {
    header: fc.record({ 'destination host': upTo(65_534), 'source host': upTo(65_534), 'flow id': long }),
    body: fc
      .tuple(byte, byte)
      .map(([a, b]) => ({ 'lowest version': Math.min(a, b), 'highest version': Math.max(a, b) })),
  },
};

/** Ascending and apart: distances between one edge and the next, 64 of which stay below 2^31. */
const edgeDistances = fc.array(fc.tuple(positive(2 ** 25 - 1), positive(2 ** 25 - 1)), { maxLength: 32, size: 'max' });

function rangesFrom(cumulative: number, distances: [number, number][]): [number, number][] {
  let edge = cumulative;
  const next = (distance: number) => {
    edge = (edge + distance) % 2 ** 32;
    return edge;
  };
  return distances.map(([hole, bytes]) => [next(hole), next(bytes)]);
}

/** §3.16; not those of a reactive flow. */
const chunkLists: fc.Arbitrary<NaiveChunk[]> = fc.array(
  fc.record({
    'flow id': positive(0xffffffff),
    'stream offset': long,
    flags: byte,
    payload: fc.array(byte, { minLength: 1, maxLength: 20, size: 'max' }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Half of all DATA frames are filled; one of these may have nothing of its own flow. */
function withChunks(frame: fc.Arbitrary<NaiveFrame>): fc.Arbitrary<NaiveFrame> {
  return fc.tuple(frame, chunkLists, fc.boolean(), fc.boolean()).map(([data, chunks, hasChunks, isEmpty]) =>
    hasChunks
      ? {
          ...data,
          fields: { ...data.fields, flags: (data.fields.flags & ~0x08) | 0x40 },
          payload: isEmpty ? [] : data.payload,
          chunks,
        }
      : data,
  );
}

/** Half of all credits ask for an explicit rate, as none has lowered it. */
function withExplicitRate(frame: fc.Arbitrary<NaiveFrame>): fc.Arbitrary<NaiveFrame> {
  return fc.tuple(frame, positive(0xfff), hop, fc.boolean()).map(([credit, code, limit, asks]) =>
    asks
      ? explicit(credit, {
          flags: (credit.fields.flags & 0x20) + 0x10 + limit,
          'rate code': code,
          'explicit rate': 0xfff,
          hop: 0xf,
        })
      : credit,
  );
}

function explicit({ fields, paddingBytes, ...credit }: NaiveFrame, rate: Record<string, number>): NaiveFrame {
  return { ...credit, fields: { ...fields, ...rate }, paddingBytes: Math.max(0, paddingBytes - 2) };
}

/** A frame of this type as its sender sends it. */
export function sentFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const frames = plainFrames(type);
  if (type === 'CREDIT') return withExplicitRate(frames);
  return type === 'DATA' ? withChunks(frames) : frames;
}

function plainFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const { header, body, flags = 0, metered = false } = SHAPES[type];
  const payload = /DATA$/.test(type)
    ? fc.array(byte, { minLength: 1, maxLength: 100, size: 'max' })
    : fc.constant<number[]>([]);
  const distances = /ACK$/.test(type) ? edgeDistances : fc.constant<[number, number][]>([]);
  const paddingBytes = type === 'CREDIT' ? fc.integer({ min: 0, max: 8 }) : nothing;
  const bits = fc.tuple(byte, byte).map(([flagBits, path]) => ({
    'hop limit': 63,
    ECN: metered ? 2 : 0,
    version: 1,
    flags: flagBits & flags,
    'path id': metered ? path : 0,
  }));
  return fc
    .tuple(header, bits, body, payload, distances, paddingBytes)
    .map(([to, sent, fields, bytes, apart, padding]) => ({
      type,
      fields: { ...sent, ...to, ...fields },
      ranges: rangesFrom(fields['cumulative offset'], apart),
      payload: bytes,
      paddingBytes: padding,
    }));
}

/** The same as it may arrive: marked, some hops on, its rate lowered, from a sender of a later minor kind that uses what is reserved here. */
export function receivedFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const changes = fc.record({
    'hop limit': fc.integer({ min: 0, max: 63 }),
    ECN: fc.integer({ min: 0, max: 3 }),
    version: type === 'VERSION' ? fc.integer({ min: 0, max: 15 }) : fc.constant(1),
    flags: byte,
    'path id': byte,
    reserved: word,
  });
  return fc.tuple(sentFrames(type), changes, twelveBits, hop).map(([frame, changed, rate, limit]) => ({
    ...frame,
    fields: {
      ...frame.fields,
      ...changed,
      flags: flagsOf(frame, changed.flags),
      ...(frame.fields['explicit rate'] !== undefined && { 'explicit rate': rate, hop: limit }),
    },
  }));
}

/** Whether DATA is filled, and of which kind of flow, and whether CREDIT has an explicit rate, its bytes have to bear out. */
function flagsOf({ type, chunks, fields }: NaiveFrame, flags: number): number {
  if (type === 'CREDIT') return (flags & ~0x10) | (fields.flags & 0x10);
  if (type !== 'DATA') return flags;
  return chunks === undefined ? flags & ~0x40 : (flags | 0x40) & ~0x08;
}
