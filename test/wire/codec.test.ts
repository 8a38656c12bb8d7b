import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DROP_NAMES } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { printFrame } from '../../src/wire/print.js';
import { fastDecode, fastEncode } from '../harness/codec-bridge.js';
import { type NaiveFrame, naiveDecode, naiveEncode, naiveReseal, TYPES } from '../harness/naive-codec.js';
import { receivedFrames, sentFrames } from '../harness/naive-frames.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

const NAMES = Object.keys(TYPES);
const ROUNDS_EACH_TYPE = 200;

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
  it('get the same verdict and the same fields from the codec and its twin, and never an exception', () => {
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
    expect([...verdicts.keys()].sort()).toEqual([...NAMES, ...DROP_NAMES.slice(1)].sort());
  });

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
