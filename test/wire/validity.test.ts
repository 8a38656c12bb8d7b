import { describe, expect, it } from 'vitest';
import { write16, write32 } from '../../src/wire/bytes.js';
import { Attach, Attached, AttachRefused, Detach, KeepAlive } from '../../src/wire/frames.js';
import { FrameType } from '../../src/wire/layout.js';
import { hasValidFields } from '../../src/wire/validity.js';

interface Fields {
  to?: number;
  from?: number;
  flow?: number;
  /** 32-bit words from byte 12 on. */
  words?: number[];
}

/** Valid of its kind but for what a case sets. */
function bytesOf({ to = 3, from = 7, flow = 1, words = [] }: Fields): Uint8Array {
  const bytes = new Uint8Array(300);
  write16(bytes, 4, to);
  write16(bytes, 6, from);
  write32(bytes, 8, flow);
  for (const [index, word] of words.entries()) write32(bytes, 12 + 4 * index, word);
  return bytes;
}

const requestOf = (maxFrameBytes: number, weight = 1) => [0, maxFrameBytes, 0, 0, weight << 24];
const ackOf = (cumulative: number, ...edges: number[]) => [cumulative, (edges.length / 2) << 8, ...edges];
const attachOf = (maxFrameBytes: number) => [maxFrameBytes, 9];
const attachedOf = (maxFrameBytes: number, keepAliveMs: number) => [maxFrameBytes, 9, 0, keepAliveMs << 16];
const fromSwitch = { to: 3, from: 0, flow: 0 };
const toSwitch = { to: 0, from: 7, flow: 0 };
const top = 0xffffffff;

const FLOW_TYPES = [
  FrameType.creditRequest,
  FrameType.credit,
  FrameType.data,
  FrameType.ack,
  FrameType.creditStop,
  FrameType.fin,
  FrameType.reset,
];

describe.each(FLOW_TYPES)('a frame of a flow, type %d,', (type) => {
  const words = type === FrameType.creditRequest ? requestOf(1472) : [];
  it.each<[string, Fields, boolean]>([
    ['runs between two hosts', {}, true],
    ['runs between nobody in direct mode', { to: 0, from: 0 }, true],
    ['may use the highest id', { to: 65_534, from: 65_534 }, true],
    ['does not go to the reserved id', { to: 65_535 }, false],
    ['does not come from the reserved id', { from: 65_535 }, false],
    ['does not come from a switch', { from: 0 }, false],
    ['does not go to a switch', { to: 0 }, false],
    ['has a flow id', { flow: 0 }, false],
    ['has a flow id of 32 bits', { flow: 0x80000000 }, true],
  ])('%s', (_, fields, valid) => {
    expect(hasValidFields(bytesOf({ ...fields, words }), type)).toBe(valid);
  });
});

describe.each<[string, number, [string, Fields, boolean][]]>([
  [
    'CREDIT_REQUEST',
    FrameType.creditRequest,
    [
      ['for the smallest frames', { words: requestOf(27) }, true],
      ['for the largest frames', { words: requestOf(65_507) }, true],
      ['for frames without room for a byte', { words: requestOf(26) }, false],
      ['for frames that UDP cannot carry', { words: requestOf(65_508) }, false],
      ['of the largest weight', { words: requestOf(1472, 255) }, true],
      ['without a weight', { words: requestOf(1472, 0) }, false],
    ],
  ],
  [
    'ACK',
    FrameType.ack,
    [
      ['with ranges across the wrap', { words: ackOf(top - 5, top - 2, top, 3, 9) }, true],
      ['with a range that touches the cumulative offset', { words: ackOf(10, 10, 20) }, false],
      ['with a range before the cumulative offset', { words: ackOf(10, 5, 20) }, false],
      ['with an empty range', { words: ackOf(10, 20, 20) }, false],
      ['with a range that ends before it starts', { words: ackOf(10, 20, 15) }, false],
      ['with ranges that touch', { words: ackOf(10, 20, 30, 30, 40) }, false],
      ['with ranges that overlap', { words: ackOf(10, 20, 30, 25, 40) }, false],
      ['with ranges in descending order', { words: ackOf(10, 50, 60, 20, 30) }, false],
      ['with ranges one byte apart', { words: ackOf(10, 11, 12, 13, 14) }, true],
      ['with a range just within half the number space', { words: ackOf(10, 20, 10 + 2 ** 31 - 1) }, true],
      ['with a range beyond half the number space', { words: ackOf(10, 20, 10 + 2 ** 31) }, false],
      ['with ranges that go round', { words: ackOf(10, 20, 2 ** 31, 2 ** 31 + 20, 5) }, false],
    ],
  ],
  [
    'ATTACH',
    Attach.type,
    [
      ['that wants an id', { ...toSwitch, words: attachOf(1472) }, true],
      ['that wants any id and the frames of the switch', { ...toSwitch, from: 0, words: attachOf(0) }, true],
      ['to a host', { ...toSwitch, to: 3, words: attachOf(0) }, false],
      ['of a flow', { ...toSwitch, flow: 1, words: attachOf(0) }, false],
      ['from the reserved id', { ...toSwitch, from: 65_535, words: attachOf(0) }, false],
      ['with frames too small', { ...toSwitch, words: attachOf(26) }, false],
      ['with frames too large', { ...toSwitch, words: attachOf(65_508) }, false],
    ],
  ],
  [
    'ATTACHED',
    Attached.type,
    [
      ['to a host', { ...fromSwitch, words: attachedOf(1472, 500) }, true],
      ['to nobody', { ...fromSwitch, to: 0, words: attachedOf(1472, 500) }, false],
      ['from a host', { ...fromSwitch, from: 7, words: attachedOf(1472, 500) }, false],
      ['of a flow', { ...fromSwitch, flow: 1, words: attachedOf(1472, 500) }, false],
      ['without a frame size', { ...fromSwitch, words: attachedOf(0, 500) }, false],
      ['without a keep-alive time', { ...fromSwitch, words: attachedOf(1472, 0) }, false],
    ],
  ],
  [
    'ATTACH_REFUSED',
    AttachRefused.type,
    [
      ['to a host', fromSwitch, true],
      ['to a host that wanted any id', { ...fromSwitch, to: 0 }, true],
      ['from a host', { ...fromSwitch, from: 7 }, false],
      ['of a flow', { ...fromSwitch, flow: 1 }, false],
    ],
  ],
  ...[KeepAlive.type, Detach.type].map((type): [string, number, [string, Fields, boolean][]] => [
    type === KeepAlive.type ? 'KEEP_ALIVE' : 'DETACH',
    type,
    [
      ['to the switch', toSwitch, true],
      ['to a host', { ...toSwitch, to: 3 }, false],
      ['from nobody', { ...toSwitch, from: 0 }, false],
      ['of a flow', { ...toSwitch, flow: 1 }, false],
    ],
  ]),
  [
    'VERSION',
    FrameType.version,
    [
      ['between any two, with any flow id', { to: 0, from: 7, flow: 0, words: [0x01010000] }, true],
      ['with a lowest above the highest version', { words: [0x02010000] }, false],
      ['from the reserved id', { from: 65_535, words: [0x01010000] }, false],
    ],
  ],
])('%s', (_, type, cases) => {
  it.each(cases)('%s', (__, fields, valid) => {
    expect(hasValidFields(bytesOf(fields), type)).toBe(valid);
  });
});
