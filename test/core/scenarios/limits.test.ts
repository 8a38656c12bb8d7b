import { describe, expect, it, vi } from 'vitest';
import { crc32 } from '../../../src/base/crc32.js';
import { SECOND_NS } from '../../../src/base/time.js';
import { Frame } from '../../../src/wire/frame.js';
import { CreditRequest } from '../../../src/wire/frames.js';
import { RequestFlag } from '../../../src/wire/layout.js';
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

describe('a forged request', () => {
  it('makes a host send at most three times its bytes to the victim, however often it is repeated', () => {
    const pair = new Pair(1);
    const received: number[] = [];
    pair.network = (frame, from) => {
      if (from === 1) received.push(frame.wireBytes);
      return [];
    };
    let forgedBytes = 0;
    for (let request = 0; request < 50; request++) {
      const frame = new Frame(new Uint8Array(64));
      const fields = {
        flags: RequestFlag.open,
        sentOffset: 0,
        probe: request,
        maxFrameBytes: 1_472,
        pairedFlowId: 0,
        weight: 1,
        backlog: 1,
      };
      const header = { destination: 0, source: 0, flowId: 1 + (request % 3) };
      frame.length = CreditRequest.encode(frame.bytes, header, fields, crc32);
      forgedBytes += frame.wireBytes;
      pair.inject(frame, 0, 1);
      pair.run(pair.nowNs + 0.3 * SECOND_NS);
      expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3 * forgedBytes);
    }
    pair.run(pair.nowNs + 30 * SECOND_NS);
    expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(3 * forgedBytes);
    expect(pair.hosts[1].endpoint.flowCount).toBe(0);
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
