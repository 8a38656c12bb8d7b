/**
 * Codes, flag bits and limits of all frames, and the offsets of those that carry data, credits and acknowledgements, in bytes (PROTOCOL §2, §3). The others are
 * whole in frames.ts; tests hold docs/PROTOCOL.md to both.
 */

/** The version that this code speaks. PROTOCOL §10 */
export const VERSION = 2;

/** Bytes of Ethernet (38, preamble and gap included), IPv4 (20) and UDP (8) around every UDP payload. PROTOCOL §1.1 */
export const WIRE_OVERHEAD_BYTES = 66;

/** Host ids: 0 is the switch itself, or the host at this address in direct mode. PROTOCOL §1.2 */
export const NO_HOST = 0;
export const MAX_HOST_ID = 65_534;

/** Frame classes: types of the frames of flows, and VERSION. Control frames have their types in frames.ts. PROTOCOL §2.2 */
export const FrameType = {
  creditRequest: 1,
  credit: 2,
  data: 3,
  ack: 4,
  creditStop: 5,
  fin: 6,
  reset: 7,
  /** All others, whose type is the byte behind the forwarding header. */
  control: 8,
  windowAck: 13,
  speculativeData: 14,
  version: 15,
} as const;

/** `frameType` of a control frame is this and its type, so that one number below TYPE_CODES names every frame. */
export const CONTROL_CODES = 256;
export const TYPE_CODES = 512;

/** Flag of every type but CREDIT: an extension block stands before the check. PROTOCOL §2.9 */
export const EXTENDED = 0x80;
/** PROTOCOL §2.9: offsets within an entry, its bit that forbids to skip it, and the length behind all entries. */
export const Extension = { length: 1, value: 2, requiredBit: 0x80, lengthBytes: 2 } as const;

/** In place of a frame type: a datagram with several frames. PROTOCOL §2.8 */
export const BUNDLE_TYPE = 0;
/** Longest frame in a bundle: what its byte of length can say. Messages of up to 229 bytes share a datagram with the request or ACK beside them. */
export const MAX_BUNDLED_BYTES = 255;
/** Longest bundle: what each IPv4 host takes (RFC 1122 section 3.3.2: 576 bytes with IP and UDP headers), so that no path is too narrow for it. 20 credits. */
export const MAX_BUNDLE_BYTES = 548;

/** The ECN field in the lower two bits of byte 0. RFC 3168, PROTOCOL §2.1 */
export const Ecn = { notCapable: 0, capable1: 1, capable0: 2, congestionExperienced: 3 } as const;

export const MAX_HOP_LIMIT = 63;

/** The forwarding header that switches read. PROTOCOL §2 */
export const Header = {
  hopLimitAndEcn: 0,
  versionAndType: 1,
  flags: 2,
  pathId: 3,
  destination: 4,
  source: 6,
  flowId: 8,
  bytes: 12,
} as const;

export const CHECK_BYTES = 4;
/** CRC-32 over byte 1 to the end of an intact frame, check included. PROTOCOL §2.6 */
export const CHECK_RESIDUE = 0x2144df1c;

/** PROTOCOL §3.2 */
export const Credit = {
  sequenceAndRate: 12,
  check: 16,
  bytes: 18,
  explicitRate: 18,
  explicitBytes: 2,
  maxPaddingBytes: 8,
} as const;
/** PROTOCOL §3.28: `flowId` to `count` are offsets within an entry. The largest frame is, with its seal, as long as a bundle. */
export const Credits = {
  type: CONTROL_CODES + 11,
  entryCount: 14,
  entries: 16,
  entryBytes: 12,
  maxEntries: 42,
  flowId: 0,
  sequenceAndRate: 4,
  explicitRate: 8,
  flags: 10,
  count: 11,
  maxCredits: 64,
} as const;
/** Bits of a rate code. In the word that it shares with the credit sequence, in CREDIT and in DATA, that has the others. PROTOCOL §1.3 */
export const RATE_BITS = 12;
/** PROTOCOL §3.3; `overheadBytes` is all but the payload. */
export const Data = {
  sequenceAndRate: 12,
  frameNumber: 12,
  offset: 16,
  unusedAndHop: 20,
  payload: 22,
  overheadBytes: 26,
} as const;
/** PROTOCOL §3.16: what a DATA frame with CHUNKS has in front of its payload. `flowId` to `flags` are offsets within a chunk's entry. */
export const Chunks = {
  chunkCount: 22,
  chunks: 24,
  chunkBytes: 12,
  flowId: 0,
  offset: 4,
  payloadBytes: 8,
  flags: 10,
  maxChunks: 64,
} as const;
/** PROTOCOL §3.4 */
export const Ack = {
  cumulative: 12,
  probe: 16,
  rangeCount: 18,
  ranges: 20,
  bytes: 24,
  rangeBytes: 8,
  maxRanges: 32,
} as const;
/** PROTOCOL §3.14; the fields that it shares with ACK stand where they stand there, but for the ranges. */
export const WindowAck = {
  cumulative: Ack.cumulative,
  probe: Ack.probe,
  rangeCount: Ack.rangeCount,
  arrivedWith: 19,
  windowEnd: 20,
  frameNumber: 24,
  remoteQueuing: 28,
  arrivalTime: 30,
  ranges: 32,
  bytes: 36,
} as const;

