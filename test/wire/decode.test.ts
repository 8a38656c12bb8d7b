import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { checkFrame, DROP_NAMES, DropCode, dataPayloadBytes, flags, peekHeader } from '../../src/wire/decode.js';
import { encodeCredit, encodeData, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import {
  Attach,
  AttachChallenge,
  Attached,
  AttachRefused,
  Cookie,
  Hello,
  KeepAlive,
  MtuProbe,
  MtuProbed,
  NoAssociation,
  PathChallenge,
  PathResponse,
  Version,
  Welcome,
} from '../../src/wire/frames.js';
import { CHECK_BYTES, EXTENDED, FrameType, Header } from '../../src/wire/layout.js';
import { printFrame } from '../harness/print-frame.js';

const header = { destination: 3, source: 7, flowId: 1 };
const dataFields = { creditSequence: 1, explicitRate: 0, offset: 2, unused: 3, flags: 0, pathId: 0 };

function dataFrame(payloadBytes: number): Frame {
  const frame = new Frame(new Uint8Array(70_000));
  frame.length = seal(frame.bytes, encodeData(frame.bytes, header, dataFields) + payloadBytes, crc32);
  return frame;
}

function phantomFrame(payloadBytes: number): Frame {
  const frame = new Frame(new Uint8Array(64));
  frame.length = encodeData(frame.bytes, header, dataFields);
  frame.phantomBytes = payloadBytes + 4;
  return frame;
}

function keepAlive(): Frame {
  const frame = new Frame(new Uint8Array(64));
  frame.length = KeepAlive.encode(frame.bytes, { destination: 0, source: 7, flowId: 0 }, { token: 5 }, crc32);
  return frame;
}

describe('DROP_NAMES', () => {
  it('has the name of every code at its negative', () => {
    for (const [name, code] of Object.entries(DropCode)) expect(DROP_NAMES[-code]).toBe(name);
    expect(DROP_NAMES).toHaveLength(Object.keys(DropCode).length + 1);
  });
});

describe('checkFrame', () => {
  it.each([
    ['one byte', 1, FrameType.data],
    ['all that UDP carries', 65_507 - 26, FrameType.data],
    ['no byte', 0, DropCode.short],
    ['a byte more than UDP carries', 65_507 - 25, DropCode.length],
  ])('judges DATA with a payload of %s, stored or counted', (_, payloadBytes, verdict) => {
    expect(checkFrame(dataFrame(payloadBytes), crc32)).toBe(verdict);
    expect(checkFrame(phantomFrame(payloadBytes), crc32)).toBe(verdict);
  });

  it('takes a credit of 18 to 26 bytes and no other', () => {
    const frame = new Frame(new Uint8Array(64));
    encodeCredit(frame.bytes, header, { sequence: 1, pathId: 0, paddingBytes: 8, rateCode: 0, hop: 15 }, crc32);
    const verdicts = [17, 18, 22, 26, 27].map((length) => {
      frame.length = length;
      return checkFrame(frame, crc32);
    });
    const { credit } = FrameType;
    expect(verdicts).toEqual([DropCode.short, credit, credit, credit, DropCode.length]);
  });

  it('takes a credit with an explicit rate of 20 to 26 bytes and no other', () => {
    const frame = new Frame(new Uint8Array(64));
    encodeCredit(frame.bytes, header, { sequence: 1, pathId: 0, paddingBytes: 8, rateCode: 77, hop: 2 }, crc32);
    const verdicts = [18, 19, 20, 26, 27].map((length) => {
      frame.length = length;
      return checkFrame(frame, crc32);
    });
    const { credit } = FrameType;
    expect(verdicts).toEqual([DropCode.short, DropCode.short, credit, credit, DropCode.length]);
  });

  it('asks the injected check for everything but credits', () => {
    const wrong = () => 0;
    const credit = new Frame(new Uint8Array(64));
    credit.length = encodeCredit(
      credit.bytes,
      header,
      { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 },
      wrong,
    );
    expect(checkFrame(credit, wrong)).toBe(FrameType.credit);
    expect(checkFrame(dataFrame(10), wrong)).toBe(DropCode.check);
  });

  it('finds a flipped bit of a credit wherever it counts', () => {
    const frame = new Frame(new Uint8Array(64));
    frame.length = encodeCredit(
      frame.bytes,
      header,
      { sequence: 1, pathId: 0, paddingBytes: 4, rateCode: 0, hop: 15 },
      crc32,
    );
    for (let bit = 8 * 2; bit < 8 * 18; bit++) {
      frame.bytes[bit >>> 3] ^= 1 << (bit & 7);
      expect(checkFrame(frame, crc32)).toBe(DropCode.check);
      frame.bytes[bit >>> 3] ^= 1 << (bit & 7);
    }
    frame.bytes[20] = 1;
    expect(checkFrame(frame, crc32)).toBe(FrameType.credit);
  });

  it('drops counted bytes where they have no place', () => {
    const mixed = dataFrame(10);
    mixed.phantomBytes = 20;
    expect(checkFrame(mixed, crc32)).toBe(DropCode.length);
    const frame = keepAlive();
    frame.length -= 1;
    frame.phantomBytes = 1;
    expect(checkFrame(frame, crc32)).toBe(DropCode.length);
  });

  it('tells the reasons apart in the order of the protocol', () => {
    const frame = keepAlive();
    const verdicts = [checkFrame(frame, crc32)];
    frame.bytes[7] ^= 7;
    verdicts.push(checkFrame(frame, null), checkFrame(frame, crc32));
    frame.length++;
    verdicts.push(checkFrame(frame, crc32));
    frame.bytes[1] = 0x20;
    verdicts.push(checkFrame(frame, crc32));
    frame.bytes[1] = 0x1e;
    verdicts.push(checkFrame(frame, crc32));
    frame.length = 17;
    verdicts.push(checkFrame(frame, crc32));
    expect(verdicts.map((verdict) => DROP_NAMES[-verdict] ?? verdict)).toEqual([
      KeepAlive.type,
      'invalid',
      'check',
      'length',
      'type',
      'version',
      'short',
    ]);
  });

  it('reads a VERSION frame of any version', () => {
    const frame = new Frame(new Uint8Array(64));
    for (let version = 0; version < 16; version++) {
      Version.encode(frame.bytes, header, { lowest: 2, highest: 9 }, crc32);
      frame.bytes[1] = (version << 4) | FrameType.version;
      frame.length = seal(frame.bytes, 16, crc32);
      expect(checkFrame(frame, crc32)).toBe(FrameType.version);
    }
  });
});

/** A DATA frame of 10 bytes with these entries, whose length may be a lie. */
function extendedFrame(entries: number[], bytes = entries.length): Frame {
  const frame = dataFrame(10);
  frame.bytes[Header.flags] |= EXTENDED;
  frame.bytes.set([...entries, bytes >>> 8, bytes & 0xff], frame.length - CHECK_BYTES);
  frame.length = seal(frame.bytes, frame.length - CHECK_BYTES + entries.length + 2, crc32);
  return frame;
}

describe('an extension block', () => {
  it.each([
    ['without entries', []],
    ['with unknown entries that may be skipped', [1, 0, 0x7f, 3, 7, 8, 9]],
  ])('%s is taken off: the frame is as if it had none', (_, entries) => {
    const frame = extendedFrame(entries);
    expect(checkFrame(frame, crc32)).toBe(FrameType.data);
    expect([dataPayloadBytes(frame), frame.length, flags(frame.bytes)]).toEqual([10, dataFrame(10).length, 0]);
  });

  it.each([
    ['with an unknown entry that may not be skipped', [1, 0, 0x80, 0], 4, DropCode.extension],
    ['whose last entry goes on behind it', [1, 1], 2, DropCode.extension],
    ['with half an entry', [1], 1, DropCode.extension],
    ['longer than all that follows the header', [], 60, DropCode.length],
    ['that leaves too little for the frame', [], 11, DropCode.short],
  ])('%s drops the frame, which stays as it came', (_, entries, bytes, verdict) => {
    const frame = extendedFrame(entries, bytes);
    const before = [frame.length, flags(frame.bytes)];
    expect(checkFrame(frame, crc32)).toBe(verdict);
    expect([frame.length, flags(frame.bytes)]).toEqual(before);
  });

  it('is covered by the check', () => {
    const frame = extendedFrame([1, 1, 9]);
    frame.bytes[frame.length - CHECK_BYTES - 3] ^= 1;
    expect(checkFrame(frame, crc32)).toBe(DropCode.check);
  });

  it('stays on a frame that is printed', () => {
    const frame = extendedFrame([1, 1, 9]);
    expect(printFrame(frame)).toContain('payload=10');
    expect(checkFrame(frame, crc32)).toBe(FrameType.data);
  });

  it('is none of a CREDIT, and not looked for where the payload is only counted', () => {
    const credit = new Frame(new Uint8Array(64));
    const fields = { flags: EXTENDED, sequence: 1, pathId: 0, paddingBytes: 8, rateCode: 0, hop: 15 };
    credit.length = encodeCredit(credit.bytes, header, fields, crc32);
    expect([checkFrame(credit, crc32), credit.length]).toEqual([FrameType.credit, 26]);
    const counted = phantomFrame(10);
    counted.bytes[Header.flags] |= EXTENDED;
    expect(checkFrame(counted, null)).toBe(DropCode.length);
  });
});

describe('a control frame', () => {
  it('that is padded is exactly as long as it says', () => {
    const frame = new Frame(new Uint8Array(2000).fill(0xff));
    const ends = { destination: 0, source: 0, flowId: 0 };
    frame.length = MtuProbe.encode(frame.bytes, ends, { size: 1400, probeNumber: 3 }, crc32);
    expect([frame.length, checkFrame(frame, crc32)]).toEqual([1400, MtuProbe.type]);
    expect(frame.bytes.subarray(20, 1396).every((byte) => byte === 0)).toBe(true);
    frame.length = seal(frame.bytes, 1397, crc32);
    expect(checkFrame(frame, crc32)).toBe(DropCode.length);
  });

  it('that answers is no larger than its cause', () => {
    for (const answer of [Cookie, Welcome]) expect(answer.maxBytes).toBeLessThanOrEqual(Hello.minBytes);
    for (const answer of [Attached, AttachRefused, AttachChallenge])
      expect(answer.maxBytes).toBeLessThanOrEqual(Attach.minBytes);
    // The shortest frame of an association with keys is a CREDIT of 30 bytes.
    expect(NoAssociation.maxBytes).toBeLessThanOrEqual(30);
    expect(PathResponse.maxBytes).toBeLessThanOrEqual(PathChallenge.minBytes);
    expect(MtuProbed.maxBytes).toBeLessThanOrEqual(MtuProbe.minBytes);
  });

  it('of an unknown type is dropped as that', () => {
    const frame = keepAlive();
    frame.bytes[Header.flags] = 99;
    expect(checkFrame(frame, crc32)).toBe(DropCode.type);
  });
});

describe('peekHeader', () => {
  it('looks at length, version and type, and at nothing else', () => {
    const { bytes } = dataFrame(10);
    bytes[20] ^= 1;
    expect([peekHeader(bytes, 18), peekHeader(bytes, 17)]).toEqual([FrameType.data, DropCode.short]);
    bytes[1] = 0x20;
    expect(peekHeader(bytes, 36)).toBe(DropCode.type);
    bytes[1] = 0x13;
    expect(peekHeader(bytes, 36)).toBe(DropCode.version);
  });
});

describe('dataPayloadBytes', () => {
  it('is the same for a stored and a counted payload, as are the wire bytes', () => {
    const [stored, counted] = [dataFrame(1446), phantomFrame(1446)];
    expect([dataPayloadBytes(stored), dataPayloadBytes(counted)]).toEqual([1446, 1446]);
    expect([stored.wireBytes, counted.wireBytes]).toEqual([1538, 1538]);
  });
});
