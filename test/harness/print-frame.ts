/** One line per frame for people, in the manner of tcpdump. It allocates: for traces and tests, not for the hot path. */
import { chunkCount, chunkFlowId, chunkPayloadBytes, hasChunks } from '../../src/wire/chunks.js';
import { entryCount, takeCredit } from '../../src/wire/credits.js';
import * as decode from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { type AnyReader, type Field, type FixedFrame, type FrameKind, isBytes } from '../../src/wire/frame-kind.js';
import { kindOf } from '../../src/wire/frames.js';
import {
  CreditFlag,
  Credits,
  DataFlag,
  FrameType,
  Header,
  HOP_BITS,
  MAX_CREDIT_BYTES,
  NO_HOP,
} from '../../src/wire/layout.js';
import { rateOfCode } from '../../src/wire/rate-code.js';

const ECN_NAMES = ['-', 'ect1', 'ect0', 'ce'];
/** Of bytes that mean nothing to people. */
const SHOWN_BYTES = 8;

/** What follows the header, where it is not every field of the descriptor. */
const BODIES: Readonly<Record<number, (frame: Frame) => string>> = {
  [FrameType.credit]: ({ bytes }) => `credit=${decode.creditSequence(bytes)}${printRates(bytes)}`,
  [FrameType.data]: (frame) =>
    `${printEcho(frame.bytes)} offset=${decode.dataOffset(frame.bytes)} payload=${decode.dataPayloadBytes(frame)} ` +
    `unused=${decode.dataUnused(frame.bytes)}${printOffer(frame.bytes)}${printChunks(frame.bytes)}`,
  [FrameType.speculativeData]: (frame) =>
    `offset=${decode.dataOffset(frame.bytes)} payload=${decode.dataPayloadBytes(frame)}`,
  [FrameType.ack]: printAck,
  [FrameType.windowAck]: printWindowAck,
  [Credits.type]: printCredits,
};

/**
 * `DATA 3>7 flow=0x0000beef path=0 hop=63 ect0 [REPAIR] credit=5 offset=1446 payload=1446 unused=0`; for bytes that are no frame, the reason and length.
 * Ignores the check: simulated frames have none.
 */
export function printFrame(frame: Frame): string {
  const { bytes, length } = frame;
  const flagBits = bytes[Header.flags];
  const type = decode.checkFrame(frame, null);
  const line =
    type < 0 ? `dropped as ${decode.DROP_NAMES[-type]}, ${length + frame.phantomBytes} bytes` : printKind(frame, type);
  // Checking has taken the extension block off: whoever prints a frame does not use it up.
  frame.length = length;
  bytes[Header.flags] = flagBits;
  return line;
}

function printKind(frame: Frame, type: number): string {
  const kind = kindOf(type);
  const body = BODIES[type]?.(frame) ?? printFields(kind, frame.bytes);
  return [kind.name, printHeader(frame.bytes), ...printFlags(kind, frame.bytes), body].join(' ');
}

/** `token=0x00000abc maxFrameBytes=1472` */
function printFields(kind: FrameKind, bytes: Uint8Array): string {
  const read = (kind as FixedFrame).read as Readonly<Record<string, AnyReader>>;
  return Object.entries(kind.fields)
    .map(([key, field]) => ({ key, field, value: read[key](bytes, new Uint8Array(256)) }))
    .filter(({ field, value }) => !('hidesZero' in field && value === 0))
    .map(({ key, field, value }) => `${field.label ?? key}=${printField(field, value)}`)
    .join(' ');
}

function printField(field: Field, value: number | Uint8Array): string {
  if (isBytes(field)) return printBytes((value as Uint8Array).subarray(0, field.bytes));
  if (field.prints === 'hex') return hex(value as number);
  return field.prints === undefined ? String(value) : codeName(field.prints, value as number);
}

function printBytes(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte === 0)) return 'none';
  const shown = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > SHOWN_BYTES ? `${shown}..` : shown;
}

/** ` rate=100000kbit/s limited-by=2 offer=50000kbit/s@3`: of the flow, its limiting hop, and what the path offers. PROTOCOL §9.7 */
function printRates(bytes: Uint8Array): string {
  if ((decode.flags(bytes) & CreditFlag.explicitRate) === 0) return '';
  const hop = hopName(decode.flags(bytes) & CreditFlag.hopMask);
  return ` rate=${kbps(decode.creditRateCode(bytes))} limited-by=${hop}${printExplicitRate(decode.creditExplicitRate(bytes))}`;
}

/** `0x0000beef:5+3, 0x0000cafe:9+1 [LOW_CLASS] rate=...`: flow, sequence of the first credit and how many there are. */
function printCredits(frame: Frame): string {
  const credit = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
  const entries = Array.from({ length: entryCount(frame.bytes) }, (_, index) => {
    const count = takeCredit(frame, index, credit);
    const { bytes } = credit;
    const row = `${hex(decode.flowId(bytes))}:${decode.creditSequence(bytes)}+${count}`;
    return [row, ...printFlags(kindOf(FrameType.credit), bytes)].join(' ') + printRates(bytes);
  });
  return entries.join(', ');
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

/** The hop in a CREDIT's flags is no bit of its own, and its rate says that it has one. */
function printFlags({ flags = {}, type }: FrameKind, bytes: Uint8Array): string[] {
  const set = Object.keys(flags).filter((name) => decode.flags(bytes) & flags[name]);
  const said = type === FrameType.credit ? set.filter((name) => name !== 'explicitRate') : set;
  return said.length === 0 ? [] : [`[${said.map(constantCase).join(' ')}]`];
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
    `queued=${decode.windowAckRemoteQueuing(bytes)}us at=${decode.windowAckArrivalTime(bytes)}`
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
