import { describe, expect, it } from 'vitest';
import type { XpassError } from '../../../src/base/errors.js';
import { NEVER } from '../../../src/base/time.js';
import type { EndpointConfig } from '../../../src/core/config.js';
import type { FlowReader } from '../../../src/core/flow-callbacks.js';
import { BlockTimes } from '../../../src/services/perf/block-times.js';
import { DurationHistogram } from '../../../src/services/perf/histogram.js';
import type { Pace } from '../../../src/services/perf/messages.js';
import { PerfSource } from '../../../src/services/perf/source.js';
import { StreamWorld } from '../../harness/stream-world.js';

const HEADER = new Uint8Array(100);
const FRAME_BYTES = 1472;

interface BedOptions {
  bytes?: number;
  endNs?: number;
  sender?: Partial<EndpointConfig>;
  /** The reader keeps what it gets. */
  isSlow?: boolean;
  pace?: Pace;
  isAsked?: boolean;
}

/** A source that sends to a reader of another host. */
function bed({
  bytes = Number.POSITIVE_INFINITY,
  endNs = NEVER,
  sender = {},
  isSlow = false,
  ...writes
}: BedOptions = {}) {
  const world = new StreamWorld();
  const gaps = new DurationHistogram();
  const rtts = new DurationHistogram();
  const blocks = new DurationHistogram();
  const outcome = { closed: undefined as XpassError | null | undefined, received: 0, endedNs: NEVER };
  const host = world.open(sender);
  world.open().acceptReceivers(
    (receiver): FlowReader => ({
      onData: ({ length }) => {
        outcome.received += length;
        if (!isSlow) receiver.release(length);
      },
      onEnd: () => {
        outcome.endedNs = world.nowNs;
      },
      onClosed: () => {},
    }),
  );
  const source = new PerfSource({
    header: HEADER,
    bytes,
    frameBytes: FRAME_BYTES,
    gaps,
    rtts,
    blocks: new BlockTimes(1_000, blocks),
    now: () => world.nowNs,
    ...writes,
    onClosed: (error) => {
      outcome.closed = error;
    },
  });
  const flow = host.openSender(1, source);
  source.attach(flow);
  source.start({ nowNs: 0, endNs, recordFromNs: 0 });
  return { world, gaps, rtts, blocks, outcome, source, flow };
}

