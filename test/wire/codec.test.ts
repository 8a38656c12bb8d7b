import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Crc32 } from '../../src/base/crc32.js';
import * as decode from '../../src/wire/decode.js';
import * as encode from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { Data } from '../../src/wire/layout.js';
import { printFrame } from '../../src/wire/print.js';
import { type NaiveFrame, naiveDecode, naiveEncode, naiveReseal, TYPES } from '../harness/naive-codec.js';
import { receivedFrames, sentFrames } from '../harness/naive-frames.js';
import { holds, printSeed, scaledRuns } from '../harness/seeds.js';

printSeed();

/** Not the CRC of base, so that the two are held to each other here too. */
const check: Crc32 = (bytes, start, end) => zlib.crc32(bytes.subarray(start, end));

const NAMES = Object.keys(TYPES);
const ROUNDS_EACH_TYPE = 200;

type Fields = Record<string, number>;

interface Bridge {
  encode(bytes: Uint8Array, header: encode.FlowHeader, frame: NaiveFrame): number;
  /** The body in the twin's words. */
  decode(bytes: Uint8Array): Fields;
}

const keepAlive = (encodeIt: typeof encode.encodeKeepAlive): Bridge => ({
  encode: (bytes, header, { fields }) => encodeIt(bytes, header, { token: fields.token }, check),
  decode: (bytes) => ({ token: decode.keepAliveToken(bytes) }),
});

/** How the same frame is said to src/wire and to the twin. */
const BRIDGES: Record<string, Bridge> = {
  CREDIT_REQUEST: {
    encode: (bytes, header, { fields }) =>
      encode.encodeRequest(
        bytes,
        header,
        {
          flags: fields.flags,
          sentOffset: fields['sent offset'],
          probe: fields.probe,
          maxFrameBytes: fields['max frame bytes'],
          pairedFlowId: fields['paired flow id'],
          backlog: fields.backlog,
        },
        check,
      ),
    decode: (bytes) => ({
      'sent offset': decode.requestSentOffset(bytes),
      probe: decode.requestProbe(bytes),
      'max frame bytes': decode.requestMaxFrameBytes(bytes),
      'paired flow id': decode.requestPairedFlowId(bytes),
      backlog: decode.requestBacklog(bytes),
    }),
  },
  CREDIT: {
    encode: (bytes, header, { fields, paddingBytes }) =>
      encode.encodeCredit(
        bytes,
        header,
        { sequence: fields['credit sequence'], pathId: fields['path id'], paddingBytes },
        check,
      ),
    decode: (bytes) => ({ 'credit sequence': decode.creditSequence(bytes) }),
  },
  DATA: {
    encode: (bytes, header, { fields, payload }) => {
      const at = encode.encodeData(bytes, header, {
        creditSequence: fields['echoed credit sequence'],
        offset: fields['stream offset'],
        unused: fields.unused,
        flags: fields.flags,
        pathId: fields['path id'],
      });
      bytes.set(payload, at);
      return encode.seal(bytes, at + payload.length, check);
    },
    decode: (bytes) => ({
      'echoed credit sequence': decode.dataCreditSequence(bytes),
      'stream offset': decode.dataOffset(bytes),
      unused: decode.dataUnused(bytes),
    }),
  },
  ACK: {
    encode: (bytes, header, { fields, ranges }) => {
      const source = {
        count: ranges.length,
        start: (index: number) => ranges[index][0],
        end: (index: number) => ranges[index][1],
      };
      const ack = {
        flags: fields.flags,
        cumulative: fields['cumulative offset'],
        probe: fields.probe,
        ranges: source,
      };
      return encode.encodeAck(bytes, header, ack, check);
    },
    decode: (bytes) => ({ 'cumulative offset': decode.ackCumulative(bytes), probe: decode.ackProbe(bytes) }),
  },
  CREDIT_STOP: {
    encode: (bytes, header, { fields }) =>
      encode.encodeStop(
        bytes,
        header,
        { sentOffset: fields['sent offset'], probe: fields.probe, unused: fields.unused },
        check,
      ),
    decode: (bytes) => ({
      'sent offset': decode.stopSentOffset(bytes),
      probe: decode.stopProbe(bytes),
      unused: decode.stopUnused(bytes),
    }),
  },
  FIN: {
    encode: (bytes, header, { fields }) =>
      encode.encodeFin(
        bytes,
        header,
        { finalOffset: fields['final offset'], probe: fields.probe, unused: fields.unused },
        check,
      ),
    decode: (bytes) => ({
      'final offset': decode.finFinalOffset(bytes),
      probe: decode.finProbe(bytes),
      unused: decode.finUnused(bytes),
    }),
  },
  RESET: {
    encode: (bytes, header, { fields }) =>
      encode.encodeReset(bytes, header, { flags: fields.flags, code: fields.code }, check),
    decode: (bytes) => ({ code: decode.resetCode(bytes) }),
  },
  ATTACH: {
    encode: (bytes, header, { fields }) =>
      encode.encodeAttach(bytes, header, { token: fields.token, maxFrameBytes: fields['max frame bytes'] }, check),
    decode: (bytes) => ({ token: decode.attachToken(bytes), 'max frame bytes': decode.attachMaxFrameBytes(bytes) }),
  },
  ATTACHED: {
    encode: (bytes, header, { fields }) =>
      encode.encodeAttached(
        bytes,
        header,
        {
          token: fields.token,
          rateKbps: fields['rate, in kbit/s'],
          maxFrameBytes: fields['max frame bytes'],
          keepAliveMs: fields['keep-alive time, ms'],
        },
        check,
      ),
    decode: (bytes) => ({
      token: decode.attachedToken(bytes),
      'rate, in kbit/s': decode.attachedRateKbps(bytes),
      'max frame bytes': decode.attachedMaxFrameBytes(bytes),
      'keep-alive time, ms': decode.attachedKeepAliveMs(bytes),
    }),
  },
  ATTACH_REFUSED: {
    encode: (bytes, header, { fields }) =>
      encode.encodeAttachRefused(bytes, header, { token: fields.token, code: fields.code }, check),
    decode: (bytes) => ({ token: decode.attachRefusedToken(bytes), code: decode.attachRefusedCode(bytes) }),
  },
  KEEP_ALIVE: keepAlive(encode.encodeKeepAlive),
  DETACH: keepAlive(encode.encodeDetach),
  VERSION: {
    encode: (bytes, header, { fields }) =>
      encode.encodeVersion(
        bytes,
        header,
        { lowest: fields['lowest version'], highest: fields['highest version'] },
        check,
      ),
    decode: (bytes) => ({
      'lowest version': decode.versionLowest(bytes),
      'highest version': decode.versionHighest(bytes),
    }),
  },
};

