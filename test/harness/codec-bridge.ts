/** Says the same frame to src/wire and to the naive twin, so that tests can compare what both make of it. */
import zlib from 'node:zlib';
import type { Crc32 } from '../../src/base/crc32.js';
import * as chunkTable from '../../src/wire/chunks.js';
import * as decode from '../../src/wire/decode.js';
import * as encode from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { Chunks, CreditFlag, Data, DataFlag } from '../../src/wire/layout.js';
import { type NaiveChunk, type NaiveFrame, TYPES } from './naive-codec.js';

/** Not the CRC of base, so that the two are held to each other here too. */
const check: Crc32 = (bytes, start, end) => zlib.crc32(bytes.subarray(start, end));

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

function rangesOf(ranges: [number, number][]): encode.AckRanges {
  return { count: ranges.length, start: (index) => ranges[index][0], end: (index) => ranges[index][1] };
}

function writeTable(bytes: Uint8Array, chunks: NaiveChunk[]): number {
  for (const [index, chunk] of chunks.entries()) {
    const { 'flow id': flowId, 'stream offset': offset, flags, payload } = chunk;
    chunkTable.writeChunk(bytes, index, { flowId, offset, payloadBytes: payload.length, flags });
  }
  return chunkTable.writeChunkCount(bytes, chunks.length);
}

/** The chunks of a filled frame, as their flows would have sent them; their flags as the table has them. */
function chunksOf(frame: Frame): NaiveChunk[] {
  const part = new Frame(new Uint8Array(64));
  let at = decode.dataPayloadAt(frame.bytes) + decode.dataPayloadBytes(frame);
  return Array.from({ length: chunkTable.chunkCount(frame.bytes) }, (_, index) => {
    at = chunkTable.takeChunk(frame, index, at, part);
    return {
      'flow id': decode.flowId(part.bytes),
      'stream offset': decode.dataOffset(part.bytes),
      flags: frame.bytes[Chunks.chunks + index * Chunks.chunkBytes + Chunks.flags],
      payload: [...part.bytes.subarray(Data.payload, Data.payload + decode.dataPayloadBytes(part))],
    };
  });
}

function asksForRate(flags: number): boolean {
  return (flags & CreditFlag.explicitRate) !== 0;
}

function isReactive(flags: number): boolean {
  return (flags & DataFlag.reactive) !== 0;
}

function explicitRateOf(explicitRate: number): Fields {
  return { 'explicit rate': Math.floor(explicitRate / 16), hop: explicitRate % 16 };
}

