import { describe, expect, it, vi } from 'vitest';
import { SECOND_NS } from '../../../src/base/time.js';
import { outcome, Pair } from '../../harness/pair.js';
import { Sink, Source } from '../../harness/streams.js';

/** Each takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

describe('a flow that the other side does not take', () => {
  it('is refused by a host that takes none', () => {
    const pair = new Pair(1);
    pair.addHost({ rateBps: 100e6 });
    const source = new Source(pair, 1_000).start(0, 2);
    pair.run(SECOND_NS);
    expect(outcome(source.closed)).toBe('refused');
  });

  it('is refused for its frame size', () => {
    const pair = new Pair(1);
    pair.addHost({ rateBps: 100e6, frameBytes: 9_000 }, new Sink(pair));
    const source = new Source(pair, 1_000).start(2, 0);
    pair.run(SECOND_NS);
    expect(outcome(source.closed)).toBe('frameSize');
    expect(source.closed?.message).toContain('--frame-size');
    const smaller = new Source(pair, 1_000).start(0, 2);
    pair.run(2 * SECOND_NS);
    expect(smaller.closed).toBeNull();
  });

  it('is refused when there are too many, and the others go on', () => {
    const pair = new Pair(1, { maxFlows: 5 });
    pair.addHost({ rateBps: 100e6 });
    const sources = Array.from({ length: 8 }, () => new Source(pair, 100_000).start(2, 1));
    pair.runUntilClosed(sources, 10);
    const outcomes = sources.map((source) => outcome(source.closed));
    expect(outcomes.filter((each) => each === 'in order')).toHaveLength(5);
    expect(outcomes.filter((each) => each === 'tooManyFlows')).toHaveLength(3);
    expect(pair.hosts[1].endpoint.counters.flowsRefused).toBe(3);
  });
});

describe('flows that linger', () => {
  it('answer a FIN whose first answer was lost', () => {
    const pair = new Pair(1);
    let complete = 0;
    pair.network = (frame, from) => {
      const isComplete = from === 1 && frame.length === 24 && (frame.bytes[2] & 1) === 1;
      if (isComplete) complete++;
      return isComplete && complete <= 5 ? [] : [0];
    };
    const sources = pair.start(1_000);
    pair.runUntilClosed(sources, 5);
    expect(complete).toBe(6);
    expect(sources[0].closed).toBeNull();
  });

  it('do not count against the limit of flows, and are evicted when there are too many of them', () => {
    const pair = new Pair(1, { maxFlows: 4, maxLingering: 10, rateBps: 1e9 });
    for (let flow = 0; flow < 50; flow++) {
      const sources = pair.start(100);
      pair.runUntilClosed(sources, 1);
      expect(sources[0].closed).toBeNull();
    }
    // Each takes 50 ms here, and the linger time is 2 s: forty would linger.
    expect(pair.hosts[1].endpoint.counters.lingerEvictions).toBe(40);
    expect(pair.hosts[1].endpoint.flowCount).toBe(0);
  });
});
