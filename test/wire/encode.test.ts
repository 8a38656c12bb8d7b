import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { RangeSet } from '../../src/base/range-set.js';
import * as decode from '../../src/wire/decode.js';
import { encodeAck, encodeCredit, encodeData, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { CreditRequest } from '../../src/wire/frames.js';
import { CHECK_RESIDUE, DataFlag, FrameType } from '../../src/wire/layout.js';

const header = { destination: 0x0102, source: 0x0304, flowId: 0x05060708 };

function rangesOf(count: number): RangeSet {
  const ranges = new RangeSet(count);
  for (let index = 0; index < count; index++) ranges.add(100 + 10 * index, 105 + 10 * index);
  return ranges;
}

function ackIn(bytes: Uint8Array, count: number): Frame {
  const frame = new Frame(bytes);
  frame.length = encodeAck(bytes, header, { flags: 0, cumulative: 50, probe: 1, ranges: rangesOf(count) }, crc32);
  return frame;
}

function checkOf(bytes: Uint8Array): string {
  return (crc32(bytes, 1, 16) & 0xffff).toString(16).padStart(4, '0');
}

describe('encodeCredit', () => {
  it('writes these very bytes', () => {
    const bytes = new Uint8Array(32).fill(0xff);
    const length = encodeCredit(
      bytes,
      header,
      { sequence: 0x12300b0c, pathId: 9, paddingBytes: 2, rateCode: 0, hop: 15 },
      crc32,
    );
    expect(Buffer.from(bytes.subarray(0, length)).toString('hex')).toBe(
      `fe220009010203040506070800b0c000${checkOf(bytes)}0000`,
    );
    expect(bytes[length]).toBe(0xff);
  });

  it('writes 20 bits of the sequence beside the rate code, and the highest explicit rate as a part of the padding', () => {
    const bytes = new Uint8Array(32).fill(0xee);
    const fields = { sequence: 0x123a0b0c, pathId: 9, paddingBytes: 4, rateCode: 0xd05, hop: 3 };
    const length = encodeCredit(bytes, header, fields, crc32);
    expect(Buffer.from(bytes.subarray(0, length)).toString('hex')).toBe(
      `fe2213090102030405060708a0b0cd05${checkOf(bytes)}ffff0000`,
    );
    expect(bytes[length]).toBe(0xee);
  });
});

describe('encodeData', () => {
  it('leaves the payload to the caller, and seal closes the frame', () => {
    const bytes = new Uint8Array(64).fill(0xee);
    const at = encodeData(bytes, header, {
      creditSequence: 0x123a0b0c,
      explicitRate: 0xd05e,
      offset: 2 ** 40 + 1,
      unused: 0x1122,
      flags: 5,
      pathId: 9,
    });
    expect(Buffer.from(bytes.subarray(0, at)).toString('hex')).toBe('fe2305090102030405060708a0b0cd0500000001122e');
    const length = seal(bytes, at + 3, crc32);
    expect(length).toBe(29);
    expect([...bytes.subarray(22, 25)]).toEqual([0xee, 0xee, 0xee]);
    expect(crc32(bytes, 1, length)).toBe(CHECK_RESIDUE);
  });
});

it('writes all 32 bits of the number of a frame of a reactive flow', () => {
  const bytes = new Uint8Array(64);
  const fields = { creditSequence: 0xfedcba98, explicitRate: 0, offset: 0, unused: 0, pathId: 0 };
  encodeData(bytes, header, { ...fields, flags: DataFlag.reactive });
  expect([decode.dataFrameNumber(bytes), decode.dataUnused(bytes)]).toEqual([0xfedcba98, 0]);
  encodeData(bytes, header, { ...fields, flags: 0 });
  expect([decode.dataCreditSequence(bytes), decode.dataExplicitRate(bytes)]).toEqual([0xcba98, 0]);
});

describe('CreditRequest.encode', () => {
  it('writes a backlog that the field cannot hold as its largest value', () => {
    const bytes = new Uint8Array(64);
    const fields = {
      flags: 0,
      sentOffset: 0,
      probe: 0,
      maxFrameBytes: 1472,
      pairedFlowId: 0,
      backlog: 2 ** 33,
      weight: 1,
    };
    CreditRequest.encode(bytes, header, fields, crc32);
    expect(CreditRequest.read.backlog(bytes)).toBe(0xffffffff);
    CreditRequest.encode(bytes, header, { ...fields, backlog: 7 }, crc32);
    expect(CreditRequest.read.backlog(bytes)).toBe(7);
  });
});

describe('encodeAck', () => {
  it('names the lowest 32 ranges where there are more', () => {
    const frame = ackIn(new Uint8Array(1472), 40);
    expect(frame.length).toBe(24 + 8 * 32);
    expect(decode.checkFrame(frame, crc32)).toBe(FrameType.ack);
    expect([decode.ackRangeStart(frame.bytes, 31), decode.ackRangeEnd(frame.bytes, 31)]).toEqual([410, 415]);
  });

  it('names no more ranges than fit into the buffer', () => {
    const frame = ackIn(new Uint8Array(24 + 8 * 3 + 7), 40);
    expect(decode.ackRangeCount(frame.bytes)).toBe(3);
    expect(decode.checkFrame(frame, crc32)).toBe(FrameType.ack);
  });
});

describe('a world without checks', () => {
  it('gets zeros in place of the check and takes them', () => {
    const frame = new Frame(new Uint8Array(64).fill(0xff));
    frame.length = seal(frame.bytes, encodeData(frame.bytes, header, dataFields) + 1, null);
    expect([...frame.bytes.subarray(frame.length - 4, frame.length)]).toEqual([0, 0, 0, 0]);
    expect([decode.checkFrame(frame, null), decode.checkFrame(frame, crc32)]).toEqual([
      FrameType.data,
      decode.DropCode.check,
    ]);
    frame.length = encodeCredit(
      frame.bytes,
      header,
      { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 },
      null,
    );
    expect([...frame.bytes.subarray(16, 18)]).toEqual([0, 0]);
    expect([decode.checkFrame(frame, null), decode.checkFrame(frame, crc32)]).toEqual([
      FrameType.credit,
      decode.DropCode.check,
    ]);
  });
});

const dataFields = { creditSequence: 1, explicitRate: 0, offset: 2, unused: 3, flags: 0, pathId: 0 };
