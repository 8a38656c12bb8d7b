import { describe, expect, it, vi } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { MILLISECOND_NS, transmissionNs } from '../../../src/base/time.js';
import { DEFAULT_CONFIG, type EndpointConfig } from '../../../src/core/config.js';
import { DELAY_NS, KINDS, Pair } from '../../harness/pair.js';
import { pattern } from '../../harness/streams.js';

/** It takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

const MESSAGES = 500;
const GAP_NS = MILLISECOND_NS;
/** By then a path has proved the least receive window. */
const PROVING_MESSAGES = 20;

/** What a host of a real machine is told about its link, and its timers. */
const DEPLOYED = {
  rateBps: 10e9,
  hostCredits: 320,
  queueBoundNs: 1.3 * MILLISECOND_NS,
  queueBoundRtts: 1 / 4,
  timerSlackNs: 2.5 * MILLISECOND_NS,
} satisfies Partial<EndpointConfig>;

/** Each direction is slow now and then, as that of a process which has to wait for its core: all that is behind waits too. */
function slowNowAndThen(seed: number): Pair['network'] {
  const random = new SeededRandom(seed);
  const lastNs = [0, 0];
  return (_, from, nowNs) => {
    const extraNs = random.next() < 0.01 ? random.next() * 3 * MILLISECOND_NS : 0;
    lastNs[from] = Math.max(lastNs[from] + 1, nowNs + extraNs);
    return [lastNs[from] - nowNs];
  };
}

/** Messages on one open flow, each written at its own time, whether those before have arrived or not. */
function sendRow(pair: Pair, bytes: number): number[] {
  const flow = pair.hosts[0].endpoint.open(1, { onWritable: () => undefined, onClosed: () => undefined }, {}, 0);
  const waitsNs: number[] = [];
  const writtenNs: number[] = [];
  pair.onStep = () => {
    const received = pair.sinks[1].readers[0]?.received ?? 0;
    while ((waitsNs.length + 1) * bytes <= received) waitsNs.push(pair.nowNs - writtenNs[waitsNs.length]);
  };
  let dueNs = 0;
  for (let message = 0; message < MESSAGES; message++) {
    dueNs += GAP_NS * (0.9 + 0.4 * pair.random.next());
    pair.run(dueNs);
    expect(flow.write(pattern(message * bytes, bytes), pair.nowNs)).toBe(true);
    writtenNs.push(pair.nowNs);
  }
  pair.run(dueNs + 100 * MILLISECOND_NS);
  return waitsNs;
}

describe.each(KINDS.slice(0, 3))('a row of messages on an open flow, $kind', ({ changes }) => {
  it.each([
    [1, 1_024],
    [2, 1_024],
    [1, 4_096],
    [2, 4_096],
    [1, 16_384],
    [2, 16_384],
    [1, 65_536],
    [2, 65_536],
  ])('waits for no timeout, seed %i, messages of %i bytes', (seed, bytes) => {
    const pair = new Pair(seed, { ...DEPLOYED, ...changes });
    pair.network = slowNowAndThen(seed);
    const waitsNs = sendRow(pair, bytes);
    expect(waitsNs).toHaveLength(MESSAGES);
    expect(Math.max(...waitsNs)).toBeLessThan(DEFAULT_CONFIG.creditTimeoutNs);
  });
});

describe.each(KINDS.slice(1, 3))('a row of messages over a path that keeps its time, $kind', ({ changes }) => {
  it.each([1_024, 4_096, 16_384, 65_536])(
    'waits for no round trip once the path is proved, messages of %i bytes',
    (bytes) => {
      const waitsNs = sendRow(new Pair(1, { ...DEPLOYED, ...changes }), bytes).slice(PROVING_MESSAGES);
      expect(Math.max(...waitsNs)).toBeLessThan(2 * DELAY_NS + transmissionNs(bytes, DEPLOYED.rateBps));
    },
  );
});
