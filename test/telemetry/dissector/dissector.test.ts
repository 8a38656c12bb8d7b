import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../../src/base/crc32.js';
import { Capture } from '../../../src/telemetry/capture/capture.js';
import { newMadeUpEnds } from '../../../src/telemetry/capture/ip-headers.js';
import { abbreviation, dissectorLua } from '../../../src/telemetry/dissector/dissector.js';
import { Bundle } from '../../../src/wire/bundle.js';
import { chunkCount, chunkFlowId, chunkPayloadBytes, hasChunks } from '../../../src/wire/chunks.js';
import { entryCount, takeCredit } from '../../../src/wire/credits.js';
import * as decode from '../../../src/wire/decode.js';
import { encodeCredit, encodeData, seal } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { type AnyReader, type FixedFrame, isBytes } from '../../../src/wire/frame-kind.js';
import { FRAMES, kindOf, Version, Welcome } from '../../../src/wire/frames.js';
import { Credits, DataFlag, FrameType, MAX_CREDIT_BYTES } from '../../../src/wire/layout.js';
import { naiveEncode, TYPES } from '../../harness/naive-codec.js';
import { sentFrames } from '../../harness/naive-frames.js';
import { scratchDirectory } from '../../harness/scratch.js';
import { TEST_SEED } from '../../harness/seeds.js';
import { TSHARK_MISSING, tsharkFields } from '../tshark.js';

/** Of each type; all in one run of tshark. */
const FRAMES_EACH = 120;
const PORT = 28_500;

/** Datagrams as tshark reads them with our dissector: a row of these fields for each. */
async function dissect(
  datagrams: readonly Uint8Array[],
  fields: readonly string[],
  more: readonly string[] = [],
): Promise<string[][]> {
  const directory = await scratchDirectory();
  const [path, lua] = [join(directory, 'frames.pcapng'), join(directory, 'xpass.lua')];
  writeFileSync(lua, dissectorLua({ port: PORT }));
  const capture = new Capture({
    ...{ path, filter: undefined, sizeBytes: 1e9, files: 1, snapBytes: 65_507, dropNames: [], originNs: 0n },
    ports: [{ name: 'one', link: 'one', description: '' }],
    isSync: true,
    onEnd: (sentence) => expect.unreachable(sentence),
  });
  for (const bytes of datagrams) capture.datagram(0, bytes, newMadeUpEnds(), { length: bytes.length, atNs: 0 });
  capture.closeNow();
  return tsharkFields(path, fields, [...more, '-X', `lua_script:${lua}`]);
}

const hex = (value: number): string => `0x${value.toString(16).padStart(8, '0')}`;

/** What our decoder makes of a frame, by the dissector's names. */
function decoded(frame: Frame): Record<string, string> {
  const { bytes } = frame;
  const type = decode.checkFrame(frame, crc32);
  expect(type).toBeGreaterThan(0);
  const said: Record<string, string | number> = {
    'xpass.type': type,
    'xpass.ecn': decode.ecn(bytes),
    'xpass.hop_limit': decode.hopLimit(bytes),
    'xpass.path': decode.pathId(bytes),
    'xpass.destination': decode.destinationHost(bytes),
    'xpass.source': decode.sourceHost(bytes),
    'xpass.flow': hex(decode.flowId(bytes)),
    'xpass.check.status': 'good',
    ...bodyOf(frame, type),
  };
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, String(value)]));
}

function bodyOf(frame: Frame, type: number): Record<string, string | number> {
  const { bytes } = frame;
  if (type === FrameType.credit)
    return {
      'xpass.credit_sequence': decode.creditSequence(bytes),
      'xpass.seq': decode.creditSequence(bytes),
      'xpass.rate_code': decode.creditRateCode(bytes),
    };
  if (type === FrameType.speculativeData)
    return { 'xpass.stream_offset': decode.dataOffset(bytes), 'xpass.payload_bytes': decode.dataPayloadBytes(frame) };
  if (type === FrameType.data) return dataOf(frame);
  if (type === FrameType.ack || type === FrameType.windowAck) return ackOf(bytes, type);
  if (type === Credits.type) return creditsOf(frame);
  return fieldsOf(kindOf(type) as FixedFrame, bytes);
}

function dataOf(frame: Frame): Record<string, string | number> {
  const { bytes } = frame;
  const isReactive = (decode.flags(bytes) & DataFlag.reactive) !== 0;
  const chunks = hasChunks(bytes) ? Array.from({ length: chunkCount(bytes) }, (_, index) => index) : [];
  return {
    'xpass.stream_offset': decode.dataOffset(bytes),
    'xpass.payload_bytes': decode.dataPayloadBytes(frame),
    'xpass.unused': decode.dataUnused(bytes),
    'xpass.data_frame_number': isReactive ? decode.dataFrameNumber(bytes) : '',
    'xpass.seq': isReactive ? '' : decode.dataCreditSequence(bytes),
    'xpass.chunk.flow': chunks.map((index) => hex(chunkFlowId(bytes, index))).join(),
    'xpass.chunk.payload_bytes': chunks.map((index) => chunkPayloadBytes(bytes, index)).join(),
  };
}

