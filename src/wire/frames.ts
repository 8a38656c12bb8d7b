// Tested by test/wire/codec.test.ts and test/wire/protocol-document.test.ts
/**
 * All frames, one descriptor each: docs/PROTOCOL.md is held to them, and encoding, reading, validity and printing follow from them. Frames of data, credits
 * and acknowledgements are encoded and read by plain functions (encode.ts, decode.ts), which tests hold to their descriptors.
 */
import { hasValidCredits } from './credits.js';
import { controlFrame, type FieldCheck, type FrameKind, fieldCheckOf, fixedFrame } from './frame-kind.js';
import {
  Ack,
  AckFlag,
  AttachRefusal,
  CHECK_BYTES,
  Credit,
  CreditFlag,
  Credits,
  Data,
  DataFlag,
  FrameType,
  MAX_FRAME_BYTES,
  RequestFlag,
  ResetCode,
  ResetFlag,
  TYPE_CODES,
  WindowAck,
  WindowAckFlag,
} from './layout.js';
import { COOKIE_BYTES, BITS_BYTES as ID_BYTES, PROOF_BYTES } from './proofs.js';

/** What *max frame bytes* may be: a DATA frame of one byte, as no flow can do with less, to all that UDP carries. PROTOCOL §3.3 */
const FRAME_SIZE = { label: 'max', bits: 16, least: Data.overheadBytes + 1, most: MAX_FRAME_BYTES } as const;
/** Of the process that attaches. */
const TOKEN = { at: 16, bits: 32, prints: 'hex' } as const;
/** Each number once for a key. */
const COUNTER = { bits: 32, optional: true } as const;
/** Longest message of a Noise handshake that the frames hold. */
const MESSAGE_BYTES = 128;

export const CreditRequest = fixedFrame({
  name: 'CREDIT_REQUEST',
  type: FrameType.creditRequest,
  section: '3.1',
  direction: 'sender to receiver',
  flags: RequestFlag,
  bytes: 36,
  fields: {
    sentOffset: { at: 12, bits: 32, label: 'sent' },
    probe: { at: 16, bits: 16 },
    maxFrameBytes: { at: 18, ...FRAME_SIZE },
    /** 0 for none. */
    pairedFlowId: { at: 20, bits: 32, prints: 'hex', label: 'paired' },
    backlog: { at: 24, bits: 32, saturates: true },
    weight: { at: 28, bits: 8, least: 1 },
    /** What the path carries of that; 0 for all. */
    pathFrameBytes: { at: 30, bits: 16, optional: true, hidesZero: true },
  },
});

const CREDIT: FrameKind = {
  name: 'CREDIT',
  type: FrameType.credit,
  section: '3.2',
  direction: 'receiver to sender',
  flags: { explicitRate: CreditFlag.explicitRate, lowClass: CreditFlag.lowClass },
  minBytes: Credit.bytes,
  maxBytes: Credit.bytes + Credit.maxPaddingBytes,
  fields: {
    creditSequence: { at: Credit.sequenceAndRate, bits: 20 },
    rateCode: { at: Credit.sequenceAndRate + 2, bits: 12 },
    creditCheck: { at: Credit.check, bits: 16 },
    explicitRate: { at: Credit.explicitRate, bits: 12 },
    hop: { at: Credit.explicitRate + 1, bits: 4 },
  },
};

const ENTRY = Credits.entries;

const CREDITS: FrameKind = {
  name: 'CREDITS',
  type: Credits.type,
  section: '3.28',
  direction: 'host to host',
  minBytes: ENTRY + CHECK_BYTES,
  maxBytes: ENTRY + Credits.maxEntries * Credits.entryBytes + CHECK_BYTES,
  repeats: {
    count: 'entryCount',
    bytes: Credits.entryBytes,
    least: ENTRY + CHECK_BYTES,
    what: 'entry',
    fields: {
      creditFlowId: { at: ENTRY + Credits.flowId, bits: 32, prints: 'hex', name: 'flow id' },
      creditSequence: { at: ENTRY + Credits.sequenceAndRate, bits: 20 },
      rateCode: { at: ENTRY + Credits.sequenceAndRate + 2, bits: 12 },
      explicitRate: { at: ENTRY + Credits.explicitRate, bits: 12 },
      hop: { at: ENTRY + Credits.explicitRate + 1, bits: 4 },
      creditFlags: { at: ENTRY + Credits.flags, bits: 8, name: 'flags' },
      creditCount: { at: ENTRY + Credits.count, bits: 8, name: 'count', least: 1, most: Credits.maxCredits },
    },
  },
  fields: { entryCount: { at: Credits.entryCount, bits: 16, least: 1, most: Credits.maxEntries } },
  isConsistent: hasValidCredits,
};

