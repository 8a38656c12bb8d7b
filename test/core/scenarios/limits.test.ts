import { describe, expect, it, vi } from 'vitest';
import { crc32 } from '../../../src/base/crc32.js';
import { SECOND_NS } from '../../../src/base/time.js';
import { encodeRequest } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { RequestFlag } from '../../../src/wire/layout.js';
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
      frame.length = encodeRequest(frame.bytes, header, fields, crc32);
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
