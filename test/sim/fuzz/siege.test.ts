import { expect, it } from 'vitest';
import { besiege, siegeScenario } from '../../../src/sim/fuzz/hostile/siege.js';
import { scaledRuns, TEST_SEED, printSeed } from '../../harness/seeds.js';

printSeed();

const SIEGES = scaledRuns(8);
/** Half of what an honest neighbour would leave: floods of data without credits meet those with credits in queues that drop the last. */
const LEAST_PART = 0.5;

it('a liar that fills its link takes no more than twice what an honest host with full flows would', () => {
  for (let siege = 0; siege < SIEGES; siege++) {
    const scenario = siegeScenario(TEST_SEED + siege);
    for (const { from, to, part } of besiege(scenario)) {
      if (process.env.SHOW) console.log(TEST_SEED + siege, from, to, part.toFixed(2), scenario.hostile![0].tricks.join(), scenario.hostile![0].gapNs, scenario.hostile![0].spoofs);
      else
      expect(part, `seed ${TEST_SEED + siege}: flow ${from} to ${to}, ${scenario.hostile![0].tricks}`).toBeGreaterThan(
        LEAST_PART,
      );
    }
  }
});
