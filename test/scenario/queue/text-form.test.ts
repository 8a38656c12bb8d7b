import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { play } from '../../../src/scenario/play/play.js';
import { newProgress } from '../../../src/scenario/play/simulation-thread.js';
import { pack, unpack } from '../../../src/scenario/queue/text-form.js';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import type { Scenario } from '../../../src/sim/scenario.js';

const WORLDS = 50;

describe('scenarios and results that go through the queue', () => {
  it('come out as they went in', () => {
    for (let seed = 1; seed <= WORLDS; seed++) {
      const scenario = randomScenario(seed);
      expect(unpack(pack(scenario)), `seed ${seed}`).toStrictEqual(scenario);
    }
  });

  it('give the same run, whose result comes out as it went in', () => {
    const probes = { interval: '100us' };
    const scenario = parseScenario({ topology: { pairs: 2 }, flows: ['pairs'], duration: '1ms', probes });
    const [there, here] = [unpack<Scenario>(pack(scenario)), scenario].map((each) =>
      play({ scenario: each, progress: newProgress() }),
    );
    if (!('run' in there && 'run' in here)) throw new Error('a run failed');
    expect(there.run).toStrictEqual(here.run);
    expect(unpack(pack(here.run))).toStrictEqual(here.run);
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