describe('a source of perf data', () => {
  it('times its blocks, from the first byte to the acknowledgement of the last', () => {
    const { world, blocks } = bed({ bytes: 599_500 });
    world.run(1e9);
    const { count, min, p90 } = blocks.percentiles();
    expect(count).toBe(600);
    // The data and its acknowledgement: the wire takes 100 us there and back.
    expect(min).toBeGreaterThan(100);
    // Of 54 ms: 8 frames wait, 1 ms, and 32 have one acknowledgement, 4 ms.
    expect(p90).toBeLessThan(8e3);
  });

  it('writes at its pace, and in bursts', () => {
    for (const burstBytes of [0, 10_000]) {
      const { world, source } = bed({ pace: { rateBps: 8e6, burstBytes } });
      for (let time = 1; time <= 100; time++) {
        world.run(time * 1e6);
        source.pace(world.nowNs);
      }
      world.run(105e6);
      // 8 Mbit/s are 1,000 B a millisecond; a burst begins one ahead.
      expect(Math.abs(source.acknowledgedBytes - 100_000 - burstBytes)).toBeLessThan(2_000);
    }
  });

  it('sends the messages that it is asked for, and nothing else', () => {
    const { world, outcome, source } = bed({ isAsked: true });
    world.run(10e6);
    expect(source.acknowledgedBytes).toBe(0);
    for (const bytes of [1, 200_000]) source.ask(new Uint8Array(bytes));
    world.run(200e6);
    expect(source.acknowledgedBytes).toBe(200_001);
    source.end();
    world.run(300e6);
    expect(outcome.closed).toBeNull();
  });

  it.each([1, 1_446, 65_536, 1_000_000])('sends %i bytes after its header and ends in order', (bytes) => {
    const { world, outcome, source } = bed({ bytes });
    world.run(2e9);
    expect(outcome).toMatchObject({ closed: null, received: HEADER.length + bytes });
    expect(source.acknowledgedBytes).toBe(bytes);
  });

  it('keeps the link full while its time lasts, and ends soon after', () => {
    const { world, outcome } = bed({ endNs: 100e6 });
    world.run(200e6);
    // 1446 of the 1626 wire bytes that a credit and its frame take are payload; it takes 20 ms to reach the link's rate.
    expect(outcome.received).toBeGreaterThan((0.9 * 0.1 * 1e9 * 1446) / 1626 / 8);
    expect(outcome.closed).toBeNull();
    expect(outcome.endedNs).toBeGreaterThan(100e6);
    expect(outcome.endedNs).toBeLessThan(102e6);
  });

  it('measures the RTTs of a flow without credits, and none of one with', () => {
    const reactive = bed({ sender: { windowAlgorithm: 'dctcp' }, endNs: 20e6 });
    reactive.world.run(50e6);
    expect(reactive.rtts.percentiles().count).toBeGreaterThan(100);
    // The wire takes 100 us both ways, and a frame its time on it.
    expect(reactive.rtts.percentiles().min).toBeGreaterThan(100);
    const credited = bed({ endNs: 20e6 });
    credited.world.run(50e6);
    expect(credited.rtts.percentiles().count).toBe(0);
  });

  it('has more than its request told of when its first credit comes, so that the receiver asks on', () => {
    const { world, flow } = bed();
    for (let time = 10; flow.statistics.dataFrames === 0; time += 10) world.run(time * 1e3);
    const { bytesWritten, dataFrames } = flow.statistics;
    expect([dataFrames, bytesWritten]).toEqual([1, HEADER.length + 8 * 1_446 + 65_536]);
  });

  it('never leaves a credit without data before its end', () => {
    const { world, flow } = bed();
    for (let time = 1; time <= 50; time++) world.run(time * 1e6);
    expect(flow.statistics.creditsUnused).toBe(0);
    expect(flow.statistics.stops).toBe(0);
    expect(flow.statistics.dataFrames).toBeGreaterThan(1_000);
  });

  it('holds little that is not sent', () => {
    const { world, flow } = bed();
    for (let time = 1; time <= 50; time++) {
      world.run(time * 1e6);
      const { bytesWritten, bytesSent } = flow.statistics;
      expect(bytesWritten - bytesSent).toBeLessThan(80_000);
    }
  });

  it('goes on when a full send buffer has room again', () => {
    const { world, outcome } = bed({ bytes: 2_000_000, sender: { sendBufferBytes: 65_536 } });
    world.run(5e9);
    expect(outcome).toMatchObject({ closed: null, received: HEADER.length + 2_000_000 });
  });

  it('records the gaps between the credits that arrive', () => {
    const { world, gaps, flow } = bed({ bytes: 1_000_000 });
    world.run(1e9);
    const { count, p50 } = gaps.percentiles();
    expect(count).toBe(flow.statistics.creditsReceived - 1);
    // A credit of 88 wire bytes and its data of 1538 take 13.0 us at 1 Gbit/s.
    expect(p50).toBeGreaterThan(12.5);
    expect(p50).toBeLessThan(13.5);
  });

  it('ends early when told to', () => {
    const { world, outcome, source } = bed();
    world.run(20e6);
    source.end();
    world.run(50e6);
    expect(outcome.closed).toBeNull();
    expect(outcome.endedNs).toBeLessThan(22e6);
  });

  it('tells what its flow failed with', () => {
    const { world, outcome } = bed({ sender: { idleTimeoutNs: 1e9 } });
    world.run(20e6);
    world.kill(1);
    world.run(3e9);
    expect(outcome.closed).toMatchObject({ code: 'idle' });
  });

  it('gives its flow up when aborted', () => {
    const { world, outcome, source } = bed();
    world.run(20e6);
    source.abort();
    world.run(30e6);
    expect(outcome.closed).toMatchObject({ code: 'reset' });
  });

  it('waits with a reader that takes nothing, and lets go of the flow when aborted', () => {
    const { world, outcome, source } = bed({ isSlow: true });
    world.run(3e9);
    expect(outcome.closed).toBeUndefined();
    source.abort();
    expect(outcome.closed).toMatchObject({ code: 'reset' });
  });
});