/** Of a reactive flow, the two halves of the frame number. */
function echoOf(bytes: Uint8Array): Fields {
  const number = decode.dataFrameNumber(bytes);
  return isReactive(decode.flags(bytes))
    ? { 'echoed credit sequence': Math.floor(number / 2 ** 12), 'rate code': number % 2 ** 12 }
    : {
        'echoed credit sequence': decode.dataCreditSequence(bytes),
        'rate code': Math.floor(decode.dataExplicitRate(bytes) / 16),
      };
}

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
          weight: fields.weight,
        },
        check,
      ),
    decode: (bytes) => ({
      'sent offset': decode.requestSentOffset(bytes),
      probe: decode.requestProbe(bytes),
      'max frame bytes': decode.requestMaxFrameBytes(bytes),
      'paired flow id': decode.requestPairedFlowId(bytes),
      backlog: decode.requestBacklog(bytes),
      weight: decode.requestWeight(bytes),
    }),
  },
  CREDIT: {
    encode: (bytes, header, { fields, paddingBytes }) =>
      encode.encodeCredit(
        bytes,
        header,
        {
          flags: fields.flags & 0x20,
          sequence: fields['credit sequence'],
          pathId: fields['path id'],
          paddingBytes: paddingBytes + (asksForRate(fields.flags) ? 2 : 0),
          rateCode: fields['rate code'],
          hop: fields.flags & 0x0f,
        },
        check,
      ),
    decode: (bytes) => ({
      'credit sequence': decode.creditSequence(bytes),
      'rate code': decode.creditRateCode(bytes),
      ...(asksForRate(decode.flags(bytes)) && explicitRateOf(decode.creditExplicitRate(bytes))),
    }),
  },
  DATA: {
    encode: (bytes, header, { fields, payload, chunks }) => {
      const head = encode.encodeData(bytes, header, {
        creditSequence: isReactive(fields.flags)
          ? fields['echoed credit sequence'] * 2 ** 12 + fields['rate code']
          : fields['echoed credit sequence'],
        explicitRate: 16 * fields['rate code'] + fields.hop,
        offset: fields['stream offset'],
        unused: fields.unused,
        flags: fields.flags,
        pathId: fields['path id'],
      });
      const at = chunks === undefined ? head : writeTable(bytes, chunks);
      const all = [...payload, ...(chunks ?? []).flatMap((chunk) => chunk.payload)];
      bytes.set(all, at);
      return encode.seal(bytes, at + all.length, check);
    },
    decode: (bytes) => ({
      ...echoOf(bytes),
      hop: decode.dataExplicitRate(bytes) % 16,
      'stream offset': decode.dataOffset(bytes),
      unused: decode.dataUnused(bytes),
    }),
  },
  ACK: {
    encode: (bytes, header, { fields, ranges }) => {
      const ack = {
        flags: fields.flags,
        cumulative: fields['cumulative offset'],
        probe: fields.probe,
        ranges: rangesOf(ranges),
      };
      return encode.encodeAck(bytes, header, ack, check);
    },
    decode: (bytes) => ({ 'cumulative offset': decode.ackCumulative(bytes), probe: decode.ackProbe(bytes) }),
  },
  WINDOW_ACK: {
    encode: (bytes, header, { fields, ranges }) => {
      const ack = {
        flags: fields.flags,
        cumulative: fields['cumulative offset'],
        probe: fields.probe,
        ranges: rangesOf(ranges),
        arrivedWith: fields['arrived with'],
        windowEnd: fields['window end'],
        frameNumber: fields['frame number'],
        remoteQueuing: fields['remote queuing, us'],
      };
      return encode.encodeWindowAck(bytes, header, ack, check);
    },
    decode: (bytes) => ({
      'cumulative offset': decode.ackCumulative(bytes),
      probe: decode.ackProbe(bytes),
      'arrived with': 4 * decode.windowAckHopLimit(bytes) + decode.windowAckEcn(bytes),
      'window end': decode.windowAckEnd(bytes),
      'frame number': decode.windowAckFrameNumber(bytes),
      'remote queuing, us': decode.windowAckRemoteQueuing(bytes),
    }),
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
  SPECULATIVE_DATA: {
    encode: (bytes, header, { fields, payload }) => {
      const at = encode.encodeSpeculativeData(bytes, header, { offset: fields['stream offset'], flags: fields.flags });
      bytes.set(payload, at);
      return encode.seal(bytes, at + payload.length, check);
    },
    decode: (bytes) => ({ 'stream offset': decode.dataOffset(bytes) }),
  },
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
export function fastEncode(frame: NaiveFrame): Uint8Array {
  const bytes = new Uint8Array(400).fill(0xa5);
  const { 'destination host': destination, 'source host': source, 'flow id': flowId } = frame.fields;
  const length = BRIDGES[frame.type].encode(bytes, { destination, source, flowId }, frame);
  return bytes.slice(0, length);
}

/** What src/wire sees in a datagram that lies in a larger buffer, in the twin's words. */
export function fastDecode(datagram: Uint8Array): NaiveFrame | string {
  const bytes = new Uint8Array(datagram.length + 64).fill(0xa5);
  bytes.set(datagram);
  const frame = new Frame(bytes);
  frame.length = datagram.length;
  const verdict = decode.checkFrame(frame, check);
  if (verdict < 0) return decode.DROP_NAMES[-verdict];
  const type = Object.keys(TYPES).find((name) => TYPES[name].number === verdict) ?? `type ${verdict}`;
  const payloadAt = type === 'DATA' ? decode.dataPayloadAt(bytes) : Data.payload;
  return {
    type,
    fields: { ...decodeHeader(bytes), ...BRIDGES[type].decode(bytes) },
    ranges: decodeRanges(type, bytes),
    payload: /DATA$/.test(type) ? [...bytes.subarray(payloadAt, payloadAt + decode.dataPayloadBytes(frame))] : [],
    paddingBytes: type === 'CREDIT' ? frame.length - (asksForRate(decode.flags(bytes)) ? 20 : 18) : 0,
    ...(chunkTable.hasChunks(bytes) && { chunks: chunksOf(frame) }),
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

function decodeRanges(type: string, bytes: Uint8Array): [number, number][] {
  if (type !== 'ACK' && type !== 'WINDOW_ACK') return [];
  const [start, end] =
    type === 'ACK'
      ? [decode.ackRangeStart, decode.ackRangeEnd]
      : [decode.windowAckRangeStart, decode.windowAckRangeEnd];
  return Array.from({ length: decode.ackRangeCount(bytes) }, (_, index) => [start(bytes, index), end(bytes, index)]);
}