const DATA: FrameKind = {
  name: 'DATA',
  type: FrameType.data,
  section: '3.3',
  direction: 'sender to receiver',
  flags: DataFlag,
  minBytes: Data.overheadBytes + 1,
  maxBytes: MAX_FRAME_BYTES,
  holdsPayload: true,
  fields: {
    echoedCreditSequence: { at: Data.sequenceAndRate, bits: 20 },
    rateCode: { at: Data.sequenceAndRate + 2, bits: 12 },
    streamOffset: { at: Data.offset, bits: 32 },
    unused: { at: Data.unusedAndHop, bits: 12 },
    hop: { at: Data.unusedAndHop + 1, bits: 4 },
  },
};

const ARRIVED = {
  cumulativeOffset: { at: Ack.cumulative, bits: 32 },
  probe: { at: Ack.probe, bits: 16 },
  rangeCount: { at: Ack.rangeCount, bits: 8 },
} as const;

const ACK: FrameKind = {
  name: 'ACK',
  type: FrameType.ack,
  section: '3.4',
  direction: 'receiver to sender',
  flags: AckFlag,
  minBytes: Ack.bytes,
  maxBytes: Ack.bytes + Ack.maxRanges * Ack.rangeBytes,
  repeats: { count: 'rangeCount', bytes: Ack.rangeBytes, least: Ack.bytes, what: 'range' },
  fields: ARRIVED,
};

export const CreditStop = fixedFrame({
  name: 'CREDIT_STOP',
  type: FrameType.creditStop,
  section: '3.5',
  direction: 'sender to receiver',
  bytes: 24,
  fields: {
    sentOffset: { at: 12, bits: 32, label: 'sent' },
    probe: { at: 16, bits: 16 },
    unused: { at: 18, bits: 16 },
  },
});

export const Fin = fixedFrame({
  name: 'FIN',
  type: FrameType.fin,
  section: '3.6',
  direction: 'sender to receiver',
  bytes: 24,
  fields: {
    finalOffset: { at: 12, bits: 32, label: 'final' },
    probe: { at: 16, bits: 16 },
    unused: { at: 18, bits: 16 },
  },
});

export const Reset = fixedFrame({
  name: 'RESET',
  type: FrameType.reset,
  section: '3.7',
  direction: 'both',
  flags: ResetFlag,
  bytes: 20,
  fields: { code: { at: 12, bits: 16, prints: ResetCode } },
});

const WINDOW_ACK: FrameKind = {
  name: 'WINDOW_ACK',
  type: FrameType.windowAck,
  section: '3.14',
  direction: 'receiver to sender',
  flags: WindowAckFlag,
  minBytes: WindowAck.bytes,
  maxBytes: WindowAck.bytes + Ack.maxRanges * Ack.rangeBytes,
  repeats: { count: 'rangeCount', bytes: Ack.rangeBytes, least: WindowAck.bytes, what: 'range' },
  fields: {
    ...ARRIVED,
    arrivedWith: { at: WindowAck.arrivedWith, bits: 8 },
    windowEnd: { at: WindowAck.windowEnd, bits: 32 },
    frameNumber: { at: WindowAck.frameNumber, bits: 32 },
    remoteQueuingUs: { at: WindowAck.remoteQueuing, bits: 16, name: 'remote queuing, us' },
    arrivalTime100Ns: { at: WindowAck.arrivalTime, bits: 16, name: 'arrival time, 100 ns' },
  },
};

