import { describe, expect, it } from 'vitest';
import { FlowSink } from '../../../src/apps/lab/flow-sink.js';
import { FlowSource } from '../../../src/apps/lab/flow-source.js';
import type { XpassError } from '../../../src/base/errors.js';
import type { EndpointConfig } from '../../../src/core/config.js';
import type { FlowReader } from '../../../src/core/flow-callbacks.js';
import type { Receiver } from '../../../src/net/receiver.js';
import { SlowReader } from '../../../src/sim/slow-reader.js';
import { StreamWorld } from '../../harness/stream-world.js';

const MS = 1e6;
const FRAME_BYTES = 1472;
/** Payload of a link of 1 Gbit/s in a millisecond: 1446 of the 1626 wire bytes that a credit and its frame take. */
const BYTES_PER_MS = (1e9 * 1446) / 1626 / 8 / 1e3;

interface BedOptions {
  readonly bytes?: number;
  readonly sender?: Partial<EndpointConfig>;
  /** Changes what arrives. */
  readonly spoil?: (bytes: Uint8Array, offset: number) => Uint8Array;
  readonly readerRateBps?: number;
  readonly receiver?: Partial<EndpointConfig>;
}

/** A source of one host and the sink of another; measured from 10 ms to 30 ms. */
function bed({
  bytes = Number.POSITIVE_INFINITY,
  sender = {},
  spoil,
  readerRateBps = Number.POSITIVE_INFINITY,
  receiver = {},
}: BedOptions = {}) {
  const world = new StreamWorld();
  const outcome = { closed: undefined as XpassError | null | undefined };
  const sinks: FlowSink[] = [];
  const from = world.open(sender);
  const reader = new SlowReader<Receiver>({ read: (each, count) => each.release(count), schedule: () => undefined });
  reader.setRate(readerRateBps, 0);
  const accept = (flow: Receiver): FlowReader => {
    const times = { startNs: 0, measureNs: 10 * MS, endNs: 30 * MS };
    const now = () => world.nowNs;
    const sink = new FlowSink({ flow, times, windowsNs: [1 * MS, 5 * MS], isChecked: true, reader, now });
    sinks.push(sink);
    return spoil === undefined ? sink : spoiling(sink, spoil);
  };
  const to = world.open(receiver);
  to.acceptReceivers(accept);
  const source = new FlowSource({
    bytes,
    frameBytes: FRAME_BYTES,
    onClosed: (error) => {
      outcome.closed = error;
    },
  });
  const flow = from.openSender(1, source);
  source.start(flow);
  /** Reads what the slow reader may read on the way. */
  const play = (untilNs: number): void => {
    for (let atNs = MS; atNs <= untilNs; atNs += MS) {
      world.run(atNs);
      to.run((nowNs) => {
        while (reader.dueNs <= nowNs) reader.readNext();
      });
    }
  };
  return { world, outcome, source, flow, play, report: () => sinks[0].report() };
}

function spoiling(sink: FlowSink, spoil: (bytes: Uint8Array, offset: number) => Uint8Array): FlowReader {
  let offset = 0;
  return {
    onData: (bytes) => {
      sink.onData(spoil(bytes, offset));
      offset += bytes.length;
    },
    onEnd: () => sink.onEnd(),
    onClosed: (error) => sink.onClosed(error),
  };
}

describe('a flow of a lab', () => {
  it.each([1, 1_446, 65_536, 1_000_001])('carries %i bytes, checked, and ends in order', (bytes) => {
    const { world, outcome, report } = bed({ bytes });
    world.run(2e9);
    expect(outcome.closed).toBeNull();
    expect(report()).toMatchObject({ deliveredBytes: bytes, wrongAtByte: null, error: null });
    // No flow of a megabyte is done sooner than its bytes take.
    expect(report().completeNs).toBeGreaterThan((bytes / BYTES_PER_MS) * 0.99 * MS);
    expect(report().completeNs).toBeLessThan(30 * MS);
  });

  it('without an end never leaves a credit without data', () => {
    const { world, flow } = bed();
    for (let time = 1; time <= 50; time++) world.run(time * MS);
    expect(flow.statistics).toMatchObject({ creditsUnused: 0, stops: 0 });
    expect(flow.statistics.dataFrames).toBeGreaterThan(1_000);
  });

  it('goes on when its send buffer was full', () => {
    const { world, report } = bed({ bytes: 1_000_000, sender: { sendBufferBytes: 65_536 } });
    world.run(2e9);
    expect(report().deliveredBytes).toBe(1_000_000);
  });

  it('holds little, so that it ends soon after it is stopped', () => {
    const { world, source, outcome, report } = bed();
    world.run(15 * MS);
    source.stop();
    const before = report().deliveredBytes;
    world.run(17 * MS);
    expect(outcome.closed).toBeNull();
    expect(report().deliveredBytes - before).toBeLessThan(70 * 1446);
  });

  it('is counted in windows of the measured time, and not beyond its end', () => {
    const { world, report } = bed();
    world.run(50 * MS);
    const { deliveredBytes, measuredBytes, completeNs, windows } = report();
    expect(completeNs).toBeNull();
    const sums = windows.map(({ bytes }) => bytes.reduce((sum, count) => sum + count, 0));
    expect(sums).toEqual([measuredBytes, measuredBytes]);
    expect(windows.map(({ windowNs, first, bytes }) => [windowNs, first, bytes.length])).toEqual([
      [1 * MS, 0, 20],
      [5 * MS, 0, 4],
    ]);
    expect(measuredBytes).toBeGreaterThan(19 * BYTES_PER_MS);
    expect(measuredBytes).toBeLessThan(20.5 * BYTES_PER_MS);
    expect(deliveredBytes).toBeGreaterThan(measuredBytes);
    expect(deliveredBytes).toBeLessThan(30 * BYTES_PER_MS);
  });

  it('tells of bytes that were not sent', () => {
    const spoil = (bytes: Uint8Array, offset: number): Uint8Array => {
      const copy = Uint8Array.from(bytes);
      if (offset <= 50_000 && 50_000 < offset + bytes.length) copy[50_000 - offset] ^= 4;
      return copy;
    };
    const { world, report } = bed({ bytes: 100_000, spoil });
    world.run(2e9);
    const { wrongAtByte } = report();
    expect(wrongAtByte).toBeGreaterThan(50_000 - 1446);
    expect(wrongAtByte).toBeLessThanOrEqual(50_000);
  });

  it('is held back by a reader that is slow', () => {
    const { play, report } = bed({ readerRateBps: 80e6, receiver: { receiveWindowBytes: 65_536 } });
    play(29 * MS);
    // A window full, and what was read at 10 kB/ms.
    expect(report().deliveredBytes).toBeGreaterThan(270_000);
    expect(report().deliveredBytes).toBeLessThan(65_536 + 290_000);
  });

  it('says why it failed, with the credits that it had until then', () => {
    const { world, flow, outcome, report } = bed();
    world.run(20 * MS);
    flow.reset();
    world.run(25 * MS);
    expect(outcome.closed?.code).toBe('reset');
    expect(report()).toMatchObject({ error: 'reset', completeNs: null });
    const { sent, used } = report().credits;
    expect(used).toBeGreaterThan(900);
    expect(sent).toBeGreaterThanOrEqual(used);
  });
});
