// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import { crc32 } from '../../../base/crc32.js';
import { read32 } from '../../../wire/bytes.js';
import {
  type AckRanges,
  encodeAck,
  encodeCredit,
  encodeData,
  encodeSpeculativeData,
  encodeWindowAck,
  type FlowHeader,
  seal,
  writeHeader,
} from '../../../wire/encode.js';
import {
  Confirm,
  Cookie,
  CreditRequest,
  CreditStop,
  Fin,
  Hello,
  NoAssociation,
  Reset,
  Version,
  Welcome,
} from '../../../wire/frames.js';
import { CHECK_BYTES, Header } from '../../../wire/layout.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../../wire/proofs.js';
import type { Dice } from '../dice.js';
import type { Sight } from './sight.js';

/** Who lies, and in whose name to whom. */
export interface Liar {
  readonly dice: Dice;
  readonly sight: Sight;
  readonly maxFrameBytes: number;
}

/** Writes one frame and returns its length. */
export type Lie = (bytes: Uint8Array, header: FlowHeader, liar: Liar) => number;

/** Longest message of a handshake that a lie has: as long as the longest that keys make (PROTOCOL §7.3). */
const MOST_MESSAGE_BYTES = 96;
/** Where pages of buffers may begin (ours): a byte on each makes a receiver keep the most for the least. */
const PAGE_BYTES = 4_096;
const ALL_BITS = 2 ** 32;

/** An offset near the beginning of a stream, at a page of it, around the end of a window, or anywhere. */
function anOffset(dice: Dice): number {
  switch (dice.whole(0, 4)) {
    case 0:
      return dice.whole(0, 3_000);
    case 1:
      return PAGE_BYTES * dice.whole(0, 1_024);
    case 2:
      return 65_536 * dice.whole(1, 64) + dice.whole(-2, 2);
    case 3:
      return ALL_BITS - dice.whole(1, 3_000);
    default:
      return dice.uint32();
  }
}

/** A count or a probe: small, at the edge of its field, or anything. */
function aCount(dice: Dice, bits: number): number {
  const all = 2 ** bits;
  if (dice.chance(0.6)) return dice.whole(0, Math.min(all - 1, 40));
  return dice.chance(0.5) ? all - dice.whole(1, 3) : Math.floor(dice.between(0, all));
}

function ranges(dice: Dice, cumulative: number): AckRanges {
  const count = dice.chance(0.5) ? 0 : dice.whole(1, 8);
  const edges: number[] = [];
  for (let edge = cumulative, at = 0; at < 2 * count; at++) {
    edge += dice.whole(dice.chance(0.05) ? 0 : 1, 5_000);
    edges.push(edge);
  }
  return { count, start: (index) => edges[2 * index], end: (index) => edges[2 * index + 1] };
}

function aMessage(dice: Dice): Uint8Array {
  const bytes = new Uint8Array(dice.chance(0.7) ? 0 : dice.whole(1, MOST_MESSAGE_BYTES));
  return bytes.map(() => dice.whole(0, 255));
}

/** What a frame says that its message has. */
function messageLength(dice: Dice, { length }: Uint8Array): number {
  return dice.chance(0.9) ? length : dice.whole(0, 255);
}

/** Control frames but HELLO have no flow id; with one they are invalid. */
function control(header: FlowHeader, dice: Dice): FlowHeader {
  return dice.chance(0.9) ? { ...header, flowId: 0 } : header;
}

/** One that was seen, changed a little, or any. */
function aCookie({ dice, sight }: Liar): Uint8Array {
  const cookie = new Uint8Array(COOKIE_BYTES);
  if (sight.cookies.length > 0 && dice.chance(0.8)) cookie.set(dice.pick(sight.cookies).cookie);
  else for (let at = 0; at < COOKIE_BYTES; at++) cookie[at] = dice.whole(0, 255);
  if (dice.chance(0.2)) cookie[dice.whole(0, COOKIE_BYTES - 1)] ^= 1 << dice.whole(0, 7);
  return cookie;
}

