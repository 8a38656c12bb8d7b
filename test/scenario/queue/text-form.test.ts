import { describe, expect, it } from 'vitest';
import { play } from '../../../src/scenario/play/play.js';
import { newProgress } from '../../../src/scenario/play/simulation-thread.js';
import { pack, unpack } from '../../../src/scenario/queue/text-form.js';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import type { Scenario } from '../../../src/sim/scenario.js';

/** Worlds that are played: of some hundred frames, so that they take milliseconds. */
const PLAYED = 2;
const FRAMES = 50;
const WORLDS = 50;

function runOf(scenario: Scenario) {
  const answer = play({ scenario, progress: newProgress() });
  return 'run' in answer ? answer.run : answer.error.message;
}

describe('scenarios and results that go through the queue', () => {
  it('come out as they went in', () => {
    for (let seed = 1; seed <= WORLDS; seed++) {
      const scenario = randomScenario(seed);
      expect(unpack(pack(scenario)), `seed ${seed}`).toStrictEqual(scenario);
    }
  });

  it('give the same run, whose result comes out as it went in', () => {
    for (let seed = 1; seed <= PLAYED; seed++) {
      const world = randomScenario(seed, FRAMES);
      const durationNs = Math.min(world.durationNs, 2e6);
      const scenario = { ...world, durationNs, probes: { ...world.probes, intervalNs: durationNs / 20 } };
      const through = unpack<Scenario>(pack(scenario));
      expect(through, `seed ${seed}`).toStrictEqual(scenario);
      const run = runOf(scenario);
      expect(runOf(through), `seed ${seed}`).toStrictEqual(run);
      expect(unpack(pack(run)), `seed ${seed}`).toStrictEqual(run);
    }
  });

  it('keep what JSON lacks, and the order of keys', () => {
    const value = {
      z: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -0, 0.1 + 0.2, 5e-324],
      a: { missing: undefined, none: null, list: [undefined] },
      series: new Float64Array([1.5, Number.NaN, -0]),
    };
    const through = unpack<typeof value>(pack(value));
    expect(through).toStrictEqual(value);
    expect(Object.keys(through)).toEqual(['z', 'a', 'series']);
  });

  it('are plain: anything else is our bug', () => {
    expect(() => pack({ when: new Map() })).toThrow('plain objects');
    expect(() => pack({ $: 'NaN' })).toThrow('marks what JSON lacks');
  });
});
