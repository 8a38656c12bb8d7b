import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { inTurns } from '../../../src/sim/parts/in-turns.js';
import type { SimulationResult } from '../../../src/sim/result.js';
import type { Scenario } from '../../../src/sim/scenario.js';
import { simulate } from '../../../src/sim/simulate.js';

const SMALL_TREE = { name: 'fat-tree', pods: 4, coreSwitches: 2, rate: '10gbit', delay: '4us' };
const POISSON = { kind: 'poisson', workload: 'web-server', load: 0.6, loadRate: '40gbit', flows: 120 };

function scenarioOf(document: object): Scenario {
  return parseScenario({ ties: 'places', topology: SMALL_TREE, flows: [POISSON], ...document });
}

/** As JSON, so that the order of fields counts too. */
const text = (result: SimulationResult): string => JSON.stringify(result, null, 1);

const INFINITE_SHARE = { warmUp: '1ms', duration: '4ms' };
const LOSSY = { loss: '1%', jitter: '2us', duplicate: '1%' };

const WORLDS: Record<string, object> = {
  'a fat tree': {},
  'a fat tree with another seed': { seed: 2 },
  'a fat tree with bytes': { payload: 'bytes', flows: [{ ...POISSON, flows: 20 }] },
  'endless flows across a dumbbell': {
    ...INFINITE_SHARE,
    topology: { name: 'dumbbell', pairs: 16, rate: '10gbit', core: { delay: '30us' } },
    flows: [{ kind: 'pairs' }],
  },
  'flows without credits, marks and drops': {
    ...INFINITE_SHARE,
    algorithm: 'dctcp',
    topology: { name: 'dumbbell', pairs: 8, rate: '10gbit', dataQueue: '30KB', core: { delay: '30us' } },
    flows: [{ kind: 'pairs' }],
  },
  'an incast, all of whose receivers are in one part': {
    flows: [{ kind: 'incast', from: '2-12', to: 1, bytes: '100KB' }],
  },
  'impaired links between parts': { seed: 3, topology: { ...SMALL_TREE, core: LOSSY } },
  'faults of links and switches': {
    faults: [
      { at: '200us', link: 'agg1-core1', down: true },
      { at: '300us', restart: 'core2', for: '100us' },
      { at: '700us', link: 'agg1-core1', down: false },
    ],
  },
};

describe('a world in parts', () => {
  it.each(Object.entries(WORLDS))('gives the result of the whole: %s', (_, document) => {
    const scenario = scenarioOf(document);
    const whole = text(simulate(scenario).result);
    expect(text(inTurns(scenario, 2))).toBe(whole);
    expect(text(inTurns(scenario, 2, 1))).toBe(whole);
  });

  it('gives it in three parts too', () => {
    const scenario = scenarioOf({});
    expect(text(inTurns(scenario, 3, 2))).toBe(text(simulate(scenario).result));
  });
});
