import { describe, expect, it, vi } from 'vitest';
import { SECOND_NS } from '../../../src/base/time.js';
import { outcome, Pair } from '../../harness/pair.js';
import { Sink, Source } from '../../harness/streams.js';

/** Each takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

describe('a flow that the other side does not take', () => {
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
});
