/** Random frames in the words of the naive twin, each one that PROTOCOL §2 and §3 allow. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { diagramName, type Field, type FrameKind, isBytes } from '../../src/wire/frame-kind.js';
import { kindOf } from '../../src/wire/frames.js';
import { type NaiveChunk, type NaiveFrame, TYPES } from './naive-codec.js';

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
const twelveBits = upTo(0xfff);
const hop = upTo(0xf);
const positive = (largest: number) => upTo(largest - 1).map((value) => value + 1);
const hostId = positive(65_534);
const anyId = fc.oneof(fc.constant(0), hostId);
const nothing = fc.constant(0);
const twoHosts = fc.oneof(fc.tuple(hostId, hostId), fc.tuple(nothing, nothing));

/** Destination and source by direction: between hosts they are behind a switch or in direct mode. */
function headerOf({ name, direction, mayLackId }: FrameKind): Fields {
  const host = mayLackId === true ? anyId : hostId;
  const ends: Record<string, fc.Arbitrary<[number, number]>> = {
    any: fc.tuple(anyId, anyId),
    'host to switch': fc.tuple(nothing, host),
    'switch to host': fc.tuple(host, nothing),
  };
  const isOfFlow = ends[direction] === undefined && direction !== 'host to host';
  const flow = direction === 'any' ? long : isOfFlow ? positive(0xffffffff) : nothing;
  const between = name === 'CREDITS' ? fc.tuple(nothing, nothing) : twoHosts;
  return fc
    .tuple(ends[direction] ?? between, flow)
    .map(([[to, from], id]) => ({ 'destination host': to, 'source host': from, 'flow id': id }));
}

/** What the twin's fields may be, by the least and most of the descriptor. */
function bodyOf({ name: type, fields }: FrameKind): Fields {
  const bounds = new Map(Object.entries(fields).map(([key, field]) => [diagramName(key, field), field]));
  const free = TYPES[type].body.filter(([name]) => !/^(reserved|(range|entry) count)$/.test(name));
  const values = free.map(([name, bits]): [string, fc.Arbitrary<number>] => [
    name,
    SPECIAL_VALUES[`${type} ${name}`] ?? valuesOf(bits, bounds.get(name)),
  ]);
  const body = fc.record(Object.fromEntries(values));
  return type === 'VERSION' ? body.map(inOrder) : body;
}

function valuesOf(bits: number, field: Field | undefined): fc.Arbitrary<number> {
  if (field === undefined || isBytes(field)) return upTo(2 ** bits - 1);
  const { least = 0, most = 2 ** bits - 1, orZero = false } = field;
  const values = upTo(most - least).map((value) => value + least);
  return orZero ? fc.oneof(nothing, values) : values;
}

/** By type and field. */
const SPECIAL_VALUES: Readonly<Record<string, fc.Arbitrary<number>>> = {
  // Those with a rate code are made by `withExplicitRate`.
  'CREDIT rate code': nothing,
  'MTU_PROBE size': fc.integer({ min: 24, max: 300 }),
};

function inOrder({ 'lowest version': a, 'highest version': b }: Record<string, number>) {
  return { 'lowest version': Math.min(a, b), 'highest version': Math.max(a, b) };
}

/** Bits that need nothing else in the frame. */
function freeFlags({ name, type, flags = {} }: FrameKind): number {
  // Those of a control frame are its type.
  if (type > 255) return 0;
  const bits = Object.values(flags).reduce((mask, bit) => mask | bit, 0);
  return bits & ~(name === 'CREDIT' ? 0x10 : name === 'DATA' ? 0x40 : 0);
}

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

/** §3.28: one that asks for no rate, or has one that ports may have lowered. */
const sentEntries = fc
  .record({
    'flow id': positive(0xffffffff),
    'credit sequence': upTo(0xfffff),
    flags: fc.constantFrom(0, 0x20),
    count: fc.oneof(fc.constant(1), fc.constant(64), positive(10)),
    asks: fc.option(fc.record({ 'rate code': positive(0xfff), limit: hop, 'explicit rate': twelveBits, hop })),
  })
  .map(({ asks, ...entry }) => {
    if (asks === null) return { ...entry, 'rate code': 0, 'explicit rate': 0, hop: 0 };
    const { limit, ...rate } = asks;
    const isFree = rate['explicit rate'] === 0xfff;
    return { ...entry, ...rate, flags: entry.flags + 0x10 + limit, ...(isFree && { hop: 0xf }) };
  });

/** How a row may begin where the one before ends: as it would go on, behind a gap, or with something else that differs. */
const nextRows: fc.Arbitrary<Record<string, number> | null> = fc.constantFrom(
  null,
  {},
  { gap: 1 },
  { 'flow id': 77 },
  { flags: 0x20, 'rate code': 0, 'explicit rate': 0, hop: 0 },
  { flags: 0x1f, 'rate code': 9, 'explicit rate': 0xfff, hop: 0xf },
  { flags: 0x1f, 'rate code': 9, 'explicit rate': 5, hop: 3 },
);

const entryLists = fc
  .array(fc.tuple(sentEntries, nextRows), { minLength: 1, maxLength: 42 })
  .map((rows) => upTo64(rows.reduce<Record<string, number>[]>(withEntry, [])));

