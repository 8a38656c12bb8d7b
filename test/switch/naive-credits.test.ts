import { describe, expect, it } from 'vitest';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { creditShare, DEFAULT_FRAME_BYTES } from '../../src/wire/layout.js';
import { FULL_WIRE_BYTES, testSeed } from './frames.js';
import { NaiveCredits, type NaiveFlow } from './naive-credits.js';

const RATE_BPS = 1e10;
const WARM_UP_NS = 3e6;
const END_NS = 13e6;
/** Wire bytes of data that a link carries in the measured time when every credit that it lets through is used. */
const DATA_SHARE_BYTES = ((1 - creditShare(DEFAULT_FRAME_BYTES)) * RATE_BPS * (END_NS - WARM_UP_NS)) / 8e9;
const seed = testSeed();
/** Each test takes a second of a core, which may be shared with other tests. */
const SLOW_MACHINE_MS = 30_000;

/** The chain's links under one flow over all of them and one over each; links of 4 us as in the authors' runs. */
function parkingLot(bottlenecks: number, runSeed: number) {
  const flows: NaiveFlow[] = [{ sender: 1, receiver: 2 }];
  for (let link = 1; link <= bottlenecks; link++) flows.push({ sender: 2 * link + 1, receiver: 2 * link + 2 });
  const topology = builtinTopology('parking-lot', { bottlenecks, rateBps: RATE_BPS, delayNs: 4000 });
  const options = { topology, flows, seed: runSeed, rateBps: RATE_BPS, maxCreditWireBytes: 92, jitter: 0.1 };
  const world = new NaiveCredits(options);
  world.run(WARM_UP_NS);
  world.fabric.resetStatistics(WARM_UP_NS);
  world.run(END_NS);
  const ports = world.fabric.statistics(END_NS).filter(({ name }) => /^s\d+->s\d+$/.test(name));
  const forward = ports.filter(({ data }) => data.frames > 0);
  return { utilisations: forward.map(({ data }) => data.wireBytes / DATA_SHARE_BYTES), ports, forward };
}

describe('credits at full rate, whatever becomes of them', () => {
  it(
    'fill one bottleneck with data and nothing more',
    () => {
      const { utilisations, ports, forward } = parkingLot(1, seed);
      expect(utilisations[0], `seed ${seed}`).toBeGreaterThan(0.995);
      expect(utilisations[0], `seed ${seed}`).toBeLessThan(1.005);
      expect(forward[0].dataQueueBytesMax, `seed ${seed}`).toBeLessThanOrEqual(2 * FULL_WIRE_BYTES);
      const credits = ports.find(({ credit }) => credit.frames > 0);
      expect(credits?.creditQueueFramesMax).toBe(8);
      expect(credits?.drops.creditQueueFull, `seed ${seed}`).toBeGreaterThan(1000);
    },
    SLOW_MACHINE_MS,
  );

  // Means of four seeds. One run has a standard deviation of 0.04 (16 seeds), so that 0.1 is five of a mean's. The authors' code
  // gives 0.79 and 0.57 with credits of 76 to 92 B, the paper 0.83 and 0.60; credits of 84 to 92 B are more alike and drop more in step.
  it.each([
    [2, 0.77],
    [6, 0.51],
  ])(
    'waste what several bottlenecks in a row drop: the lowest of %i links is about %d full',
    (links, expected) => {
      const lowest = [0, 1, 2, 3].map((run) => {
        const { utilisations, forward } = parkingLot(links, seed + run);
        expect(Math.max(...utilisations), `seed ${seed + run}`).toBeLessThan(1.005);
        for (const { drops } of forward) expect(drops.dataQueueFull).toBeUndefined();
        return Math.min(...utilisations);
      });
      const mean = lowest.reduce((sum, one) => sum + one) / lowest.length;
      expect(Math.abs(mean - expected), `seed ${seed}`).toBeLessThan(0.1);
    },
    SLOW_MACHINE_MS,
  );
});
