import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import {
  checkFrame,
  creditExplicitRate,
  creditRateCode,
  creditSequence,
  ecn,
  hopLimit,
} from '../../src/wire/decode.js';
import { encodeCredit, encodeData, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { Fin } from '../../src/wire/frames.js';
import { Ecn, FrameType, MAX_HOP_LIMIT } from '../../src/wire/layout.js';
import { lowerExplicitRate, markCe, setHopLimit } from '../../src/wire/rewrite.js';

const header = { destination: 1, source: 2, flowId: 3 };

function dataFrame(): Frame {
  const frame = new Frame(new Uint8Array(64));
  const at = encodeData(frame.bytes, header, {
    creditSequence: 1,
    explicitRate: 0,
    offset: 2,
    unused: 3,
    flags: 0,
    pathId: 4,
  });
  frame.length = seal(frame.bytes, at + 10, crc32);
  return frame;
}

function creditFrame(): Frame {
  const frame = new Frame(new Uint8Array(64));
  frame.length = encodeCredit(
    frame.bytes,
    header,
    { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 },
    crc32,
  );
  return frame;
}

function explicitCredit(): Frame {
  const frame = new Frame(new Uint8Array(64));
  const fields = { sequence: 0xabcde, pathId: 0, paddingBytes: 2, rateCode: 0x123, hop: 4 };
  frame.length = encodeCredit(frame.bytes, header, fields, crc32);
  return frame;
}

describe('setHopLimit', () => {
  it('writes any hop limit, and leaves the ECN bits alone', () => {
    const { bytes } = dataFrame();
    for (let hops = MAX_HOP_LIMIT; hops >= 0; hops--) {
      setHopLimit(bytes, hops);
      expect([hopLimit(bytes), ecn(bytes)]).toEqual([hops, Ecn.capable0]);
    }
  });
});

describe('markCe', () => {
  it.each([
    [Ecn.notCapable, false, Ecn.notCapable],
    [Ecn.capable1, true, Ecn.congestionExperienced],
    [Ecn.capable0, true, Ecn.congestionExperienced],
    [Ecn.congestionExperienced, false, Ecn.congestionExperienced],
  ])('answers for ECN %d with %s and leaves %d', (before, marked, after) => {
    const bytes = Uint8Array.of((17 << 2) | before);
    expect(markCe(bytes)).toBe(marked);
    expect([hopLimit(bytes), ecn(bytes)]).toEqual([17, after]);
  });

  it('marks credits and data as they are sent, and no other frame', () => {
    const fin = new Uint8Array(64);
    Fin.encode(fin, header, { finalOffset: 0, probe: 0, unused: 0 }, crc32);
    expect([markCe(creditFrame().bytes), markCe(dataFrame().bytes), markCe(fin)]).toEqual([true, true, false]);
  });
});

describe('lowerExplicitRate', () => {
  it('lowers the rate and names its hop, never raises it, and leaves the hop of an equal one', () => {
    const { bytes } = explicitCredit();
    const seen = [
      [0xfff, 1],
      [0x800, 2],
      [0x801, 3],
      [0x800, 4],
      [0x7ff, 14],
      [1, 0],
      [2, 0],
    ].map(([code, hop]) => {
      lowerExplicitRate(bytes, code, hop);
      return creditExplicitRate(bytes);
    });
    expect(seen).toEqual([0xffff, 0x8002, 0x8002, 0x8002, 0x7ffe, 0x0010, 0x0010]);
  });

  it('leaves the credit intact, and what its receiver wrote', () => {
    const frame = explicitCredit();
    lowerExplicitRate(frame.bytes, 5, 6);
    markCe(frame.bytes);
    setHopLimit(frame.bytes, 7);
    expect(checkFrame(frame, crc32)).toBe(FrameType.credit);
    expect([creditSequence(frame.bytes), creditRateCode(frame.bytes)]).toEqual([0xabcde, 0x123]);
  });
});

it.each([
  [FrameType.data, dataFrame],
  [FrameType.credit, creditFrame],
])('What a switch rewrites does not break the check of type %d', (type, make) => {
  const frame = make();
  markCe(frame.bytes);
  setHopLimit(frame.bytes, 7);
  expect(checkFrame(frame, crc32)).toBe(type);
});
