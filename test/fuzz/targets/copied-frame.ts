import { crc32 } from '../../../src/base/crc32.js';
import { addCredit, beginCredits, endCredits, entryCount, nextCredit, takeCredit } from '../../../src/wire/credits.js';
import * as decode from '../../../src/wire/decode.js';
import * as encode from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { type AnyReader, type FixedFrame, isBytes } from '../../../src/wire/frame-kind.js';
import { FRAMES } from '../../../src/wire/frames.js';
import {
  CONTROL_CODES,
  Credit,
  CreditFlag,
  Credits,
  DataFlag,
  FrameType,
  Header,
  MAX_CREDIT_BYTES,
  VERSION,
  WIRE_OVERHEAD_BYTES,
} from '../../../src/wire/layout.js';

type Write = (bytes: Uint8Array, header: encode.FlowHeader, from: Frame) => number;

const arrived = (bytes: Uint8Array) => ({
  flags: decode.flags(bytes),
  cumulative: decode.ackCumulative(bytes),
  probe: decode.ackProbe(bytes),
});

/** A frame whose fields all have fixed places: its descriptor reads and writes them. */
function fixedWriter({ type, fields, read, encode: write }: FixedFrame): Write {
  const readers = read as Readonly<Record<string, AnyReader>>;
  return (bytes, header, { bytes: from }) => {
    const values = Object.entries(fields).map(([key, field]) => [
      key,
      readers[key]!(from, new Uint8Array(isBytes(field) ? field.bytes : 0)),
    ]);
    const flags = type < CONTROL_CODES ? { flags: decode.flags(from) } : {};
    return write(bytes, header, { ...Object.fromEntries(values), ...flags } as never, crc32);
  };
}

/** Each type by what is read of it and written. */
const WRITERS: Readonly<Record<number, Write>> = {
  ...Object.fromEntries(
    FRAMES.flatMap((kind) => ('encode' in kind ? [[kind.type, fixedWriter(kind as FixedFrame)]] : [])),
  ),
  [FrameType.credit]: (bytes, header, { bytes: from, wireBytes }) =>
    encode.encodeCredit(
      bytes,
      header,
      {
        flags: decode.flags(from),
        sequence: decode.creditSequence(from),
        pathId: decode.pathId(from),
        paddingBytes: wireBytes - WIRE_OVERHEAD_BYTES - Credit.bytes,
        rateCode: (decode.flags(from) & CreditFlag.explicitRate) === 0 ? 0 : decode.creditRateCode(from),
        hop: decode.flags(from) & CreditFlag.hopMask,
      },
      crc32,
    ),
  [FrameType.data]: (bytes, header, frame) => {
    const { bytes: from } = frame;
    const isReactive = (decode.flags(from) & DataFlag.reactive) !== 0;
    const fields = {
      creditSequence: isReactive ? decode.dataFrameNumber(from) : decode.dataCreditSequence(from),
      explicitRate: decode.dataExplicitRate(from),
      offset: decode.dataOffset(from),
      unused: decode.dataUnused(from),
      flags: decode.flags(from),
      pathId: decode.pathId(from),
    };
    return withPayload(bytes, encode.encodeData(bytes, header, fields), frame);
  },
  [FrameType.speculativeData]: (bytes, header, frame) => {
    const fields = { offset: decode.dataOffset(frame.bytes), flags: decode.flags(frame.bytes) };
    return withPayload(bytes, encode.encodeSpeculativeData(bytes, header, fields), frame);
  },
  [FrameType.ack]: (bytes, header, { bytes: from }) => {
    const ranges = {
      count: decode.ackRangeCount(from),
      start: (index: number) => decode.ackRangeStart(from, index),
      end: (index: number) => decode.ackRangeEnd(from, index),
    };
    return encode.encodeAck(bytes, header, { ...arrived(from), ranges }, crc32);
  },
  [FrameType.windowAck]: (bytes, header, { bytes: from }) => {
    const ranges = {
      count: decode.ackRangeCount(from),
      start: (index: number) => decode.windowAckRangeStart(from, index),
      end: (index: number) => decode.windowAckRangeEnd(from, index),
    };
    const fields = {
      ...arrived(from),
      ranges,
      windowEnd: decode.windowAckEnd(from),
      frameNumber: decode.windowAckFrameNumber(from),
      arrivedWith: decode.windowAckHopLimit(from) * 4 + decode.windowAckEcn(from),
      remoteQueuing: decode.windowAckRemoteQueuing(from),
      arrivalTime: decode.windowAckArrivalTime(from),
    };
    return encode.encodeWindowAck(bytes, header, fields, crc32);
  },
  [Credits.type]: (bytes, { pathId = 0 }, from) => {
    const copy = new Frame(bytes);
    beginCredits(copy);
    bytes[Header.pathId] = pathId;
    const credit = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
    for (let index = 0; index < entryCount(from.bytes); index++) {
      for (let left = takeCredit(from, index, credit); left > 0; left--) {
        addCredit(copy, credit);
        nextCredit(credit.bytes);
      }
    }
    endCredits(copy, crc32);
    return copy.length;
  },
};

/**
 * The frame that encode writes of what decode reads; null for filled frames, which have a target of their own, for VERSION of another version than
 * ours, and for CREDITS whose rows are written as fewer.
 */
export function copiedFrame(frame: Frame): Frame | null {
  const { bytes } = frame;
  const type = decode.frameType(bytes);
  const write = WRITERS[type];
  const isFilled = type === FrameType.data && (decode.flags(bytes) & DataFlag.chunks) !== 0;
  if (write === undefined || isFilled || decode.frameVersion(bytes) !== VERSION) return null;
  const copy = new Frame(new Uint8Array(frame.length + 64));
  const header = {
    destination: decode.destinationHost(bytes),
    source: decode.sourceHost(bytes),
    flowId: decode.flowId(bytes),
    pathId: decode.pathId(bytes),
  };
  copy.length = write(copy.bytes, header, frame);
  return type === Credits.type && copy.length < frame.length ? null : copy;
}

function withPayload(bytes: Uint8Array, at: number, frame: Frame): number {
  const payloadBytes = decode.dataPayloadBytes(frame);
  const start = decode.dataPayloadAt(frame.bytes);
  bytes.set(frame.bytes.subarray(start, start + payloadBytes), at);
  return encode.seal(bytes, at + payloadBytes, crc32);
}