/** HELLO; where it has a cookie, half of the time with the bits that this one is for: then a handshake goes on, and is left there. */
const hello: Lie = (bytes, header, liar) => {
  const { dice, sight } = liar;
  const message = aMessage(dice);
  const own = sight.cookies.filter(({ maker }) => maker === header.destination);
  if (own.length > 0 && dice.chance(0.5)) {
    const { ci, cookie } = dice.pick(own);
    return Hello.encode(bytes, header, { ci, cookie, messageBytes: message.length, message }, crc32);
  }
  const cookie = dice.chance(0.3) ? new Uint8Array(COOKIE_BYTES) : aCookie(liar);
  const fields = { ci: sight.someBits(dice), cookie, messageBytes: messageLength(dice, message), message };
  return Hello.encode(bytes, header, fields, crc32);
};

const cookie: Lie = (bytes, header, liar) =>
  Cookie.encode(
    bytes,
    control(header, liar.dice),
    { ci: liar.sight.someBits(liar.dice), cookie: aCookie(liar) },
    crc32,
  );

const welcome: Lie = (bytes, header, liar) => {
  const { dice, sight } = liar;
  const message = aMessage(dice);
  const bits = { ci: sight.someBits(dice), cr: sight.someBits(dice).slice() };
  // With the same bits twice both masks are one, and what the victim says can be reflected to it. Who sees bits can undo masks (PROTOCOL §7.3); liars do not.
  if (bits.cr.every((byte, at) => byte === bits.ci[at])) bits.cr[0] ^= 1;
  const fields = { ...bits, cookie: aCookie(liar), messageBytes: messageLength(dice, message), message };
  return Welcome.encode(bytes, control(header, dice), fields, crc32);
};

const noAssociation: Lie = (bytes, header, { dice }) => NoAssociation.encode(bytes, control(header, dice), {}, crc32);

const confirm: Lie = (bytes, header, { dice }) => Confirm.encode(bytes, control(header, dice), {}, crc32);

/** Of any type, mostly one that there is not, and too short for most of the others. */
const unknownControl: Lie = (bytes, header, { dice }) => {
  const length = NoAssociation.encode(bytes, control(header, dice), {}, null);
  bytes[Header.flags] = dice.whole(0, 255);
  return seal(bytes, length - CHECK_BYTES, crc32);
};

const version: Lie = (bytes, header, { dice, sight }) => {
  const lowest = dice.whole(0, 3);
  const flowId = dice.chance(0.5) ? read32(sight.someBits(dice), BITS_BYTES / 2) : header.flowId;
  return Version.encode(bytes, { ...header, flowId }, { lowest, highest: lowest + dice.whole(0, 2) }, crc32);
};

/** Most of them open a flow, that goes on or does not. */
const request: Lie = (bytes, header, { dice, maxFrameBytes }) => {
  const flags = dice.chance(0.7) ? 1 | (dice.chance(0.2) ? dice.whole(0, 63) : 0) : dice.whole(0, 255);
  const flowId = (flags & 1) !== 0 && dice.chance(0.8) ? dice.uint32() : header.flowId;
  const fields = {
    flags,
    sentOffset: anOffset(dice),
    probe: aCount(dice, 16),
    maxFrameBytes: dice.chance(0.8) ? maxFrameBytes : aCount(dice, 16),
    pairedFlowId: dice.chance(0.8) ? 0 : dice.uint32(),
    backlog: dice.pick([0, 1, 10_000, ALL_BITS - 1, dice.uint32()]),
    weight: dice.chance(0.7) ? 1 : dice.whole(0, 255),
  };
  return CreditRequest.encode(bytes, { ...header, flowId }, fields, crc32);
};

const credit: Lie = (bytes, header, { dice }) => {
  const fields = {
    flags: dice.chance(0.8) ? 0 : dice.whole(0, 255) & ~0x10,
    sequence: aCount(dice, 20),
    pathId: dice.chance(0.8) ? 0 : dice.whole(0, 255),
    paddingBytes: dice.whole(2, 8),
    rateCode: dice.chance(0.8) ? 0 : aCount(dice, 12),
    hop: dice.whole(0, 15),
  };
  return encodeCredit(bytes, header, fields, crc32);
};

