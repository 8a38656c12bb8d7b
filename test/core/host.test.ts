import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { Host } from '../../src/core/host.js';
import { frameType } from '../../src/wire/decode.js';
import { encodeCredit } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { Data, FrameType, SEALED_EXTRA_BYTES, wireBytes } from '../../src/wire/layout.js';
import { FLOW_HEADER, FLOW_PEER, incoming, newEndpoint } from '../harness/flow-context.js';
import { RecordingWriter } from '../harness/sender-bench.js';
import { Sink, Source } from '../harness/streams.js';
import { World } from '../harness/world.js';

const RATE_BPS = 100e6;

function pair(changes = {}) {
  const world = new World(1, 0);
  const sender = world.addHost({ rateBps: RATE_BPS, ...changes });
  const sink = new Sink(world);
  const receiver = world.addHost({ rateBps: RATE_BPS, creditAlgorithm: 'naive', jitter: 0, ...changes }, sink);
  return { world, sender, receiver, sink };
}

describe('a host behind its NIC', () => {
  it('sends no faster than its link', () => {
    const { world } = pair();
    const sentNs: number[] = [];
    const bytes: number[] = [];
    world.network = (frame, from) => {
      if (from === 0) {
        sentNs.push(frame.atNs);
        bytes.push(frame.wireBytes);
      }
      return [0];
    };
    new Source(world, 500_000).start(0, 1);
    world.run(20 * MILLISECOND_NS);
    const wholeNs = sentNs[sentNs.length - 1] - sentNs[0];
    const sum = bytes.slice(1).reduce((total, each) => total + each, 0);
    expect(sum * 8e9).toBeLessThanOrEqual(wholeNs * RATE_BPS * 1.000_001);
  });

  it('meters the credits of all its flows together: what two flows ask for beyond the share is dropped and counted', () => {
    const { world, receiver, sink } = pair();
    for (let flow = 0; flow < 2; flow++) new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
    world.run(100 * MILLISECOND_NS);
    const sent = sink.readers.reduce((sum, { flow }) => sum + flow.statistics.creditsSent, 0);
    expect(receiver.endpoint.counters.nicDrops / sent).toBeGreaterThan(0.4);
    const arrived = sink.readers.reduce((sum, { flow }) => sum + flow.statistics.dataFrames, 0);
    const linkFrames = (0.1 * RATE_BPS) / 8 / (88 + wireBytes(1_472));
    expect(arrived).toBeGreaterThan(0.95 * linkFrames);
    expect(arrived).toBeLessThan(1.02 * linkFrames);
  });

  it('sends as fast over a path that holds more frames than its socket as if the socket held all', () => {
    const [bounded, unbounded] = [320, Number.POSITIVE_INFINITY].map((hostCredits) => {
      const world = new World(1, 40 * MILLISECOND_NS);
      world.addHost({ rateBps: 300e6 });
      const sink = new Sink(world);
      world.addHost({ rateBps: 300e6, creditAlgorithm: 'steady', hostCredits }, sink);
      new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
      world.run(2 * SECOND_NS);
      return sink.readers[0].flow.statistics.dataFrames;
    });
    expect(bounded / unbounded).toBeGreaterThan(0.9);
  });

  it.each([
    ['steady', 20e6, 100e6],
    ['steady', 100e6, 20e6],
    ['expresspass', 20e6, 100e6],
    ['expresspass', 100e6, 20e6],
    ['expresspass-2016', 20e6, 100e6],
    ['naive', 20e6, 100e6],
  ])('follows its link with %s from %s to %s bit/s while a flow runs', (creditAlgorithm, beforeBps, afterBps) => {
    const queueBoundNs = 2 * MILLISECOND_NS;
    const { world, sink } = pair({ rateBps: beforeBps, creditAlgorithm, queueBoundNs });
    new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
    world.run(500 * MILLISECOND_NS);
    for (const host of world.hosts) host.setLinkRate(afterBps, world.nowNs);
    world.run(600 * MILLISECOND_NS);
    const [{ flow }] = sink.readers;
    const arrivedBefore = flow.statistics.dataFrames;
    world.run(700 * MILLISECOND_NS);
    const linkFrames = (0.1 * afterBps) / 8 / (88 + wireBytes(1_472));
    expect(flow.statistics.dataFrames - arrivedBefore).toBeGreaterThan(0.95 * linkFrames);
    expect(flow.statistics.dataFrames - arrivedBefore).toBeLessThan(1.02 * linkFrames);
  });

  it('gives its NIC each credit at the time that it was due, however late it is woken', () => {
    const { world, receiver, sink } = pair({ catchUpNs: 10 * MILLISECOND_NS });
    world.napNs = 5 * MILLISECOND_NS;
    new Source(world, Number.POSITIVE_INFINITY).start(0, 1);
    world.run(500 * MILLISECOND_NS);
    // 5 ms hold 38 credits: more than bucket and queue of a NIC take at once, but each comes at its own time.
    expect(sink.readers[0].flow.statistics.creditsSent).toBeGreaterThan(3_500);
    expect(receiver.endpoint.counters.nicDrops).toBe(0);
  });

  it('waits for whichever comes first, the endpoint or the NIC', () => {
    const { world, sender } = pair();
    expect(sender.nextTimeout()).toBe(Number.POSITIVE_INFINITY);
    new Source(world, 5_000).start(0, 1);
    sender.advance(0);
    // The request is repeated then, or up to a quarter later.
    expect(sender.nextTimeout()).toBeGreaterThanOrEqual(100 * MILLISECOND_NS);
    expect(sender.nextTimeout()).toBeLessThan(125 * MILLISECOND_NS);
  });

  it('sends again as many bytes as its NIC has dropped, without the seal that they would have had', () => {
    const endpoint = newEndpoint({ rateBps: 1e9, speculativeRttNs: 40_000, sealBytes: SEALED_EXTRA_BYTES });
    const lengths: number[] = [];
    const enqueueStamped = ({ bytes, length }: Frame): number => {
      if (frameType(bytes) === FrameType.speculativeData) return 1;
      if (frameType(bytes) === FrameType.data) lengths.push(length);
      return 0;
    };
    const idle = { advance: () => {}, configure: () => {}, dequeue: () => null, nextTimeout: () => NEVER };
    const host = new Host(endpoint, { ...idle, enqueueStamped });
    const flow = endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
    flow.write(new Uint8Array(20), 0);
    host.advance(0);
    expect(flow.statistics.speculativeTakenBack).toBe(1);
    const credit = { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 };
    host.handleFrame(
      incoming((bytes) => encodeCredit(bytes, { ...FLOW_HEADER, flowId: flow.id }, credit, crc32)),
      0,
    );
    host.advance(0);
    expect(lengths).toEqual([Data.overheadBytes + 20]);
  });
});
