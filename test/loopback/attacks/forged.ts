import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import { PERF_KIND } from '../../../src/services/perf/messages.js';
import { fastCrc32 } from '../../../src/udp/crc.js';
import { encodeCredit, encodeSpeculativeData, seal } from '../../../src/wire/encode.js';
import { CreditRequest, Fin, Hello, Reset, Version } from '../../../src/wire/frames.js';
import { RequestFlag, ResetCode, ResetFlag } from '../../../src/wire/layout.js';

const FRAME_BYTES = 1_472;
const MANY_BYTES = 1_000_000;

function made(write: (bytes: Buffer) => number): Buffer {
  const bytes = Buffer.alloc(FRAME_BYTES);
  return bytes.subarray(0, write(bytes));
}

const headerOf = (flowId: number) => ({ destination: 0, source: 0, flowId });

/** Opens a flow, and asks for an ACK. */
export function request(flowId: number, flags: number = RequestFlag.open): Buffer {
  const rest = { probe: 1, maxFrameBytes: FRAME_BYTES, pairedFlowId: 0, backlog: MANY_BYTES, weight: 1, flags };
  return made((bytes) => CreditRequest.encode(bytes, headerOf(flowId), { sentOffset: 0, ...rest }, fastCrc32));
}

/** Data that needs no credit. */
export function speculative(flowId: number, offset: number, payload: Uint8Array, flags = 0): Buffer {
  return made((bytes) => {
    const start = encodeSpeculativeData(bytes, headerOf(flowId), { offset, flags });
    bytes.set(payload, start);
    return seal(bytes, start + payload.length, fastCrc32);
  });
}

/** A flow's first bytes: what its stream is for. */
export function opening(flowId: number, message: Message): Buffer[] {
  return [request(flowId), speculative(flowId, 0, encodeMessage(message))];
}

/** `isFromReceiver`: for the flow's sender. */
export function reset(flowId: number, isFromReceiver: boolean): Buffer {
  const flags = isFromReceiver ? ResetFlag.fromReceiver : 0;
  return made((bytes) => Reset.encode(bytes, headerOf(flowId), { code: ResetCode.aborted, flags }, fastCrc32));
}

export function fin(flowId: number): Buffer {
  return made((bytes) => Fin.encode(bytes, headerOf(flowId), { finalOffset: 1, probe: 9, unused: 0 }, fastCrc32));
}

export function otherVersion(flowId: number): Buffer {
  return made((bytes) => Version.encode(bytes, headerOf(flowId), { lowest: 7, highest: 7 }, fastCrc32));
}

export function credit(flowId: number, sequence: number): Buffer {
  const fields = { sequence, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 0 };
  return made((bytes) => encodeCredit(bytes, headerOf(flowId), fields, fastCrc32));
}

export function hello(bits: Uint8Array, cookie?: Uint8Array): Buffer {
  const fields = { messageBytes: 0, ci: bits, ...(cookie !== undefined && { cookie }) };
  return made((bytes) => Hello.encode(bytes, headerOf(Buffer.from(bits).readUInt32BE(4)), fields, fastCrc32));
}

/** A test in which the server sends for an hour, on many flows. */
export const PERF_REVERSE: Message = {
  kind: PERF_KIND,
  role: 'control',
  test: 'a1',
  direction: 'reverse',
  flows: 64,
  durationNs: 3_600e9,
  bytes: null,
  omitNs: 0,
  window: '',
  windowParameters: {},
};
