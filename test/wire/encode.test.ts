import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { RangeSet } from '../../src/base/range-set.js';
import * as decode from '../../src/wire/decode.js';
import { encodeAck, encodeCredit, encodeData, encodeRequest, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { CHECK_RESIDUE, FrameType } from '../../src/wire/layout.js';

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

describe('encodeCredit', () => {
  it('writes these very bytes', () => {
    const bytes = new Uint8Array(32).fill(0xff);
    const length = encodeCredit(bytes, header, { sequence: 0x0a0b0c0d, pathId: 9, paddingBytes: 2 }, crc32);
    expect(Buffer.from(bytes.subarray(0, length)).toString('hex')).toBe(
      `fe12000901020304050607080a0b0c0d${(crc32(bytes, 1, 16) & 0xffff).toString(16).padStart(4, '0')}0000`,
    );
    expect(bytes[length]).toBe(0xff);
  });
});

describe('encodeData', () => {
  it('leaves the payload to the caller, and seal closes the frame', () => {
    const bytes = new Uint8Array(64).fill(0xee);
    const at = encodeData(bytes, header, {
      creditSequence: 0x0a0b0c0d,
      offset: 2 ** 40 + 1,
      unused: 0x11223,
      flags: 5,
      pathId: 9,
    });
    expect(Buffer.from(bytes.subarray(0, at)).toString('hex')).toBe('fe13050901020304050607080a0b0c0d000000011223');
    const length = seal(bytes, at + 3, crc32);
    expect(length).toBe(29);
    expect([...bytes.subarray(22, 25)]).toEqual([0xee, 0xee, 0xee]);
    expect(crc32(bytes, 1, length)).toBe(CHECK_RESIDUE);
  });
});

describe('encodeRequest', () => {
  it('writes a backlog that the field cannot hold as its largest value', () => {
    const bytes = new Uint8Array(32);
    const fields = {
      flags: 0,
      sentOffset: 0,
      probe: 0,
      maxFrameBytes: 1472,
      pairedFlowId: 0,
      backlog: 2 ** 33,
      weight: 1,
    };
    encodeRequest(bytes, header, fields, crc32);
    expect(decode.requestBacklog(bytes)).toBe(0xffffffff);
    encodeRequest(bytes, header, { ...fields, backlog: 7 }, crc32);
    expect(decode.requestBacklog(bytes)).toBe(7);
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
    frame.length = encodeCredit(frame.bytes, header, { sequence: 1, pathId: 0, paddingBytes: 0 }, null);
    expect([...frame.bytes.subarray(16, 18)]).toEqual([0, 0]);
    expect([decode.checkFrame(frame, null), decode.checkFrame(frame, crc32)]).toEqual([
      FrameType.credit,
      decode.DropCode.check,
    ]);
  });
});

const dataFields = { creditSequence: 1, offset: 2, unused: 3, flags: 0, pathId: 0 };
