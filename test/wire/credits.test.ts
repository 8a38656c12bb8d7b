import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import {
  addCredit,
  beginCredits,
  endCredits,
  entryCount,
  framesIn,
  mayJoin,
  nextCredit,
  takeCredit,
} from '../../src/wire/credits.js';
import {
  checkFrame,
  creditExplicitRate,
  creditRateCode,
  creditSequence,
  DropCode,
  ecn,
  flags,
  flowId,
} from '../../src/wire/decode.js';
import { encodeCredit, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { CHECK_BYTES, CreditFlag, Credits, Ecn, Header, MAX_CREDIT_BYTES } from '../../src/wire/layout.js';

const FLOW = 0xbeef;

interface Changes {
  flow?: number;
  rateCode?: number;
  hop?: number;
  pathId?: number;
  flags?: number;
}

function credit(
  sequence: number,
  { flow = FLOW, rateCode = 0, hop = 0, pathId = 0, flags: bits = 0 }: Changes = {},
): Frame {
  const frame = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
  const fields = { sequence, pathId, paddingBytes: 4, rateCode, hop, flags: bits };
  frame.length = encodeCredit(frame.bytes, { destination: 0, source: 0, flowId: flow }, fields, crc32);
  return frame;
}

/** CREDITS of all that fits. */
function joined(credits: Frame[], bufferBytes = 600): Frame {
  const frame = new Frame(new Uint8Array(bufferBytes).fill(0xff));
  beginCredits(frame);
  for (const each of credits) if (!addCredit(frame, each)) break;
  endCredits(frame, crc32);
  return frame;
}

/** What is read of each credit. */
function read(frame: Frame): { flow: number; sequence: number; rate: number; explicitRate: number; flags: number }[] {
  const into = new Frame(new Uint8Array(MAX_CREDIT_BYTES).fill(0xff));
  return Array.from({ length: entryCount(frame.bytes) }, (_, index) => index).flatMap((index) =>
    Array.from({ length: takeCredit(frame, index, into) }, () => {
      const { bytes } = into;
      const said = {
        ...{ flow: flowId(bytes), sequence: creditSequence(bytes), rate: creditRateCode(bytes) },
        ...{ explicitRate: creditExplicitRate(bytes), flags: flags(bytes) },
      };
      nextCredit(bytes);
      return said;
    }),
  );
}

function sequences(frame: Frame): number[] {
  return read(frame).map(({ sequence }) => sequence);
}

describe('CREDITS', () => {
  it('has one entry for credits that differ in their sequence alone', () => {
    const frame = joined([5, 6, 7].map((sequence) => credit(sequence)));
    expect(checkFrame(frame, crc32)).toBe(Credits.type);
    expect([entryCount(frame.bytes), frame.length]).toEqual([1, Credits.entries + Credits.entryBytes + CHECK_BYTES]);
    expect(sequences(frame)).toEqual([5, 6, 7]);
    expect(framesIn(frame)).toBe(3);
  });

  it.each([
    ['a gap in the sequence', credit(5), credit(7)],
    ['a sequence again', credit(5), credit(5)],
    ['another flow', credit(5), credit(6, { flow: 2 })],
    ['another rate code', credit(5, { rateCode: 9, hop: 1 }), credit(6, { rateCode: 10, hop: 1 })],
    ['another hop', credit(5, { rateCode: 9, hop: 1 }), credit(6, { rateCode: 9, hop: 2 })],
    ['no rate any more', credit(5, { rateCode: 9, hop: 1 }), credit(6)],
    ['another class', credit(5), credit(6, { flags: CreditFlag.lowClass })],
  ])('has an entry more for %s', (_, first, second) => {
    const frame = joined([first, second]);
    expect(entryCount(frame.bytes)).toBe(2);
    expect(read(frame)).toEqual(
      [first, second].map(({ bytes }) => ({
        ...{ flow: flowId(bytes), sequence: creditSequence(bytes), rate: creditRateCode(bytes) },
        ...{ explicitRate: creditExplicitRate(bytes), flags: flags(bytes) },
      })),
    );
  });

  it('has an entry more where a port has lowered the rate', () => {
    const [first, second] = [5, 6].map((sequence) => credit(sequence, { rateCode: 9, hop: 1 }));
    second.bytes[19] = 0x21;
    expect(read(joined([first, second])).map(({ explicitRate }) => explicitRate)).toEqual([0xffff, 0xff21]);
  });

  it('goes on behind the highest sequence, and keeps the rate code there', () => {
    const rate = { rateCode: 0xfff, hop: 3 };
    const frame = joined([0xffffe, 0xfffff, 0, 1].map((sequence) => credit(sequence, rate)));
    expect(entryCount(frame.bytes)).toBe(1);
    expect(read(frame).map(({ sequence, rate: code }) => [sequence, code])).toEqual(
      [0xffffe, 0xfffff, 0, 1].map((sequence) => [sequence, 0xfff]),
    );
  });

  it('has 64 credits at most: more is our mistake, and is dropped', () => {
    const row = Array.from({ length: 65 }, (_, index) => credit(index));
    expect(sequences(joined(row.slice(0, 64)))).toEqual(Array.from({ length: 64 }, (_, index) => index));
    expect(() => joined(row)).toThrow('no more credits');
  });

  it('takes 42 entries, or what its buffer has room for beside check and seal', () => {
    const many = Array.from({ length: 50 }, (_, index) => credit(2 * index));
    expect(entryCount(joined(many).bytes)).toBe(Credits.maxEntries);
    expect(entryCount(joined(many, 192).bytes)).toBe(13);
    expect(joined(many, 192).length + 16).toBeLessThanOrEqual(192);
  });

  it('passes a mark on to each credit', () => {
    const frame = joined([credit(1), credit(2)]);
    expect(ecn(frame.bytes)).toBe(Ecn.capable0);
    frame.bytes[Header.hopLimitAndEcn] |= Ecn.congestionExperienced;
    const into = new Frame(new Uint8Array(MAX_CREDIT_BYTES));
    takeCredit(frame, 0, into);
    nextCredit(into.bytes);
    expect(ecn(into.bytes)).toBe(Ecn.congestionExperienced);
  });

  it.each<[string, (bytes: Uint8Array) => void, number]>([
    ['a host id', (bytes) => bytes.set([0, 1, 0, 2], Header.destination), DropCode.invalid],
    ['a flow id', (bytes) => bytes.set([0, 0, 0, 1], Header.flowId), DropCode.invalid],
    ['an entry of no flow', (bytes) => bytes.fill(0, Credits.entries, Credits.entries + 4), DropCode.invalid],
    ['a count of 0', (bytes) => bytes.set([0], Credits.entries + Credits.count), DropCode.invalid],
    ['65 credits', (bytes) => bytes.set([64], Credits.entries + Credits.count), DropCode.invalid],
    ['a false number of entries', (bytes) => bytes.set([0, 3], Credits.entryCount), DropCode.length],
  ])('with %s is dropped', (_, spoil, reason) => {
    const frame = joined([credit(1), credit(3)]);
    spoil(frame.bytes);
    seal(frame.bytes, frame.length - CHECK_BYTES, crc32);
    expect(checkFrame(frame, crc32)).toBe(reason);
  });

  it('without an entry is dropped', () => {
    expect(checkFrame(joined([]), crc32)).toBe(DropCode.invalid);
  });

  it('is a frame to handle, whatever a forged one says that it has', () => {
    const frame = joined([credit(1)]);
    frame.bytes[Credits.entries + Credits.count] = 0;
    expect(framesIn(frame)).toBe(1);
    expect(framesIn(joined([]))).toBe(1);
  });

  it('takes no credit of a path, marked, or that is none', () => {
    expect(mayJoin(credit(1))).toBe(true);
    expect(mayJoin(credit(1, { pathId: 3 }))).toBe(false);
    const marked = credit(1);
    marked.bytes[Header.hopLimitAndEcn] |= Ecn.congestionExperienced;
    expect(mayJoin(marked)).toBe(false);
    expect(mayJoin(joined([credit(1), credit(2)]))).toBe(false);
    expect(framesIn(credit(1))).toBe(1);
  });
});
