import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bundle, BundleReader, isBundle } from '../../src/wire/bundle.js';
import { checkFrame, DropCode, ecn } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES } from '../../src/wire/layout.js';

function frameOf(bytes: Uint8Array): Frame {
  const frame = new Frame(bytes);
  frame.length = bytes.length;
  return frame;
}

/** `frames` in one bundle, as far as they have room. */
function bundleOf(frames: readonly Uint8Array[]): Bundle {
  const bundle = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
  for (const bytes of frames) if (bundle.hasRoom(bytes.length)) bundle.append(frameOf(bytes));
  return bundle;
}

function framesIn(bytes: Uint8Array, length = bytes.length): Uint8Array[] {
  const reader = new BundleReader();
  reader.open(bytes, length);
  const frames: Uint8Array[] = [];
  while (reader.next()) frames.push(reader.bytes.slice(0, reader.length));
  return frames;
}

/** As the reader says them, which whoever copies from it goes by. */
function lengthsIn(bytes: Uint8Array): number[] {
  const reader = new BundleReader();
  reader.open(bytes, bytes.length);
  const lengths: number[] = [];
  while (reader.next()) lengths.push(reader.length);
  return lengths;
}

const smallFrame = fc.uint8Array({ minLength: 18, maxLength: MAX_BUNDLED_BYTES });

describe('a bundle of frames', () => {
  it('has two bytes, and the length of each frame before it', () => {
    const bundle = bundleOf([new Uint8Array(18).fill(0x41), new Uint8Array(20).fill(0x82)]);
    expect(bundle.length).toBe(2 + 19 + 21);
    expect([...bundle.bytes.subarray(0, 4)]).toEqual([0x02, 0x20, 18, 0x41]);
    expect([...bundle.bytes.subarray(20, 24)]).toEqual([0x41, 20, 0x82, 0x82]);
    expect(isBundle(bundle.bytes, bundle.length)).toBe(true);
  });

  it('gives back the frames that were put into it, in their order', () => {
    fc.assert(
      fc.property(fc.array(smallFrame, { minLength: 1, maxLength: 8 }), (frames) => {
        const { bytes, length } = bundleOf(frames);
        expect(framesIn(bytes, length)).toEqual(frames);
      }),
    );
  });

  it('has room for 20 credits with a full padding, and no more', () => {
    const bundle = bundleOf(Array.from({ length: 30 }, () => new Uint8Array(26)));
    expect(bundle.frames).toBe(20);
    expect(bundle.length).toBeLessThanOrEqual(MAX_BUNDLE_BYTES);
  });

  it('is that frame alone when there is one', () => {
    const credit = Uint8Array.from({ length: 18 }, (_, at) => at + 1);
    const bundle = bundleOf([credit]);
    bundle.unwrap();
    expect(bundle.bytes.slice(0, bundle.length)).toEqual(credit);
  });

  it('is used again as if it were new', () => {
    const bundle = bundleOf([new Uint8Array(30).fill(2)]);
    bundle.begin();
    expect(bundle.frames).toBe(0);
    bundle.append(frameOf(new Uint8Array(18).fill(0x40)));
    expect([...bundle.bytes.subarray(0, 4)]).toEqual([0x00, 0x20, 18, 0x40]);
  });

  it('is marked where one of its frames may be, and its mark is one of each that may', () => {
    const [capable, marked, not] = [2, 3, 0].map((bits) => new Uint8Array(18).fill(0xfc | bits));
    expect(ecn(bundleOf([not, not]).bytes)).toBe(0);
    const bundle = bundleOf([not, capable, marked]);
    expect(ecn(bundle.bytes)).toBe(2);
    expect(framesIn(bundle.bytes, bundle.length).map(ecn)).toEqual([0, 2, 3]);
    bundle.bytes[0] |= 3;
    expect(framesIn(bundle.bytes, bundle.length).map(ecn)).toEqual([0, 3, 3]);
  });

  it('has no more frames than fit, whatever its bytes are, and they have the length of one or none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: MAX_BUNDLE_BYTES }), (bytes) => {
        const lengths = lengthsIn(bytes);
        expect(lengths.length).toBeLessThanOrEqual(28);
        for (const length of lengths.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(18);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_BUNDLED_BYTES);
      }),
    );
  });

  it.each([
    { what: 'is cut off', bytes: [0, 0x20, 20, ...new Array(19).fill(0x12)], lengths: [0] },
    { what: 'has a length and nothing behind it', bytes: [0, 0x20, 18], lengths: [0] },
    { what: 'has frames without bytes', bytes: [0, 0x20, 0, 0, 0, 0], lengths: [0] },
    { what: 'has a frame that is longer than it', bytes: [0, 0x20, 255, ...new Array(254).fill(0x12)], lengths: [0] },
    {
      what: 'has a frame and then one that is too short',
      bytes: [0, 0x20, 18, ...new Array(18).fill(0x12), 17, ...new Array(17).fill(0x12)],
      lengths: [18, 0],
    },
  ])('that $what ends there, with one frame that is none', ({ bytes, lengths }) => {
    expect(lengthsIn(Uint8Array.from(bytes))).toEqual(lengths);
  });

  it.each([
    { what: 'nothing', length: 2, is: false },
    { what: 'something', length: 3, is: true },
    { what: 'as much as there may be', length: MAX_BUNDLE_BYTES, is: true },
    { what: 'more than there may be', length: MAX_BUNDLE_BYTES + 1, is: false },
  ])('with $what in it: $is', ({ length, is }) => {
    const bytes = new Uint8Array(length);
    bytes[1] = 0x20;
    expect(isBundle(bytes, length)).toBe(is);
  });

  it('inside a bundle is no frame', () => {
    const inner = bundleOf([new Uint8Array(20).fill(0x12)]);
    const [found] = framesIn(bundleOf([inner.bytes.slice(0, inner.length)]).bytes, inner.length + 3);
    expect(checkFrame(frameOf(found), null)).toBe(DropCode.type);
  });
});
