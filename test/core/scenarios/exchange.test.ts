import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import type { EndpointConfig } from '../../../src/core/config.js';
import { frameType } from '../../../src/wire/decode.js';
import { FrameType, wireBytes } from '../../../src/wire/layout.js';
import { Exchange } from '../../harness/exchange.js';
import { DELAY_NS } from '../../harness/pair.js';

/** The random ones take some seconds on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const PING = { requestBytes: 64, answerBytes: 64 };
const PAGE = { requestBytes: 16_384, answerBytes: 16_384 };
const PAYLOAD = 1_446;
const BIT_NS = 1;

/** How long `bytes` of a stream take on the link of 1 Gbit/s, in full frames and a rest. */
function linkNs(bytes: number): number {
  const full = Math.floor(bytes / PAYLOAD);
  return (full * wireBytes(1_472) + wireBytes((bytes % PAYLOAD) + 26)) * 8 * BIT_NS;
}

/** An open stream at rest. */
function opened(changes: Partial<EndpointConfig> = {}, seed = 1): Exchange {
  const world = new Exchange(seed, changes);
  world.run(20 * MILLISECOND_NS);
  return world;
}

/** Counts frames by type from now on. */
function countFrames(world: Exchange): Record<string, number> {
  const counts: Record<string, number> = {};
  const typeNames = Object.fromEntries(Object.entries(FrameType).map(([name, type]) => [type, name]));
  world.network = (frame) => {
    const name = typeNames[frameType(frame.bytes)];
    counts[name] = (counts[name] ?? 0) + 1;
    return [0];
  };
  return counts;
}

function expectWhole(world: Exchange): void {
  expect([world.client.wrong, world.server.wrong]).toEqual([0, 0]);
  expect(world.client.received).toBe(world.server.written);
  expect(world.server.received).toBe(world.client.written);
}

describe('an exchange of 64 bytes on an open stream', () => {
  it('takes a round trip of its frames and six frames, time after time', () => {
    const world = opened();
    world.play(1, PING);
    world.run(world.nowNs + 20 * MILLISECOND_NS);
    const counts = countFrames(world);
    const roundTripNs = 2 * (DELAY_NS + linkNs(64));
    for (const takenNs of world.play(100, PING)) expect(takenNs).toBeCloseTo(roundTripNs, 3);
    world.run(world.nowNs + 100 * MILLISECOND_NS);
    expect(counts).toEqual({ speculativeData: 200, creditRequest: 200, ack: 200 });
    expectWhole(world);
  });

  it('takes the same after a rest of any length, without a frame more', () => {
    const world = opened();
    const roundTripNs = 2 * (DELAY_NS + linkNs(64));
    for (const restNs of [0, 0.1, 1, 10, 1_000, 30_000]) {
      world.run(world.nowNs + restNs * MILLISECOND_NS);
      expect(world.play(1, PING)[0], `after ${restNs} ms`).toBeCloseTo(roundTripNs, 3);
    }
    expectWhole(world);
  });

  it('takes a round trip more at least where the host does not speculate', () => {
    const world = opened({ speculativeRttNs: 0 });
    for (const takenNs of world.play(3, PING)) expect(takenNs).toBeGreaterThan(4 * DELAY_NS);
  });
});

describe('the first exchange of a stream', () => {
  it('takes one round trip, the opening of both flows included', () => {
    const world = new Exchange(1);
    const [takenNs] = world.play(1, PING);
    // Beside the data: the requests that open the flows, and an ACK.
    expect(takenNs).toBeLessThan(2 * (DELAY_NS + linkNs(64)) + 4 * linkNs(10));
  });
});

describe('an exchange of 16 KiB on an open stream', () => {
  it('takes one round trip and the time of its frames on the link, without a credit', () => {
    const world = opened();
    const counts = countFrames(world);
    const roundTripNs = 2 * (DELAY_NS + linkNs(16_384));
    for (const takenNs of world.play(20, PAGE)) {
      expect(takenNs).toBeGreaterThanOrEqual(roundTripNs - 1);
      // An ACK or a request each way may go before.
      expect(takenNs).toBeLessThan(roundTripNs + 2 * linkNs(10));
    }
    expect(counts).toMatchObject({ speculativeData: 20 * 2 * 12 });
    expect(counts).not.toHaveProperty('credit');
    expectWhole(world);
  });

  it('goes on with credits where it is larger than the window', () => {
    const world = opened();
    const [takenNs] = world.play(1, { requestBytes: 1e6, answerBytes: 64 });
    expect(takenNs).toBeLessThan(2 * DELAY_NS + 2.2 * linkNs(1e6));
    expectWhole(world);
  });
});

const STEPS: [string, number][] = [
  ['SPECULATIVE_DATA', FrameType.speculativeData],
  ['CREDIT_REQUEST', FrameType.creditRequest],
  ['ACK', FrameType.ack],
];

describe.each(STEPS)('where a %s is lost', (_, type) => {
  it.each([PING, PAGE])(
    'the exchange of $requestBytes B comes to its end within a timeout, and later ones are fast',
    (sizes) => {
      for (let which = 0; which < 6; which++) {
        const world = opened();
        world.play(2, sizes);
        let seen = 0;
        world.network = (frame) => (frameType(frame.bytes) === type && seen++ === which ? [] : [0]);
        world.play(3, sizes, 60 * MILLISECOND_NS);
        world.play(3, sizes);
        const times = world.play(3, sizes);
        expect(Math.max(...times), `frame ${which}`).toBeLessThan(4 * DELAY_NS + 3 * linkNs(sizes.requestBytes));
        world.run(world.nowNs + 100 * MILLISECOND_NS);
        expectWhole(world);
      }
    },
  );
});