/** What src/wire makes of a frame, in a buffer whose old content must not shine through. */
function fastEncode(frame: NaiveFrame): Uint8Array {
  const bytes = new Uint8Array(400).fill(0xa5);
  const { 'destination host': destination, 'source host': source, 'flow id': flowId } = frame.fields;
  const length = BRIDGES[frame.type].encode(bytes, { destination, source, flowId }, frame);
  return bytes.slice(0, length);
}

/** What src/wire sees in a datagram that lies in a larger buffer, in the twin's words. */
function fastDecode(datagram: Uint8Array): NaiveFrame | string {
  const bytes = new Uint8Array(datagram.length + 64).fill(0xa5);
  bytes.set(datagram);
  const frame = new Frame(bytes);
  frame.length = datagram.length;
  const verdict = decode.checkFrame(frame, check);
  if (verdict < 0) return decode.DROP_NAMES[-verdict];
  const type = NAMES.find((name) => TYPES[name].number === verdict) ?? `type ${verdict}`;
  return {
    type,
    fields: { ...decodeHeader(bytes), ...BRIDGES[type].decode(bytes) },
    ranges: type === 'ACK' ? decodeRanges(bytes) : [],
    payload: type === 'DATA' ? [...bytes.subarray(Data.payload, Data.payload + decode.dataPayloadBytes(frame))] : [],
    paddingBytes: type === 'CREDIT' ? frame.length - 18 : 0,
  };
}

function decodeHeader(bytes: Uint8Array): Fields {
  return {
    'hop limit': decode.hopLimit(bytes),
    ECN: decode.ecn(bytes),
    version: decode.frameVersion(bytes),
    flags: decode.flags(bytes),
    'path id': decode.pathId(bytes),
    'destination host': decode.destinationHost(bytes),
    'source host': decode.sourceHost(bytes),
    'flow id': decode.flowId(bytes),
  };
}

function decodeRanges(bytes: Uint8Array): [number, number][] {
  return Array.from({ length: decode.ackRangeCount(bytes) }, (_, index) => [
    decode.ackRangeStart(bytes, index),
    decode.ackRangeEnd(bytes, index),
  ]);
}

