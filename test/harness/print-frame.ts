/** One line per frame for people, in the manner of tcpdump. It allocates: for traces and tests, not for the hot path. */
import { chunkCount, chunkFlowId, chunkPayloadBytes, hasChunks } from '../../src/wire/chunks.js';
import * as decode from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import {
  AckFlag,
  AttachRefusal,
  CreditFlag,
  DataFlag,
  FrameType,
  HOP_BITS,
  NO_HOP,
  RequestFlag,
  ResetCode,
  ResetFlag,
  WindowAckFlag,
} from '../../src/wire/layout.js';
import { rateOfCode } from '../../src/wire/rate-code.js';

interface Printer {
  name: string;
  /** The type's flag bits; a set bit is printed by its name. */
  flags?: Record<string, number>;
  /** What follows the header. */
  body(frame: Frame): string;
}

const ECN_NAMES = ['-', 'ect1', 'ect0', 'ce'];

const keepAliveBody = ({ bytes }: Frame) => `token=${hex(decode.keepAliveToken(bytes))}`;

const PRINTERS: Record<number, Printer> = {
  [FrameType.creditRequest]: {
    name: 'CREDIT_REQUEST',
    flags: RequestFlag,
    body: ({ bytes }) =>
      `sent=${decode.requestSentOffset(bytes)} probe=${decode.requestProbe(bytes)} max=${decode.requestMaxFrameBytes(bytes)} ` +
      `paired=${hex(decode.requestPairedFlowId(bytes))} backlog=${decode.requestBacklog(bytes)} ` +
      `weight=${decode.requestWeight(bytes)}`,
  },
  [FrameType.credit]: {
    name: 'CREDIT',
    flags: { lowClass: CreditFlag.lowClass },
    body: ({ bytes }) => `credit=${decode.creditSequence(bytes)}${printRates(bytes)}`,
  },
  [FrameType.data]: {
    name: 'DATA',
    flags: DataFlag,
    body: (frame) =>
      `${printEcho(frame.bytes)} offset=${decode.dataOffset(frame.bytes)} payload=${decode.dataPayloadBytes(frame)} ` +
      `unused=${decode.dataUnused(frame.bytes)}${printOffer(frame.bytes)}${printChunks(frame.bytes)}`,
  },
  [FrameType.speculativeData]: {
    name: 'SPECULATIVE_DATA',
    flags: { end: DataFlag.end },
    body: (frame) => `offset=${decode.dataOffset(frame.bytes)} payload=${decode.dataPayloadBytes(frame)}`,
  },
  [FrameType.ack]: { name: 'ACK', flags: AckFlag, body: printAck },
  [FrameType.windowAck]: { name: 'WINDOW_ACK', flags: WindowAckFlag, body: printWindowAck },
  [FrameType.creditStop]: {
    name: 'CREDIT_STOP',
    body: ({ bytes }) =>
      `sent=${decode.stopSentOffset(bytes)} probe=${decode.stopProbe(bytes)} unused=${decode.stopUnused(bytes)}`,
  },
  [FrameType.fin]: {
    name: 'FIN',
    body: ({ bytes }) =>
      `final=${decode.finFinalOffset(bytes)} probe=${decode.finProbe(bytes)} unused=${decode.finUnused(bytes)}`,
  },
  [FrameType.reset]: {
    name: 'RESET',
    flags: ResetFlag,
    body: ({ bytes }) => `code=${codeName(ResetCode, decode.resetCode(bytes))}`,
  },
  [FrameType.attach]: {
    name: 'ATTACH',
    body: ({ bytes }) => `token=${hex(decode.attachToken(bytes))} max=${decode.attachMaxFrameBytes(bytes)}`,
  },
  [FrameType.attached]: {
    name: 'ATTACHED',
    body: ({ bytes }) =>
      `token=${hex(decode.attachedToken(bytes))} rate=${decode.attachedRateKbps(bytes)}kbit/s ` +
      `max=${decode.attachedMaxFrameBytes(bytes)} keepAlive=${decode.attachedKeepAliveMs(bytes)}ms`,
  },
  [FrameType.attachRefused]: {
    name: 'ATTACH_REFUSED',
    body: ({ bytes }) =>
      `token=${hex(decode.attachRefusedToken(bytes))} code=${codeName(AttachRefusal, decode.attachRefusedCode(bytes))}`,
  },
  [FrameType.keepAlive]: { name: 'KEEP_ALIVE', body: keepAliveBody },
  [FrameType.detach]: { name: 'DETACH', body: keepAliveBody },
  [FrameType.version]: {
    name: 'VERSION',
    body: ({ bytes }) => `lowest=${decode.versionLowest(bytes)} highest=${decode.versionHighest(bytes)}`,
  },
};