const SPECULATIVE_DATA: FrameKind = {
  name: 'SPECULATIVE_DATA',
  type: FrameType.speculativeData,
  section: '3.15',
  direction: 'sender to receiver',
  flags: { end: DataFlag.end },
  minBytes: Data.overheadBytes + 1,
  maxBytes: MAX_FRAME_BYTES,
  holdsPayload: true,
  fields: { streamOffset: { at: Data.offset, bits: 32 } },
};

/** The same in all versions. */
export const Version = fixedFrame({
  name: 'VERSION',
  type: FrameType.version,
  section: '3.13',
  direction: 'any',
  bytes: 20,
  fields: {
    lowest: { at: 12, bits: 8, name: 'lowest version' },
    highest: { at: 13, bits: 8, name: 'highest version' },
  },
  isConsistent: (bytes) => bytes[12] <= bytes[13],
});

/** As long as the longest WELCOME: an answer is never larger than its cause. */
export const Hello = controlFrame({
  name: 'HELLO',
  type: 1,
  section: '3.17',
  direction: 'host to host',
  hasBitsForId: true,
  bytes: 184,
  fields: {
    messageBytes: { at: 13, bits: 8, most: MESSAGE_BYTES },
    ci: { at: 16, bytes: ID_BYTES },
    /** Zeros for none. */
    cookie: { at: 24, bytes: COOKIE_BYTES },
    message: { at: 44, bytes: MESSAGE_BYTES },
  },
});

export const Cookie = controlFrame({
  name: 'COOKIE',
  type: 2,
  section: '3.18',
  direction: 'host to host',
  bytes: 48,
  fields: { ci: { at: 16, bytes: ID_BYTES }, cookie: { at: 24, bytes: COOKIE_BYTES } },
});

export const Welcome = controlFrame({
  name: 'WELCOME',
  type: 3,
  section: '3.19',
  direction: 'host to host',
  bytes: 184,
  fields: {
    messageBytes: { at: 13, bits: 8, most: MESSAGE_BYTES },
    ci: { at: 16, bytes: ID_BYTES },
    cr: { at: 24, bytes: ID_BYTES },
    cookie: { at: 32, bytes: COOKIE_BYTES },
    message: { at: 52, bytes: MESSAGE_BYTES },
  },
});

/** As short as it can be: a host answers every frame with it that is no shorter. */
export const NoAssociation = controlFrame({
  name: 'NO_ASSOCIATION',
  type: 4,
  section: '3.20',
  direction: 'host to host',
  hasBitsForId: true,
  bytes: 20,
  fields: {},
});

/** What the initiator says by the association, if nothing else: WELCOME has come. */
export const Confirm = controlFrame({
  name: 'CONFIRM',
  type: 9,
  section: '3.26',
  direction: 'host to host',
  bytes: 20,
  fields: {},
});

export const PathChallenge = controlFrame({
  name: 'PATH_CHALLENGE',
  type: 5,
  section: '3.21',
  direction: 'host to host',
  bytes: 28,
  fields: { challenge: { at: 16, bytes: ID_BYTES } },
});

export const PathResponse = controlFrame({
  name: 'PATH_RESPONSE',
  type: 6,
  section: '3.22',
  direction: 'host to host',
  hasBitsForId: true,
  bytes: 28,
  fields: { challenge: { at: 16, bytes: ID_BYTES } },
});

/** As long as PATH_CHALLENGE, which answers it. */
export const PathMoved = controlFrame({
  name: 'PATH_MOVED',
  type: 10,
  section: '3.27',
  direction: 'host to host',
  hasBitsForId: true,
  bytes: 28,
  fields: {},
});

export const MtuProbe = controlFrame({
  name: 'MTU_PROBE',
  type: 7,
  section: '3.23',
  direction: 'host to host',
  bytes: 24,
  maxBytes: MAX_FRAME_BYTES,
  repeats: { count: 'size', bytes: 1, least: 0, what: 'byte' },
  fields: { size: { at: 14, bits: 16 }, probeNumber: { at: 16, bits: 32 } },
});

export const MtuProbed = controlFrame({
  name: 'MTU_PROBED',
  type: 8,
  section: '3.24',
  direction: 'host to host',
  bytes: 24,
  fields: { size: { at: 14, bits: 16 }, probeNumber: { at: 16, bits: 32 } },
});