function withoutReserved({ fields: { reserved: _, ...fields }, ...frame }: NaiveFrame): NaiveFrame {
  return { ...frame, fields };
}

describe('the codec and its naive twin', () => {
  it.each(NAMES)('write the same bytes for any %s', (type) => {
    holds(sentFrames(type), ROUNDS_EACH_TYPE, (frame) => {
      expect(fastEncode(frame)).toEqual(naiveEncode(frame));
    });
  });

  it.each(NAMES)('read in any %s what the other wrote', (type) => {
    holds(receivedFrames(type), ROUNDS_EACH_TYPE, (frame) => {
      const sent = withoutReserved(frame);
      const datagram = naiveEncode(frame);
      expect(fastDecode(datagram)).toEqual(sent);
      expect(naiveDecode(datagram)).toEqual(sent);
    });
  });
});

interface Mutation {
  frame: NaiveFrame;
  cut: number;
  extend: number[];
  writes: [number, number][];
  reseal: boolean;
}

const damagedFrames = fc
  .record({
    frame: fc.oneof(...NAMES.map(receivedFrames)),
    cut: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 40 })),
    extend: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 300, size: 'max' }),
    ),
    writes: fc.array(
      fc.tuple(
        fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 24 })),
        fc.constantFrom(0, 1, 2, 19, 26, 255, 128),
      ),
      { maxLength: 3 },
    ),
    reseal: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.boolean()),
  })
  .map((mutation) => damage(mutation));

/** Cuts, extends and overwrites, then as a rule makes the check fit: otherwise little would get beyond it. */
function damage({ frame, cut, extend, writes, reseal }: Mutation): Uint8Array {
  const whole = naiveEncode(frame);
  const datagram = Uint8Array.from([...whole.subarray(0, Math.max(0, whole.length - cut)), ...extend]);
  for (const [at, value] of writes) if (at < datagram.length) datagram[at] = value;
  return reseal ? naiveReseal(datagram) : datagram;
}

const randomBytes = fc.uint8Array({ maxLength: 60, size: 'max' });
/** With version and type that exist, so that it passes the first door. */
const headedBytes = fc
  .tuple(
    fc.uint8Array({ minLength: 2, maxLength: 60, size: 'max' }),
    fc.integer({ min: 0x10, max: 0x1f }),
    fc.boolean(),
  )
  .map(([bytes, second, reseal]) => {
    bytes[1] = second;
    return reseal ? naiveReseal(bytes) : bytes;
  });

describe('any bytes at all', () => {
  it(
    'get the same verdict and the same fields from the codec and its twin, and never an exception',
    () => {
      const verdicts = new Map<string, number>();
      const datagrams = fc.oneof({ weight: 6, arbitrary: damagedFrames }, headedBytes, randomBytes);
      holds(datagrams, 20_000, (datagram) => {
        const naive = naiveDecode(datagram);
        const fast = fastDecode(datagram);
        if (JSON.stringify(sorted(fast)) !== JSON.stringify(sorted(naive))) expect(fast).toEqual(naive);
        const verdict = typeof naive === 'string' ? naive : naive.type;
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      });
      // A generator that no longer reaches a reason or a type would prove nothing about it.
      expect([...verdicts.keys()].sort()).toEqual([...NAMES, ...decode.DROP_NAMES.slice(1)].sort());
    },
    60_000 * scaledRuns(1),
  );

  it('are printed on one line', () => {
    holds(fc.oneof(damagedFrames, headedBytes), 500, (datagram) => {
      const frame = new Frame(datagram);
      frame.length = datagram.length;
      expect(printFrame(frame)).toMatch(/^[ -~]+$/);
    });
  });

  it('never pass when one bit of a frame is flipped behind byte 0', () => {
    const flips = fc.tuple(fc.oneof(...NAMES.filter((name) => name !== 'CREDIT').map(sentFrames)), fc.nat());
    holds(flips, 2_000, ([frame, position]) => {
      const datagram = naiveEncode(frame);
      const bit = 8 + (position % (8 * (datagram.length - 1)));
      datagram[bit >>> 3] ^= 0x80 >>> (bit & 7);
      const verdict = fastDecode(datagram);
      if (typeof verdict !== 'string') throw new Error(`bit ${bit} of ${frame.type} flipped, and it passed`);
    });
  });
});

function sorted(frame: NaiveFrame | string): unknown {
  return typeof frame === 'string' ? frame : { ...frame, fields: Object.entries(frame.fields).sort() };
}
