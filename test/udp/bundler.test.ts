import { describe, expect, it } from 'vitest';
import { Bundler } from '../../src/udp/bundler.js';
import { NOBODY } from '../../src/udp/datapath.js';
import { Bundle } from '../../src/wire/bundle.js';
import { Frame } from '../../src/wire/frame.js';
import { CONTROL_CODES, Credits, FrameType, VERSION } from '../../src/wire/layout.js';
import { QuietDatapath } from './quiet-datapath.js';

/** A datapath that writes down what it is given: `peer:length`, a bundle with the number of its frames. */
class WritingDatapath extends QuietDatapath {
  sent: string[] = [];
  /** Frames that it takes before it is blocked. */
  room = Number.POSITIVE_INFINITY;

  override get isBlocked(): boolean {
    return this.sent.length >= this.room;
  }

  send(frame: Frame): void {
    if (this.isBlocked) throw new Error('sent while blocked');
    const isBundle = frame instanceof Bundle && frame.frames > 1;
    this.sent.push(`${frame.peer}:${isBundle ? `${frame.frames} in ` : ''}${frame.length}`);
    this.handlers.onSent(frame);
  }
}

function bench(isConnected = false) {
  const datapath = new WritingDatapath();
  const back: number[] = [];
  const bundler = new Bundler(datapath, isConnected, ({ length }) => back.push(length));
  datapath.start({
    ...NOBODY,
    onSent: (frame) => {
      if (!bundler.takeBack(frame)) back.push(frame.length);
    },
  });
  const send = (peer: number, length: number, type = 0) => {
    const frame = new Frame(new Uint8Array(length));
    if (type >= CONTROL_CODES) frame.bytes.set([(VERSION << 4) | FrameType.control, type - CONTROL_CODES], 1);
    frame.length = length;
    frame.peer = peer;
    return bundler.send(frame);
  };
  return { datapath, bundler, back, send };
}

describe('Bundler', () => {
  it('sends small frames to one peer together, at the flush', () => {
    const { datapath, bundler, back, send } = bench();
    for (const length of [20, 22, 24]) send(1, length);
    expect(datapath.sent).toEqual([]);
    expect(back).toEqual([20, 22, 24]);
    bundler.flush();
    expect(datapath.sent).toEqual([`1:3 in ${2 + 3 + 66}`]);
    expect(datapath.flushes).toBe(1);
    expect([bundler.bundles, bundler.bundledFrames]).toEqual([1, 3]);
  });

  it('sends one that is alone as it is, and large ones at once', () => {
    const { datapath, bundler, back, send } = bench();
    send(1, 1_472);
    send(2, 20);
    expect(datapath.sent).toEqual(['1:1472']);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:1472', '2:20']);
    expect(back).toEqual([1_472, 20]);
    expect(bundler.bundles).toBe(0);
  });

  it('keeps the frames to one peer in order', () => {
    const { datapath, bundler, send } = bench();
    send(1, 20);
    send(1, 20);
    send(2, 30);
    send(1, 300);
    send(1, 20);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:2 in 44', '1:300', '2:30', '1:20']);
  });

  it('keeps peers apart, but where a socket is connected there is one', () => {
    const apart = bench();
    const together = bench(true);
    for (const { bundler, send } of [apart, together]) {
      for (const peer of [1, 2, 1]) send(peer, 20);
      bundler.flush();
    }
    expect(apart.datapath.sent).toEqual(['1:2 in 44', '2:20']);
    expect(together.datapath.sent).toEqual(['1:3 in 65']);
  });

  it('begins another bundle when one is full', () => {
    const { datapath, bundler, send } = bench();
    for (let credit = 0; credit < 45; credit++) send(1, 26);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:20 in 542', '1:20 in 542', '1:5 in 137']);
  });

  it('puts one CREDITS into a bundle, with others', () => {
    const { datapath, bundler, send } = bench();
    for (const type of [0, Credits.type, 0, Credits.type, Credits.type]) send(1, 32, type);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:3 in 101', '1:32', '1:32']);
  });

  it('fills eight at a time, and lets the oldest go for a ninth', () => {
    const { datapath, bundler, send } = bench();
    for (let peer = 1; peer <= 9; peer++) send(peer, 20);
    expect(datapath.sent).toEqual(['1:20']);
    bundler.flush();
    expect(datapath.sent).toHaveLength(9);
  });

  it.each([
    { what: 'large frames to others', length: 1_472, datagrams: 16 },
    { what: 'full bundles to others', length: 26, datagrams: 16 * 20 + 1 },
  ])('lets small frames wait for 16 datagrams, no more: $what', ({ length, datagrams }) => {
    const { datapath, send } = bench();
    send(1, 20);
    for (let sent = 1; sent < datagrams; sent++) send(2, length);
    expect(datapath.sent).not.toContain('1:20');
    send(2, length);
    expect(datapath.sent).toContain('1:20');
    expect(datapath.sent.indexOf('1:20')).toBe(16);
  });

  it('uses its buffers again', () => {
    const { datapath, bundler, send } = bench();
    const bundles = new Set<Frame>();
    const note = datapath.send.bind(datapath);
    datapath.send = (frame) => {
      bundles.add(frame);
      note(frame);
    };
    for (let round = 0; round < 5; round++) {
      send(1, 20);
      send(1, 20);
      bundler.flush();
    }
    expect(bundles.size).toBe(1);
  });

  it('takes nothing that a blocked datapath would not, keeps its bundles meanwhile, and says so', () => {
    const { datapath, bundler, send } = bench();
    send(1, 20);
    send(2, 20);
    datapath.room = 1;
    // What was gathered for the same peer goes first.
    expect(send(1, 1_472)).toBe(false);
    expect([send(1, 20), send(3, 1_472), bundler.isHolding]).toEqual([false, false, true]);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:20']);
    datapath.room = Number.POSITIVE_INFINITY;
    expect(send(1, 1_472)).toBe(true);
    bundler.flush();
    expect(datapath.sent).toEqual(['1:20', '1:1472', '2:20']);
    expect(bundler.isHolding).toBe(false);
  });

  it('holds what the kernel has not taken from the datapath either', () => {
    const { datapath, bundler, send } = bench();
    expect(send(1, 1_472)).toBe(true);
    datapath.room = 1;
    expect(bundler.isHolding).toBe(true);
  });
});
