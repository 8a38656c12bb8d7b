import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { CreditCoupler } from '../../src/core/credit-coupler.js';
import { CreditsReader } from '../../src/core/credits-reader.js';
import { checkFrame, creditSequence, flowId, frameType } from '../../src/wire/decode.js';
import { encodeCredit } from '../../src/wire/encode.js';
import { type Frame, FramePool } from '../../src/wire/frame.js';
import { Fin } from '../../src/wire/frames.js';
import { Credits, FrameType } from '../../src/wire/layout.js';
import { Sink, Source } from '../harness/streams.js';
import { World } from '../harness/world.js';

/** A credit, or FIN for a negative sequence. */
interface Sent {
  peer: number;
  flow: number;
  sequence: number;
}

const pool = new FramePool(() => new Uint8Array(600), 256);

function frameOf({ peer, flow, sequence }: Sent, atNs: number): Frame {
  const frame = pool.take();
  const header = { destination: 0, source: 0, flowId: flow };
  const fields = { sequence, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 0 };
  frame.length =
    sequence < 0
      ? Fin.encode(frame.bytes, header, { finalOffset: 0, probe: 0, unused: 0 }, crc32)
      : encodeCredit(frame.bytes, header, fields, crc32);
  frame.peer = peer;
  frame.atNs = atNs;
  return frame;
}

/** What leaves when these wait at the NIC. */
function couple(sent: readonly Sent[]): Frame[] {
  const waiting = sent.map((each, index) => frameOf(each, index));
  const coupler = new CreditCoupler(() => waiting.shift() ?? null, pool, crc32);
  const left: Frame[] = [];
  for (let frame = coupler.next(); frame !== null; frame = coupler.next()) left.push(frame);
  return left;
}

/** What the peers make of it, in order. */
function taken(frames: readonly Frame[]): Sent[] {
  const out: Sent[] = [];
  const note = ({ bytes, peer }: Frame) => {
    const sequence = frameType(bytes) === FrameType.credit ? creditSequence(bytes) : -1;
    out.push({ peer, flow: flowId(bytes), sequence });
  };
  const reader = new CreditsReader(note);
  for (const frame of frames) {
    const type = checkFrame(frame, crc32);
    if (type === Credits.type) reader.takeApart(frame, 0);
    else note(frame);
  }
  return out;
}

const sentFrame = fc.record({
  peer: fc.integer({ min: 1, max: 2 }),
  flow: fc.integer({ min: 1, max: 3 }),
  sequence: fc.integer({ min: -1, max: 4 }),
});

describe('the coupler of credits', () => {
  it('lets frames of all kinds leave in their order, whatever it joins', () => {
    fc.assert(
      fc.property(fc.array(sentFrame, { maxLength: 200, size: 'max' }), (sent) => {
        expect(taken(couple(sent))).toEqual(sent);
      }),
    );
  });

  it('joins what goes to one peer, up to 20 credits, and leaves a single one as it is', () => {
    const row = (count: number, peer: number) =>
      Array.from({ length: count }, (_, sequence) => ({ peer, flow: 1 + (sequence % 4), sequence }));
    const left = couple([...row(1, 1), ...row(20, 2), ...row(5, 1), { peer: 1, flow: 1, sequence: -1 }, ...row(2, 1)]);
    expect(left.map(({ bytes, peer, atNs }) => [frameType(bytes), peer, atNs])).toEqual([
      [FrameType.credit, 1, 0],
      [Credits.type, 2, 20],
      [Credits.type, 1, 25],
      [FrameType.fin, 1, 26],
      [Credits.type, 1, 28],
    ]);
    const many = couple(Array.from({ length: 50 }, (_, sequence) => ({ peer: 1, flow: 1, sequence })));
    expect(many.map(({ bytes }) => frameType(bytes))).toEqual([Credits.type, Credits.type, Credits.type]);
    expect(taken(many.slice(0, 1))).toHaveLength(20);
  });
});

describe('two hosts without a switch', () => {
  /** A receiver that wakes late has many credits to send at once. */
  function exchange(hostId: number) {
    const world = new World(1, MILLISECOND_NS);
    world.doors = { keys: null };
    world.napNs = 5 * MILLISECOND_NS;
    const types: number[] = [];
    world.network = (frame, from) => {
      if (from === 1) types.push(frameType(frame.bytes));
      return [0];
    };
    const changes = { rateBps: 100e6, catchUpNs: 10 * MILLISECOND_NS, jitter: 0 };
    world.addHost({ ...changes, ...(hostId > 0 && { hostId }) });
    const sink = new Sink(world);
    world.addHost({ ...changes, ...(hostId > 0 && { hostId: hostId + 1 }) }, sink);
    if (hostId > 0) [world.hostAt, world.seenAs] = [(peer) => peer - hostId, (from) => from + hostId];
    new Source(world, 300_000).start(0, hostId + 1);
    world.run(SECOND_NS);
    return { world, types, sink };
  }

  it('send credits together, which count as if each had come by itself', () => {
    const { world, types, sink } = exchange(0);
    const [{ received, wrong, flow }] = sink.readers;
    expect([received, wrong]).toEqual([300_000, 0]);
    expect(types.filter((type) => type === Credits.type).length).toBeGreaterThan(5);
    const [sender, receiver] = world.hosts.map(({ endpoint }) => endpoint.counters);
    expect(flow.statistics.creditsSent).toBeGreaterThan(200);
    expect(sender.framesReceived).toBe(receiver.framesSent - receiver.nicDrops);
  });

  it('send each by itself behind a switch', () => {
    const { types, sink } = exchange(1);
    expect(sink.readers[0].received).toBe(300_000);
    expect(types).not.toContain(Credits.type);
  });

  it('lose few credits at a time where a late host loses frames', () => {
    const world = new World(1, 0.1 * MILLISECOND_NS);
    world.doors = { keys: null };
    world.napNs = 5 * MILLISECOND_NS;
    const fate = world.random.fork();
    world.network = () => (fate.uint32() < 0.1 * 2 ** 32 ? [] : [0]);
    const sink = new Sink(world);
    world.addHost({ rateBps: 1e9 });
    world.addHost({ rateBps: 1e9 }, sink);
    new Source(world, 20e6).start(0, 1);
    let doneNs = NEVER;
    world.onStep = () => {
      if (doneNs === NEVER && sink.readers[0]?.ended) doneNs = world.nowNs;
    };
    world.run(10 * SECOND_NS);
    // 7.6 s with 64 credits a frame, and 1.3 s with one.
    expect(doneNs).toBeLessThan(1.6 * SECOND_NS);
  });
});