function creditsOf(frame: Frame): Record<string, string> {
  const credit = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
  const { bytes } = credit;
  const rows = Array.from({ length: entryCount(frame.bytes) }, (_, index) => {
    const count = takeCredit(frame, index, credit);
    const rate = decode.creditExplicitRate(bytes);
    return {
      'xpass.credit_flow_id': hex(decode.flowId(bytes)),
      'xpass.credit_sequence': decode.creditSequence(bytes),
      'xpass.rate_code': decode.creditRateCode(bytes),
      'xpass.explicit_rate': rate >>> 4,
      'xpass.hop': rate & 0xf,
      'xpass.credit_flags': decode.flags(bytes),
      'xpass.credit_count': count,
    };
  });
  const names = Object.keys(rows[0]) as (keyof (typeof rows)[number])[];
  const flows = rows.map((row) => row['xpass.credit_flow_id']);
  return {
    ...Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name]).join()])),
    'xpass.entry_count': `${rows.length}`,
    'xpass.flow': [hex(decode.flowId(frame.bytes)), ...flows].join(),
  };
}

function ackOf(bytes: Uint8Array, type: number): Record<string, string | number> {
  const ranges = Array.from({ length: decode.ackRangeCount(bytes) }, (_, index) => index);
  const isWindow = type === FrameType.windowAck;
  const [start, end] = isWindow
    ? [decode.windowAckRangeStart, decode.windowAckRangeEnd]
    : [decode.ackRangeStart, decode.ackRangeEnd];
  return {
    'xpass.cumulative_offset': decode.ackCumulative(bytes),
    'xpass.probe': decode.ackProbe(bytes),
    'xpass.range.start': ranges.map((index) => start(bytes, index)).join(),
    'xpass.range.end': ranges.map((index) => end(bytes, index)).join(),
    ...(isWindow && { 'xpass.frame_number': decode.windowAckFrameNumber(bytes) }),
  };
}

function fieldsOf({ fields, read }: FixedFrame, bytes: Uint8Array): Record<string, string | number> {
  const readers = read as Readonly<Record<string, AnyReader>>;
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => {
      const value = readers[key](bytes, new Uint8Array(isBytes(field) ? field.bytes : 0));
      if (typeof value !== 'number') return [abbreviation(key), Buffer.from(value).toString('hex')];
      return [abbreviation(key), 'prints' in field && field.prints === 'hex' ? hex(value) : value];
    }),
  );
}

/** Requests and answers (PROTOCOL §3), each with the field in which the answer repeats what the request has; the flow alone for a CREDIT. */
const LINKED: readonly (readonly [asks: string, by: string, answers: string, as?: string])[] = [
  ['CREDIT_REQUEST', 'flow id', 'CREDIT'],
  ...['CREDIT_REQUEST', 'CREDIT_STOP', 'FIN'].map((asks) => [asks, 'probe', 'ACK'] as const),
  ['CREDIT', 'credit sequence', 'DATA', 'echoed credit sequence'],
  ...['COOKIE', 'WELCOME'].map((answers) => ['HELLO', 'ci.1', answers] as const),
  ['PATH_CHALLENGE', 'challenge.1', 'PATH_RESPONSE'],
  ['MTU_PROBE', 'probe number', 'MTU_PROBED'],
  ...['ATTACHED', 'ATTACH_CHALLENGE', 'ATTACH_REFUSED'].map((answers) => ['ATTACH', 'token', answers] as const),
  ['KEEP_ALIVE', 'token', 'ATTACHED'],
];

/** A request, an answer to another one, and the one to it; flows and numbers from `first`. */
function exchange([asks, by, answers, as = by]: (typeof LINKED)[number], first: number): Uint8Array[] {
  const fields = (type: string, name: string, value: number) => {
    const { direction } = TYPES[type];
    const isOfFlow = !/host|any/.test(direction);
    const [to, from] =
      { 'host to switch': [0, 2], 'switch to host': [2, 0] }[direction] ?? (type === asks ? [1, 2] : [2, 1]);
    return {
      'destination host': to,
      'source host': from,
      ...(isOfFlow && { 'flow id': first }),
      version: 2,
      size: 24,
      [name]: value,
    };
  };
  const frame = (type: string, name: string, value: number) =>
    naiveEncode({
      type,
      fields: fields(type, name, value),
      ranges: [],
      payload: type === 'DATA' ? [1] : [],
      paddingBytes: 0,
    });
  return [frame(asks, by, first), frame(answers, as, first + 1), frame(answers, as, first)];
}

