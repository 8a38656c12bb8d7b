import { expect, it, vi } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { frameType } from '../../../src/wire/decode.js';
import { FrameType } from '../../../src/wire/layout.js';
import { Pair } from '../../harness/pair.js';
import { pattern } from '../../harness/streams.js';
import { INTACT, LOST } from '../../harness/world.js';

/** It takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

const WRITES = 60;

/** A stream that grows now and then by some bytes; `waitsNs`: from each write until its reader had it. */
function grow(seed: number, lossRate: number): { waitsNs: number[]; credits: number; data: number } {
  const pair = new Pair(seed, { rateBps: 1e9 });
  const random = new SeededRandom(seed);
  const count = { credits: 0, data: 0 };
  pair.network = (frame) => {
    const type = frameType(frame.bytes);
    if (type === FrameType.credit) count.credits++;
    if (type === FrameType.data) count.data++;
    return random.next() < lossRate ? LOST : INTACT;
  };
  const writer = { onWritable: () => undefined, onClosed: () => undefined };
  const flow = pair.hosts[0].endpoint.open(1, writer, {}, 0);
  const waitsNs: number[] = [];
  let written = 0;
  for (let write = 0; write < WRITES; write++) {
    const sinceNs = pair.nowNs;
    const bytes = Math.ceil(10 ** (random.next() * 4.5));
    expect(flow.write(pattern(written, bytes), pair.nowNs)).toBe(true);
    written += bytes;
    if (random.next() < 0.3 && write < WRITES - 1) continue;
    while ((pair.sinks[1].readers[0]?.received ?? 0) < written && pair.nowNs < sinceNs + 5 * SECOND_NS)
      pair.run(pair.nowNs + MILLISECOND_NS / 20);
    waitsNs.push(pair.nowNs - sinceNs);
    // Sooner and later than the sender stops its credits.
    pair.run(pair.nowNs + random.next() * 2 * MILLISECOND_NS);
  }
  expect(pair.sinks[1].readers[0]).toMatchObject({ received: written, wrong: 0 });
  return { waitsNs, ...count };
}

it.each([1, 2, 3])(
  'a stream that grows now and then has its bytes there without waiting for a timeout, seed %i',
  (seed) => {
    const { waitsNs, credits, data } = grow(seed, 0);
    expect(Math.max(...waitsNs)).toBeLessThan(3 * MILLISECOND_NS);
    expect(credits / data).toBeLessThan(1.5);
  },
);

it.each([1, 2, 3])(
  'and where a tenth of all frames is lost, the repair of each is all that it waits for, seed %i',
  (seed) => {
    const { waitsNs } = grow(seed, 0.1);
    expect(Math.max(...waitsNs)).toBeLessThan(SECOND_NS);
  },
);
