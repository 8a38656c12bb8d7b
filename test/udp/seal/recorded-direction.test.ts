import { describe, expect, it } from 'vitest';
import { makeNodeGcm } from '../../../src/udp/seal/gcm.js';
import { RecordedDirection } from '../../../src/udp/seal/recorded-direction.js';
import { Sealer } from '../../../src/udp/seal/sealer.js';
import { Frame } from '../../../src/wire/frame.js';
import { Credit, FrameType, Header } from '../../../src/wire/layout.js';

const SECRET = new Uint8Array(32).fill(5);
const UPDATE_PACKETS = 8_192;

const makeSealer = () => new Sealer({ secret: SECRET, isInitiator: true, makeGcm: makeNodeGcm, updatePackets: 8_192 });
const recorded = (direction: 0 | 1 = 0) => new RecordedDirection({ secret: SECRET, direction, makeGcm: makeNodeGcm });

function frameOf(type: number, fill: number): Frame {
  const length = type === FrameType.credit ? Credit.bytes : 40;
  const frame = new Frame(new Uint8Array(length + 64).fill(fill, 0, length));
  frame.bytes[Header.versionAndType] = 0x20 | type;
  frame.length = length;
  return frame;
}

function sealed(sealer: Sealer, type: number, fill = 1): Frame {
  const frame = frameOf(type, fill);
  expect(sealer.seal(frame)).toBe(true);
  return frame;
}

function copyOf(frame: Frame): Frame {
  const copy = new Frame(frame.bytes.slice());
  copy.length = frame.length;
  return copy;
}

/** Without the check, which a sealed frame does not have. */
const content = ({ bytes, length }: Frame) => [...bytes.subarray(1, Math.min(length - 4, Credit.check))];

describe('a recorded direction', () => {
  it('opens data and credits, the same frame again, and none of the other direction or of other keys', () => {
    const sealer = makeSealer();
    const [there, back] = [recorded(0), recorded(1)];
    for (const type of [FrameType.data, FrameType.credit]) {
      const frame = sealed(sealer, type);
      const twice = [copyOf(frame), copyOf(frame)];
      expect(back.open(frame)).toBe(false);
      for (const each of twice) {
        expect(there.open(each)).toBe(true);
        expect(content(each)).toEqual(content(frameOf(type, 1)));
      }
      // What is not opened is as it was: others may have its key.
      expect(there.open(frame)).toBe(true);
      const damaged = sealed(sealer, type);
      damaged.bytes[14] ^= 1;
      expect(there.open(damaged)).toBe(false);
    }
  });

  it('follows key updates, and opens what comes late from before one', () => {
    const sealer = makeSealer();
    const there = recorded();
    const late = sealed(sealer, FrameType.data, 9);
    for (let number = 1; number < UPDATE_PACKETS; number++) sealer.seal(frameOf(FrameType.credit, 2));
    expect(there.open(sealed(sealer, FrameType.data))).toBe(true);
    expect(there.open(late)).toBe(true);
    for (let number = 1; number < UPDATE_PACKETS; number++) sealer.seal(frameOf(FrameType.credit, 2));
    expect(there.open(sealed(sealer, FrameType.credit))).toBe(true);
  });
});