describe('the dissector', () => {
  it('reads random frames of every type as our decoder does', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    // A WELCOME names an association, whose frames have other checks: it comes last.
    const types = Object.keys(TYPES).sort((a, b) => Number(a === Welcome.name) - Number(b === Welcome.name));
    expect(types.sort()).toEqual(FRAMES.map(({ name }) => name).sort());
    const ordered = [...types.filter((type) => type !== Welcome.name), Welcome.name];
    const datagrams = ordered.flatMap((type, index) =>
      fc.sample(sentFrames(type), { numRuns: FRAMES_EACH, seed: TEST_SEED + index }).map((frame) => naiveEncode(frame)),
    );
    const expected = datagrams.map((bytes) => {
      const frame = new Frame(bytes.slice());
      frame.length = bytes.length;
      return decoded(frame);
    });
    const names = [...new Set(expected.flatMap((each) => Object.keys(each)))];
    const rows = await dissect(datagrams, [...names, '_ws.expert']);
    expect(rows).toHaveLength(datagrams.length);
    expected.forEach((each, index) => {
      const row = Object.fromEntries(names.map((name, at) => [name, rows[index][at]]));
      const wanted = Object.fromEntries(names.map((name) => [name, each[name] ?? row[name]]));
      expect(row, `seed ${TEST_SEED}, frame ${index}`).toEqual(wanted);
    });
  });

  it('says what is wrong, and links a credit with the data that echoes it, in bundles too', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    const credit = new Uint8Array(18);
    const there = { destination: 1, source: 2, flowId: 7 };
    const back = { destination: 2, source: 1, flowId: 7 };
    encodeCredit(credit, there, { sequence: 77, rateCode: 0, pathId: 0, hop: 0, paddingBytes: 0 }, crc32);
    const bundle = new Bundle(new Uint8Array(548));
    const inside = new Frame(credit);
    inside.length = credit.length;
    bundle.append(inside);
    const other = new Frame(credit.slice());
    other.length = credit.length;
    encodeCredit(other.bytes, there, { sequence: 78, rateCode: 0, pathId: 0, hop: 0, paddingBytes: 0 }, crc32);
    bundle.append(other);
    const data = new Uint8Array(27);
    const fields = { creditSequence: 77, offset: 0, unused: 0, explicitRate: 0, pathId: 0, flags: 0 };
    seal(data, encodeData(data, back, fields) + 1, crc32);
    const broken = data.slice();
    broken[20] ^= 1;
    const version = data.slice();
    version[1] = (7 << 4) | FrameType.data;
    const unknown = data.slice();
    unknown[1] = (2 << 4) | 12;
    const reserved = new Uint8Array(Version.minBytes + 4);
    reserved.set(naiveEncode(fc.sample(sentFrames('FIN'), { numRuns: 1, seed: 1 })[0]));
    reserved[2] |= 0x20;
    const datagrams = [bundle.bytes.slice(0, bundle.length), data, broken, version, unknown, reserved];
    const rows = await dissect(datagrams, ['xpass.seq', 'xpass.response_to', 'xpass.bundle', '_ws.expert.message']);
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['77,78', '', '2'],
      ['77', '1', ''],
      ['77', '1', ''],
      ['', '', ''],
      ['', '', ''],
      ['', '', ''],
    ]);
    expect(rows.map(([, , , message]) => message)).toEqual([
      '',
      '',
      'Wrong check',
      'Unknown version',
      'Unknown type',
      expect.stringContaining('Reserved bits are set'),
    ]);
  });

  it('links the credits of CREDITS with the data that echoes them', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    const row = { 'rate code': 0, 'explicit rate': 0, hop: 0, flags: 0 };
    const entries = [
      { ...row, 'flow id': 7, 'credit sequence': 0xffffe, count: 4 },
      { ...row, 'flow id': 8, 'credit sequence': 50, count: 1 },
    ];
    const plain = { ranges: [], payload: [], paddingBytes: 0 };
    const credits = naiveEncode({ ...plain, type: 'CREDITS', fields: { version: 2 }, entries });
    const data = [
      [7, 0xffffe],
      [7, 1],
      [8, 50],
      [7, 2],
      [8, 51],
    ].map(([flow, sequence]) => {
      const fields = { version: 2, 'flow id': flow, 'echoed credit sequence': sequence };
      return naiveEncode({ ...plain, type: 'DATA', fields, payload: [1] });
    });
    const rows = await dissect([credits, ...data], ['xpass.response_to']);
    expect(rows.flat()).toEqual(['', '1', '1', '1', '', '']);
  });

  it('links each request with its answer, and not with one that has another number', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    const datagrams = LINKED.flatMap((linked, at) => exchange(linked, 10 * (at + 1)));
    // In two passes: a request is read before its answer.
    const rows = await dissect(datagrams, ['xpass.response_to', 'xpass.response_in'], ['-2']);
    const found = LINKED.map(([asks, , answers], at) => [asks, answers, ...rows.slice(3 * at, 3 * at + 3)]);
    const wanted = LINKED.map(([asks, , answers], at) => [
      asks,
      answers,
      ['', `${3 * at + 3}`],
      ['', ''],
      [`${3 * at + 1}`, ''],
    ]);
    expect(found).toEqual(wanted);
  });
});
