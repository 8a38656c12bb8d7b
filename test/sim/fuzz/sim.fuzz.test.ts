import { describe, expect, it } from 'vitest';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import { tryScenario } from '../../../src/sim/fuzz/trial.js';
import { simulate } from '../../../src/sim/simulate.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

/** In a usual run, and how many of them are played twice. */
const WORLDS = scaledRuns(150);
const REPEATED = scaledRuns(5);
/** Some seconds on a core of its own. */
const TIMEOUT_MS = 900_000;

describe('random worlds', () => {
  it(
    'keep every byte, frame, credit and timer after each event, and come to their end when their faults have',
    () => {
      let events = 0;
      for (let world = 0; world < WORLDS; world++) {
        const seed = TEST_SEED + world;
        const trial = tryScenario(randomScenario(seed));
        const { finding } = trial;
        const again = `to see it again: npm run fuzz:sim -- --seed ${seed}`;
        if (finding !== null) expect.fail(`seed ${seed}: ${finding.sentence} (${finding.check}); ${again}`);
        events += trial.events;
      }
      // Or the worlds would only show that nothing happens to them.
      expect(events / WORLDS).toBeGreaterThan(500);
    },
    TIMEOUT_MS,
  );

  it(
    'give the same result to the last bit when they are played again',
    () => {
      for (let world = 0; world < REPEATED; world++) {
        const scenario = randomScenario(TEST_SEED + world);
        const results = [scenario, scenario].map((each) => simulate(each, { slowdowns: false }).result);
        expect(results[1], `seed ${TEST_SEED + world}`).toEqual(results[0]);
      }
    },
    TIMEOUT_MS,
  );
});
