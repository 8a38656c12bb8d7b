import { expect, it } from 'vitest';
import { besiege, siegeScenario } from '../../../src/sim/fuzz/hostile/siege.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const SIEGES = scaledRuns(5);
/**
 * The least of 37 flows in 16 sieges was 0.88 (seeds 1 to 16). Ours: honest neighbours differ by a tenth from their shares, and half of them is what
 * a liar may take at most.
 */
const LEAST_PART = 0.5;
const TIMEOUT_MS = 900_000;

it(
  'a liar takes no more than half of what an honest host with full flows would leave to others',
  () => {
    for (let siege = 0; siege < SIEGES; siege++) {
      const scenario = siegeScenario(TEST_SEED + siege);
      for (const { from, to, part } of besiege(scenario)) {
        const where = `seed ${scenario.seed}: flow from ${from} to ${to} under ${scenario.hostile?.[0].tricks}`;
        expect(part, where).toBeGreaterThan(LEAST_PART);
      }
    }
  },
  TIMEOUT_MS,
);