/** As many entries as have 64 credits together, the last of them cut. */
function upTo64(entries: Record<string, number>[]): Record<string, number>[] {
  let left = 64;
  return entries.flatMap((entry) => {
    const count = Math.min(entry.count, left);
    left -= count;
    return count === 0 ? [] : [{ ...entry, count }];
  });
}

function withEntry(
  entries: Record<string, number>[],
  [own, next]: [Record<string, number>, Record<string, number> | null],
) {
  const last = entries.at(-1);
  if (last === undefined) return [own];
  const { gap = 0, ...changed } = next ?? {};
  const after = (distance: number) => (last['credit sequence'] + last.count + distance) % 2 ** 20;
  const row = { ...last, 'credit sequence': after(gap), ...changed, count: own.count };
  const entry = next === null ? own : row;
  // A sender would have put it into the row before.
  const isOneRow = isDeepStrictEqual(entry, { ...last, 'credit sequence': after(0), count: entry.count });
  return isOneRow ? entries : [...entries, entry];
}

function withEntries(frame: fc.Arbitrary<NaiveFrame>): fc.Arbitrary<NaiveFrame> {
  return fc.tuple(frame, entryLists).map(([credits, entries]) => ({ ...credits, entries }));
}

function explicit({ fields, paddingBytes, ...credit }: NaiveFrame, rate: Record<string, number>): NaiveFrame {
  return { ...credit, fields: { ...fields, ...rate }, paddingBytes: Math.max(0, paddingBytes - 2) };
}

/** A frame of this type as its sender sends it. */
export function sentFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const frames = plainFrames(type);
  if (type === 'CREDIT') return withExplicitRate(frames);
  if (type === 'CREDITS') return withEntries(frames);
  return type === 'DATA' ? withChunks(frames) : frames;
}

function plainFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const kind = kindOf(TYPES[type].type);
  const isMetered = type === 'CREDIT' || type === 'DATA';
  const payload = /DATA$/.test(type)
    ? fc.array(byte, { minLength: 1, maxLength: 100, size: 'max' })
    : fc.constant<number[]>([]);
  const distances = /ACK$/.test(type) ? edgeDistances : fc.constant<[number, number][]>([]);
  const paddingBytes = type === 'CREDIT' ? fc.integer({ min: 0, max: 8 }) : nothing;
  const bits = fc.tuple(byte, byte).map(([flagBits, path]) => ({
    'hop limit': 63,
    ECN: isMetered || type === 'CREDITS' ? 2 : 0,
    version: 2,
    flags: flagBits & freeFlags(kind),
    'path id': isMetered ? path : 0,
  }));
  return fc
    .tuple(headerOf(kind), bits, bodyOf(kind), payload, distances, paddingBytes)
    .map(([to, sent, fields, bytes, apart, padding]) => ({
      type,
      fields: { ...sent, ...to, ...fields },
      ranges: rangesFrom(fields['cumulative offset'], apart),
      payload: bytes,
      paddingBytes: padding,
    }));
}

/** Extension blocks of entries that may be skipped. */
const extensions = fc.array(fc.tuple(fc.integer({ min: 0, max: 127 }), fc.array(byte, { maxLength: 20 })), {
  maxLength: 3,
});

/**
 * The same as it may arrive: marked, some hops on, its rate lowered, from a sender of a later minor kind that uses what is reserved here and extends
 * frames.
 */
export function receivedFrames(type: string): fc.Arbitrary<NaiveFrame> {
  const changes = fc.record({
    'hop limit': fc.integer({ min: 0, max: 63 }),
    ECN: fc.integer({ min: 0, max: 3 }),
    version: type === 'VERSION' ? fc.integer({ min: 0, max: 15 }) : fc.constant(2),
    flags: byte,
    'path id': byte,
    reserved: word,
  });
  return fc
    .tuple(sentFrames(type), changes, twelveBits, hop, extensions)
    .map(([frame, changed, rate, limit, entries]) => ({
      ...frame,
      ...(type !== 'CREDIT' &&
        (changed.flags & 0x80) !== 0 && { extension: entries.flatMap(([id, value]) => [id, value.length, ...value]) }),
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
  if (TYPES[type].type > 255) return flags & 0x80;
  if (type === 'CREDIT') return (flags & ~0x10) | (fields.flags & 0x10);
  if (type !== 'DATA') return flags;
  return chunks === undefined ? flags & ~0x40 : (flags | 0x40) & ~0x08;
}

/** CREDITS of which some of what §2.7 demands may be wrong, and with bits that are not read. */
export const nearlyCredits: fc.Arbitrary<NaiveFrame> = fc
  .record({
    frame: receivedFrames('CREDITS'),
    host: fc.constantFrom(0, 0, 0, 7),
    length: fc.constantFrom(0, 1, 2, 41, 42, 43),
    entry: fc.record({
      'flow id': fc.constantFrom(0, 1, 1, 1, 256, 2 ** 31),
      'credit sequence': upTo(0xfffff),
      'rate code': twelveBits,
      'explicit rate': twelveBits,
      hop,
      flags: byte,
      count: fc.constantFrom(0, 1, 63, 64, 64, 65, 255),
    }),
  })
  .map(({ frame, host, length, entry }) => {
    const entries = Array.from({ length }, (_, index) =>
      index === length - 1 ? entry : { ...entry, 'flow id': 1, count: 1 },
    );
    return { ...frame, fields: { ...frame.fields, 'destination host': host, 'source host': host }, entries };
  });
