import { expect, it, vi } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { Pair } from '../../harness/pair.js';
import { Source } from '../../harness/streams.js';

/** It takes some seconds on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 120_000 });

const RATE_BPS = 30e6;
const LOAD = 0.5;
const FLOW_BYTES = 100_000;
const SECONDS = 12;

/** Flows that come at random, to a host and from one that read their frames late: how many are under way after each second. */
function underWay(lateNs: number, seed: number): number[] {
  const pair = new Pair(seed, { rateBps: RATE_BPS, queueBoundNs: 1.3 * MILLISECOND_NS, hostCredits: 128 });
  const random = new SeededRandom(seed);
  const exponential = (meanNs: number) => -Math.log(1 - random.next()) * meanNs;
  const wakesNs = [0, 0];
  pair.network = ({ peer: to, atNs }) => {
    if (atNs > wakesNs[to]) wakesNs[to] = atNs + exponential(lateNs);
    return [wakesNs[to] - atNs];
  };
  const sources: Source[] = [];
  let nextNs = 0;
  return Array.from({ length: SECONDS }, (_, second) => {
    const untilNs = (second + 1) * SECOND_NS;
    for (; nextNs < untilNs; nextNs += exponential((FLOW_BYTES * 8e9) / (LOAD * RATE_BPS))) {
      pair.run(nextNs);
      sources.push(new Source(pair, FLOW_BYTES, FLOW_BYTES).start(0, 1));
    }
    pair.run(untilNs);
    return sources.filter(({ closed }) => closed === undefined).length;
  });
}

// With the shortest RTT alone as the one of an empty link, 44 to 143 were under way after twelve seconds, and more with each.
it.each([2, 4])('flows of half the load do not pile up where frames are read %i ms late', (lateMs) => {
  const counts = underWay(lateMs * MILLISECOND_NS, 1);
  expect(counts.at(-1)).toBeLessThan(30);
});
