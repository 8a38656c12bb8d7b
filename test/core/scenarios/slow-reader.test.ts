import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { addFaults, TERRIBLE } from '../../harness/faults.js';
import { KINDS, Pair } from '../../harness/pair.js';
import { allowLongRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const WINDOW = 100_000;
const BYTES = 1_000_000;

/** One flow to a reader that keeps everything until it is told to release. */
function slowPair(seed: number, changes = {}) {
  const pair = new Pair(seed, { receiveWindowBytes: WINDOW, ...changes }, true);
  const sources = pair.start(BYTES);
  pair.run(200 * MILLISECOND_NS);
  const [reader] = pair.sinks[1].readers;
  let released = 0;
  const release = (bytes: number) => {
    const count = Math.min(bytes, reader.received - released);
    released += count;
    reader.flow.release(count, pair.nowNs);
  };
  return { pair, sources, reader, release };
}

describe.each(KINDS)('a reader of a $kind flow that is slow', ({ changes }) => {
  it('holds the sender back at the receive window, for as long as it likes', () => {
    const { pair, sources, reader } = slowPair(1, changes);
    expect(reader.received).toBeGreaterThan(WINDOW - 1_446);
    expect(reader.received).toBeLessThanOrEqual(WINDOW);
    const before = pair.frames;
    pair.run(60 * SECOND_NS);
    expect(reader.received).toBeLessThanOrEqual(WINDOW);
    expect([sources[0].closed, reader.closed]).toEqual([undefined, undefined]);
    // A request and an answer a second keep the flow alive.
    expect(pair.frames - before).toBeLessThan(3 * 60);
  });

  it('gets the rest as soon as it goes on, and the stream ends in order', () => {
    const { pair, sources, reader, release } = slowPair(1, changes);
    pair.run(5 * SECOND_NS);
    const { requests } = sources[0].flow.statistics;
    while (sources[0].closed === undefined && pair.nowNs < 20 * SECOND_NS) {
      release(WINDOW);
      pair.run(pair.nowNs + 20 * MILLISECOND_NS);
      expect(reader.flow.statistics.bytesHeld).toBeLessThanOrEqual(WINDOW);
    }
    expect(pair.nowNs).toBeLessThan(5.5 * SECOND_NS);
    expect([reader.received, reader.wrong, sources[0].closed]).toEqual([BYTES, 0, null]);
    // Every pause of 20 ms is a credit timeout.
    expect(sources[0].flow.statistics.requests - requests).toBeLessThan(30);
  });

  it('reads at its own pace all the time, on a bad network, and memory stays bounded', () => {
    for (let run = 0; run < 3; run++) {
      const { pair, sources, reader, release } = slowPair(TEST_SEED + run, { ...changes, rateBps: 1e9 });
      addFaults(pair, TERRIBLE);
      let most = 0;
      pair.onStep = () => {
        most = Math.max(most, reader.flow.statistics.bytesHeld);
      };
      while (sources[0].closed === undefined && pair.nowNs < 60 * SECOND_NS) {
        pair.run(pair.nowNs + 2 * MILLISECOND_NS);
        release(8_000);
      }
      expect([reader.received, reader.wrong, sources[0].closed]).toEqual([BYTES, 0, null]);
      expect(most).toBeLessThanOrEqual(WINDOW);
    }
  });

  it('may release after the flow is closed', () => {
    const { pair, reader, release } = slowPair(1, changes);
    reader.flow.reset(pair.nowNs);
    release(50_000);
    pair.run(pair.nowNs + SECOND_NS);
    expect(reader.closings).toBe(1);
  });
});