function payload(bytes: Uint8Array, from: number, { dice, maxFrameBytes }: Liar): number {
  const most = maxFrameBytes - from - CHECK_BYTES;
  const length = dice.chance(0.5) ? 1 : dice.whole(1, most);
  bytes.fill(dice.whole(0, 255), from, from + length);
  return seal(bytes, from + length, crc32);
}

const data: Lie = (bytes, header, liar) => {
  const { dice } = liar;
  const fields = {
    creditSequence: aCount(dice, 20),
    explicitRate: dice.chance(0.8) ? 0 : aCount(dice, 16),
    offset: anOffset(dice),
    unused: dice.chance(0.7) ? 0 : aCount(dice, 12),
    flags: dice.chance(0.6) ? 0 : dice.whole(0, 255),
    pathId: dice.chance(0.8) ? 0 : dice.whole(0, 255),
  };
  return payload(bytes, encodeData(bytes, header, fields), liar);
};

const speculative: Lie = (bytes, header, liar) => {
  const fields = { offset: anOffset(liar.dice), flags: liar.dice.chance(0.8) ? 0 : 1 };
  return payload(bytes, encodeSpeculativeData(bytes, header, fields), liar);
};

function arrived(dice: Dice) {
  const cumulative = dice.chance(0.3) ? 0 : anOffset(dice);
  const flags = dice.chance(0.6) ? 0 : dice.whole(0, 255);
  return { flags, cumulative, probe: aCount(dice, 16), ranges: ranges(dice, cumulative) };
}

const ack: Lie = (bytes, header, { dice }) => encodeAck(bytes, header, arrived(dice), crc32);

const windowAck: Lie = (bytes, header, { dice }) => {
  const fields = {
    ...arrived(dice),
    windowEnd: anOffset(dice),
    frameNumber: aCount(dice, 32),
    arrivedWith: dice.whole(0, 255),
  };
  const times = aCount(dice, 32);
  const waited = { remoteQueuing: times & 0xffff, arrivalTime: times >>> 16 };
  return encodeWindowAck(bytes, header, { ...fields, ...waited }, crc32);
};

const stop: Lie = (bytes, header, { dice }) =>
  CreditStop.encode(
    bytes,
    header,
    { sentOffset: anOffset(dice), probe: aCount(dice, 16), unused: aCount(dice, 16) },
    crc32,
  );

const fin: Lie = (bytes, header, { dice }) =>
  Fin.encode(bytes, header, { finalOffset: anOffset(dice), probe: aCount(dice, 16), unused: aCount(dice, 16) }, crc32);

const reset: Lie = (bytes, header, { dice }) =>
  Reset.encode(bytes, header, { code: aCount(dice, 16), flags: dice.whole(0, 1) }, crc32);

/** Any bytes behind a header that leads to the victim. */
const garbage: Lie = (bytes, header, { dice, maxFrameBytes }) => {
  const length = dice.chance(0.7) ? dice.whole(18, Math.min(80, maxFrameBytes)) : dice.whole(1, maxFrameBytes);
  writeHeader(bytes, header, 0, 0);
  for (let at = Header.bytes; at < length; at++) bytes[at] = dice.whole(0, 255);
  bytes[Header.versionAndType] = dice.whole(0, 255);
  bytes[Header.flags] = dice.whole(0, 255);
  return length <= Header.bytes + CHECK_BYTES ? length : seal(bytes, length - CHECK_BYTES, crc32);
};

/** One frame of each kind, its fields around what is plausible. */
export const LIES = {
  hello,
  cookie,
  welcome,
  noAssociation,
  confirm,
  unknownControl,
  version,
  request,
  credit,
  data,
  speculative,
  ack,
  windowAck,
  stop,
  fin,
  reset,
  garbage,
} as const satisfies Readonly<Record<string, Lie>>;

export type LieName = keyof typeof LIES;

/** What a liar does with frames that it has seen. */
const REPETITIONS = ['replay', 'reflect', 'mutate'] as const;

/** What it does with flows of its own, through its own endpoint. */
const OPENINGS = ['open'] as const;

export const TRICKS: readonly string[] = [...Object.keys(LIES), ...REPETITIONS, ...OPENINGS];