describe('an open stream', () => {
  it('knows its RTT although each message sends a probe before the last one is answered', () => {
    const world = opened();
    world.play(50, PING);
    for (const { flow } of [world.client, world.server]) {
      expect(flow.statistics.rttNs).toBeGreaterThan(2 * DELAY_NS);
      expect(flow.statistics.rttNs).toBeLessThan(2 * DELAY_NS + 8 * linkNs(64));
    }
  });

  it('is reset where the other side has lost its state', () => {
    const world = opened();
    world.play(1, PING);
    world.restart(1);
    world.client.write(64);
    world.run(world.nowNs + MILLISECOND_NS);
    expect(world.client.closings).toEqual(['reset']);
  });

  it('holds a burst back where the reader at its end has left no room', () => {
    const world = opened({ receiveWindowBytes: 65_536 });
    const { server, client } = world;
    server.onBytes = () => {};
    const release = server.incoming!.release.bind(server.incoming);
    server.incoming!.release = () => {};
    for (let count = 0; count < 30; count++) {
      client.write(16_384);
      world.run(world.nowNs + 10 * MILLISECOND_NS);
    }
    expect(server.received).toBeLessThanOrEqual(65_536);
    expect(client.flow.statistics.speculativeFrames).toBeLessThan(100);
    expect(world.hosts[1].endpoint.counters.outsideWindow).toBeLessThan(48);
    server.incoming!.release = release;
    server.incoming!.release(server.received, world.nowNs);
    world.run(world.nowNs + SECOND_NS);
    expect(server.received).toBe(30 * 16_384);
    expect(server.wrong).toBe(0);
  });
});

const WORLDS: [string, Partial<EndpointConfig>][] = [
  ['steady', {}],
  ['spraypass', { creditAlgorithm: 'spraypass', creditParameters: { paths: 4 } }],
  ['spraypass-2', { creditAlgorithm: 'spraypass-2' }],
  ['ec4', { creditAlgorithm: 'ec4' }],
  ['expresspass', { creditAlgorithm: 'expresspass' }],
  ['filled frames', { frameChunks: 8 }],
  ['credits for whoever asks', { backlogWaitNs: 0 }],
  ['a small window', { receiveWindowBytes: 65_536 }],
];

describe.each(WORLDS)('with %s', (_, changes) => {
  it('an exchange takes one round trip', () => {
    const world = opened(changes);
    world.play(1, { requestBytes: 500_000, answerBytes: 500_000 });
    world.run(world.nowNs + 50 * MILLISECOND_NS);
    for (const takenNs of world.play(5, PING)) expect(takenNs).toBeCloseTo(2 * (DELAY_NS + linkNs(64)), 3);
    expectWhole(world);
  });

  it('every byte arrives once and in order where frames are lost, doubled and overtake each other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        (seed, requestBytes, answerBytes) => {
          const world = opened(changes, seed);
          const random = new SeededRandom(seed);
          const reorders = random.next() < 0.5;
          world.network = () => {
            if (random.next() < 0.1) return [];
            const delayNs = reorders && random.next() < 0.1 ? random.next() * 200_000 : 0;
            return random.next() < 0.05 ? [delayNs, random.next() * 300_000] : [delayNs];
          };
          for (let round = 0; round < 8; round++) {
            world.play(2, { requestBytes, answerBytes }, 4 * SECOND_NS);
            world.play(2, PING, 4 * SECOND_NS);
            world.run(world.nowNs + random.next() * 3 * MILLISECOND_NS);
          }
          world.network = () => [0];
          world.client.flow.end(world.nowNs);
          world.server.flow.end(world.nowNs);
          world.run(world.nowNs + 5 * SECOND_NS);
          expectWhole(world);
          expect(world.client.closings).toEqual(['in order', 'in order']);
          expect(world.server.closings).toEqual(['in order', 'in order']);
          for (const { endpoint } of world.hosts) expect(endpoint.flowCount).toBe(0);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe.each(['steady', 'expresspass', 'ec4'])('credits of %s for a stream that has rested', (creditAlgorithm) => {
  it('begin at the rate that the flow had, with the RTT that it knew', () => {
    const world = opened({ creditAlgorithm });
    world.play(1, { requestBytes: 3e6, answerBytes: 64 });
    const receiver = world.server.incoming!;
    const { rateBps, rttNs } = receiver.statistics;
    world.run(world.nowNs + 2 * SECOND_NS);
    expect(receiver.statistics).toMatchObject({ rateBps, rttNs });
    const { creditsSent } = receiver.statistics;
    const sinceNs = world.nowNs;
    world.client.write(1e6);
    world.run(sinceNs + 4 * DELAY_NS);
    // The request tells of the rest at once. The first credits leave after one way, at the rate of before.
    const elapsedNs = 3 * DELAY_NS - linkNs(36);
    const gapNs = ((1_538 + 88) * 8e9) / rateBps;
    expect(receiver.statistics.creditsSent - creditsSent).toBeGreaterThan((0.8 * elapsedNs) / gapNs);
  });
});