/**
 * `DATA 3>7 flow=0x0000beef path=0 hop=63 ect0 [REPAIR] credit=5 offset=1446 payload=1446 unused=0`; for bytes that are no frame, the reason and length.
 * Ignores the check: simulated frames have none.
 */
export function printFrame(frame: Frame): string {
  const type = decode.checkFrame(frame, null);
  if (type < 0) return `dropped as ${decode.DROP_NAMES[-type]}, ${frame.length + frame.phantomBytes} bytes`;
  const { name, flags, body } = PRINTERS[type];
  return [name, printHeader(frame.bytes), ...printFlags(flags ?? {}, frame.bytes), body(frame)].join(' ');
}

/** ` rate=100000kbit/s limited-by=2 offer=50000kbit/s@3`: of the flow, its limiting hop, and what the path offers. PROTOCOL §9.7 */
function printRates(bytes: Uint8Array): string {
  if ((decode.flags(bytes) & CreditFlag.explicitRate) === 0) return '';
  const hop = hopName(decode.flags(bytes) & CreditFlag.hopMask);
  return ` rate=${kbps(decode.creditRateCode(bytes))} limited-by=${hop}${printExplicitRate(decode.creditExplicitRate(bytes))}`;
}

/** Of DATA. */
function printOffer(bytes: Uint8Array): string {
  const explicitRate = isReactive(bytes) ? 0 : decode.dataExplicitRate(bytes);
  return explicitRate >>> HOP_BITS === 0 ? '' : printExplicitRate(explicitRate);
}

function printExplicitRate(explicitRate: number): string {
  return ` offer=${kbps(explicitRate >>> HOP_BITS)}@${hopName(explicitRate & NO_HOP)}`;
}

function kbps(rateCode: number): string {
  return `${Math.round(rateOfCode(rateCode) / 1000)}kbit/s`;
}

function hopName(hop: number): string {
  return hop === NO_HOP ? 'none' : String(hop);
}

function printEcho(bytes: Uint8Array): string {
  return isReactive(bytes) ? `frame=${decode.dataFrameNumber(bytes)}` : `credit=${decode.dataCreditSequence(bytes)}`;
}

function isReactive(bytes: Uint8Array): boolean {
  return (decode.flags(bytes) & DataFlag.reactive) !== 0;
}

/** ` chunks=0x0000beef+300,...`: the flow and the payload of each. */
function printChunks(bytes: Uint8Array): string {
  if (!hasChunks(bytes)) return '';
  const chunks = Array.from(
    { length: chunkCount(bytes) },
    (_, index) => `${hex(chunkFlowId(bytes, index))}+${chunkPayloadBytes(bytes, index)}`,
  );
  return ` chunks=${chunks.join(',')}`;
}

function printHeader(bytes: Uint8Array): string {
  return (
    `${decode.sourceHost(bytes)}>${decode.destinationHost(bytes)} flow=${hex(decode.flowId(bytes))} ` +
    `path=${decode.pathId(bytes)} hop=${decode.hopLimit(bytes)} ${ECN_NAMES[decode.ecn(bytes)]}`
  );
}

function printFlags(names: Record<string, number>, bytes: Uint8Array): string[] {
  const set = Object.keys(names).filter((name) => decode.flags(bytes) & names[name]);
  return set.length === 0 ? [] : [`[${set.map(constantCase).join(' ')}]`];
}

function printAck({ bytes }: Frame): string {
  return printArrived(bytes, (index) => `${decode.ackRangeStart(bytes, index)}-${decode.ackRangeEnd(bytes, index)}`);
}

function printWindowAck({ bytes }: Frame): string {
  const arrived = printArrived(
    bytes,
    (index) => `${decode.windowAckRangeStart(bytes, index)}-${decode.windowAckRangeEnd(bytes, index)}`,
  );
  return (
    `${arrived} window=${decode.windowAckEnd(bytes)} frame=${decode.windowAckFrameNumber(bytes)} ` +
    `arrived-with=${decode.windowAckHopLimit(bytes)},${ECN_NAMES[decode.windowAckEcn(bytes)]} ` +
    `queued=${decode.windowAckRemoteQueuing(bytes)}us`
  );
}

function printArrived(bytes: Uint8Array, range: (index: number) => string): string {
  const ranges = Array.from({ length: decode.ackRangeCount(bytes) }, (_, index) => range(index));
  return `cumulative=${decode.ackCumulative(bytes)} probe=${decode.ackProbe(bytes)} ranges=${ranges.join(',') || 'none'}`;
}

function codeName(codes: Record<string, number>, code: number): string {
  const name = Object.keys(codes).find((key) => codes[key] === code);
  return name === undefined ? String(code) : constantCase(name);
}

/** As PROTOCOL §3 writes names: `fromReceiver` becomes `FROM_RECEIVER`. */
function constantCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
