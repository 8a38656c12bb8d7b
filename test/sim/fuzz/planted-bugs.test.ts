import { describe, expect, it } from 'vitest';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import { type Finding, tryScenario } from '../../../src/sim/fuzz/trial.js';
import type { MakeFabric } from '../../../src/sim/world.js';
import { allowLongRuns, TEST_SEED } from '../../harness/seeds.js';
import { PLANTED_BUGS } from './planted-bugs.js';

allowLongRuns();

/** Within so many worlds a wrong switch has to be found. */
const MOST_SEEDS = 1_000;

function firstFinding(makeFabric: MakeFabric): Finding | null {
  for (let world = 0; world < MOST_SEEDS; world++) {
    const { finding } = tryScenario(randomScenario(TEST_SEED + world), makeFabric);
    if (finding !== null) return finding;
  }
  return null;
}

describe('the checks of random worlds', () => {
  it.each(PLANTED_BUGS)('find a switch that %s', (_, makeFabric, checks) => {
    expect(checks).toContain(firstFinding(makeFabric)?.check);
  });
});