export const Attach = controlFrame({
  name: 'ATTACH',
  type: 32,
  section: '3.8',
  direction: 'host to switch',
  mayLackId: true,
  bytes: 68,
  fields: {
    /** 0 for "the switch's". */
    maxFrameBytes: { at: 14, ...FRAME_SIZE, orZero: true },
    token: TOKEN,
    nonce: { at: 20, bytes: ID_BYTES },
    cookie: { at: 28, bytes: COOKIE_BYTES },
    proof: { at: 48, bytes: PROOF_BYTES },
  },
});

export const Attached = controlFrame({
  name: 'ATTACHED',
  type: 33,
  section: '3.9',
  direction: 'switch to host',
  bytes: 52,
  fields: {
    maxFrameBytes: { at: 14, ...FRAME_SIZE },
    token: TOKEN,
    /** 0 for unlimited. */
    rateKbps: { at: 20, bits: 32, name: 'rate, in kbit/s' },
    keepAliveMs: { at: 24, bits: 16, least: 1, name: 'keep-alive time, ms' },
    counter: { at: 28, ...COUNTER },
    proof: { at: 32, bytes: PROOF_BYTES },
  },
});

export const AttachRefused = controlFrame({
  name: 'ATTACH_REFUSED',
  type: 34,
  section: '3.10',
  direction: 'switch to host',
  mayLackId: true,
  bytes: 24,
  fields: { code: { at: 14, bits: 16, prints: AttachRefusal }, token: TOKEN },
});

export const KeepAlive = controlFrame({
  name: 'KEEP_ALIVE',
  type: 35,
  section: '3.11',
  direction: 'host to switch',
  bytes: 44,
  fields: { token: TOKEN, counter: { at: 20, ...COUNTER }, proof: { at: 24, bytes: PROOF_BYTES } },
});

export const Detach = controlFrame({ ...KeepAlive, name: 'DETACH', type: 36, section: '3.12', bytes: 44 });

/** No larger than ATTACH, which it answers. */
export const AttachChallenge = controlFrame({
  name: 'ATTACH_CHALLENGE',
  type: 37,
  section: '3.25',
  direction: 'switch to host',
  mayLackId: true,
  bytes: 52,
  fields: { token: TOKEN, nonce: { at: 20, bytes: ID_BYTES }, cookie: { at: 28, bytes: COOKIE_BYTES } },
});

/** In the order of PROTOCOL §2.2. */
export const FRAMES: readonly FrameKind[] = [
  CreditRequest,
  CREDIT,
  DATA,
  ACK,
  CreditStop,
  Fin,
  Reset,
  WINDOW_ACK,
  SPECULATIVE_DATA,
  Version,
  Hello,
  Cookie,
  Welcome,
  NoAssociation,
  PathChallenge,
  PathResponse,
  MtuProbe,
  MtuProbed,
  Confirm,
  PathMoved,
  CREDITS,
  Attach,
  Attached,
  AttachRefused,
  KeepAlive,
  Detach,
  AttachChallenge,
];

/** By type; what is of no type has no entry. */
const kinds: (FrameKind | undefined)[] = new Array(TYPE_CODES).fill(undefined);
/** By type; null where all is valid that the kind's own fields can say. */
export const FIELD_CHECKS: (FieldCheck | null)[] = new Array(TYPE_CODES).fill(null);
/** Shortest and longest frame by type; zero where there is no such type. */
export const MIN_BYTES = new Uint16Array(TYPE_CODES);
export const MAX_BYTES = new Uint16Array(TYPE_CODES);
for (const kind of FRAMES) {
  kinds[kind.type] = kind;
  FIELD_CHECKS[kind.type] = fieldCheckOf(kind);
  MIN_BYTES[kind.type] = kind.minBytes;
  MAX_BYTES[kind.type] = kind.maxBytes;
}

/** The frame of a type that `checkFrame` or `peekHeader` gave. */
export function kindOf(type: number): FrameKind {
  return kinds[type] as FrameKind;
}

/** Between a host and its switch: no other host or switch takes it. PROTOCOL §2.2, §8.2 */
export function isSwitchType(type: number): boolean {
  return type >= Attach.type;
}