/** Of the arrival time in a WINDOW_ACK. PROTOCOL §3.14 */
export const ARRIVAL_UNIT_NS = 100;

/** Flag bits by frame type. PROTOCOL §2.3 */
export const RequestFlag = {
  open: 0x01,
  reactive: 0x02,
  speculative: 0x04,
  covered: 0x08,
  lowClass: 0x10,
  duplex: 0x20,
} as const;
/** The lowest four bits: the hop that limits the flow. PROTOCOL §9.7 */
export const CreditFlag = { hopMask: 0x0f, explicitRate: 0x10, lowClass: 0x20 } as const;
/** Of a hop in four bits: none. The hops of longer paths share 14. PROTOCOL §9.7 */
export const NO_HOP = 15;
/** The hop is below the rate code, in the explicit rate of CREDIT and in what DATA echoes of it. */
export const HOP_BITS = 4;
export const DataFlag = {
  end: 0x01,
  creditCe: 0x02,
  repair: 0x04,
  reactive: 0x08,
  early: 0x10,
  more: 0x20,
  chunks: 0x40,
} as const;
export const AckFlag = { complete: 0x01, paused: 0x02, beyond: 0x04 } as const;
export const WindowAckFlag = { complete: AckFlag.complete, echo: 0x04 } as const;
export const ResetFlag = { fromReceiver: 0x01 } as const;

/** PROTOCOL §3.7 */
export const ResetCode = {
  refused: 1,
  unknownFlow: 2,
  aborted: 3,
  frameSize: 4,
  tooManyFlows: 5,
  protocol: 6,
  idle: 7,
  shutdown: 8,
  weight: 9,
} as const;

/** PROTOCOL §3.10 */
export const AttachRefusal = {
  idInUse: 1,
  unknownId: 2,
  noFreeId: 3,
  frameSize: 4,
  notAttached: 5,
  wrongKey: 6,
} as const;

/** UDP payload of a full data frame on a 1500-byte MTU: 1500 - 20 - 8. */
export const DEFAULT_FRAME_BYTES = 1472;
/** Largest UDP payload over IPv4: 65,535 - 20 - 8. RFC 768 */
export const MAX_FRAME_BYTES = 65_507;
/** Smallest of a link (ours): a HELLO of 184 bytes has to fit. */
export const MIN_FRAME_BYTES = 192;

/** Mean wire size of a credit: 84 to 92 bytes, uniform. PROTOCOL §4.4 */
export const MEAN_CREDIT_WIRE_BYTES = 88;
/** The least an Ethernet frame takes. */
export const MIN_WIRE_BYTES = 84;

/** Wire bytes of a frame with this UDP payload. PROTOCOL §1.1 */
export function wireBytes(payloadBytes: number): number {
  return payloadBytes + WIRE_OVERHEAD_BYTES;
}

/** What a seal adds to a CREDIT, and to any other frame. PROTOCOL §7.5 */
export const SEALED_CREDIT_EXTRA_BYTES = 12;
export const SEALED_EXTRA_BYTES = 16;

/** Mean wire size of a credit of hosts with keys or without. PROTOCOL §4.4 */
export function meanCreditWireBytes(isSealed: boolean): number {
  return MEAN_CREDIT_WIRE_BYTES + (isSealed ? SEALED_CREDIT_EXTRA_BYTES : 0);
}

/** The part of a link that credits get: `88 / (88 + data)`; 5.41 % for 1538-byte data frames. PROTOCOL §9.1 */
export function creditShare(maxFrameBytes: number, isSealed = false): number {
  const creditBytes = meanCreditWireBytes(isSealed);
  return creditBytes / (creditBytes + wireBytes(maxFrameBytes));
}

/** Longest CREDIT without a seal, and the longest of all: a CREDIT has no extension block. PROTOCOL §2.9, §7.5 */
export const MAX_PLAIN_CREDIT_BYTES = Credit.bytes + Credit.maxPaddingBytes;
export const MAX_CREDIT_BYTES = MAX_PLAIN_CREDIT_BYTES + SEALED_CREDIT_EXTRA_BYTES;
