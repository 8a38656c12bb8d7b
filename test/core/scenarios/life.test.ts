import { describe, expect, it, vi } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { SenderState } from '../../../src/core/sender-flow.js';
import { frameType } from '../../../src/wire/decode.js';
import { FrameType } from '../../../src/wire/layout.js';
import { Pair } from '../../harness/pair.js';
import { Source } from '../../harness/streams.js';

/** Each takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

const ENDLESS = Number.POSITIVE_INFINITY;

/** Counts frames by type from now on. */
function countFrames(pair: Pair): Record<string, number> {
  const counts: Record<string, number> = {};
  const names = Object.fromEntries(Object.entries(FrameType).map(([name, type]) => [type, name]));
  pair.network = (frame) => {
    const name = names[frameType(frame.bytes)];
    counts[name] = (counts[name] ?? 0) + 1;
    return [0];
  };
  return counts;
}

describe('the life of a flow', () => {
  it('of one frame takes one credit more than it needs at 100 Mbit/s at most', () => {
    const pair = new Pair(1);
    const counts = countFrames(pair);
    const sources = pair.start(1_000);
    pair.runUntilClosed(sources, 5);
    expect(counts).toEqual({ creditRequest: 1, credit: 1, data: 1, fin: 1, ack: 2 });
  });

  it('of one frame wastes no more credits than the first rate sends in a round trip', () => {
    for (const rateBps of [1e9, 10e9, 40e9]) {
      const pair = new Pair(1, { rateBps });
      const sources = pair.start(1_000);
      pair.runUntilClosed(sources, 5);
      const { creditsSent, creditsUsed } = pair.sinks[1].readers[0].flow.statistics;
      expect(creditsUsed).toBe(1);
      // A sixteenth of the rate for 100 us, one at its beginning; three before the path is proved.
      const perRoundTrip = (rateBps / 16 / (1_626 * 8)) * 110e-6;
      expect(creditsSent).toBeLessThanOrEqual(Math.min(3, 1 + perRoundTrip));
    }
  });

  it('is silent between bursts but for a keep-alive, and wakes for new data after a stop', () => {
    const pair = new Pair(1);
    const source = new Source(pair, ENDLESS).pauseAt(30_000).start(0, 1);
    pair.run(SECOND_NS);
    for (let burst = 2; burst <= 6; burst++) {
      expect(source.flow.state).toBe(SenderState.creditStopSent);
      const counts = countFrames(pair);
      pair.run(pair.nowNs + 9 * SECOND_NS);
      expect(counts).toEqual({ creditStop: 2, ack: 2 });
      source.resume(burst * 30_000);
      pair.run(pair.nowNs + 100 * MILLISECOND_NS);
      expect(pair.sinks[1].readers[0].received).toBe(burst * 30_000);
    }
    source.flow.end(pair.nowNs);
    pair.run(pair.nowNs + SECOND_NS);
    expect([source.closed, ...pair.closings]).toEqual([null, 'in order']);
  });

  it('ends in silence: after END and the FIN nothing is sent any more', () => {
    const pair = new Pair(1);
    const sources = pair.start(500_000, 4);
    pair.runUntilClosed(sources, 5);
    const counts = countFrames(pair);
    pair.run(pair.nowNs + 60 * SECOND_NS);
    expect(counts).toEqual({});
    expect(pair.hosts.map((host) => host.nextTimeout())).toEqual([ENDLESS, ENDLESS]);
  });

  it('stops the credits within a round trip of the last byte', () => {
    const pair = new Pair(1, { rateBps: 1e9 });
    const sources = pair.start(1_000_000);
    pair.runUntilClosed(sources, 5);
    const { creditsSent, creditsUsed } = pair.sinks[1].readers[0].flow.statistics;
    expect(creditsSent - creditsUsed).toBeLessThan(2 + 120_000 / 13_008);
  });

  it('takes small writes as they come, each within a round trip or two', () => {
    const pair = new Pair(1);
    const source = new Source(pair, ENDLESS).pauseAt(0).start(0, 1);
    for (let message = 1; message <= 100; message++) {
      source.resume(message * 100);
      pair.run(pair.nowNs + MILLISECOND_NS * (message % 7));
    }
    pair.run(pair.nowNs + MILLISECOND_NS);
    expect(pair.sinks[1].readers[0].received).toBe(10_000);
  });
});
