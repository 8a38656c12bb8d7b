import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { inTurns } from '../../../src/sim/parts/in-turns.js';
import { OnlyWhole } from '../../../src/sim/parts/only-whole.js';
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

/** Hosts at two ends of a row of switches, the middle one of which has two ways to each end. */
const TWICE_TWO_PATHS = {
  hosts: [1, 2, 3, 4].map((id) => ({ id })),
  switches: ['left', 'a', 'b', 'middle', 'c', 'd', 'right'].map((name) => ({ name })),
  defaults: { rate: '1gbit', delay: '2us' },
  links: [
    ...['h1', 'h2', 'a', 'b'].map((a) => ({ a, b: 'left' })),
    ...['a', 'b', 'c', 'd'].map((a) => ({ a, b: 'middle' })),
    ...['h3', 'h4', 'c', 'd'].map((a) => ({ a, b: 'right' })),
  ],
};

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
  'corrupted frames between parts': {
    payload: 'bytes',
    topology: { ...SMALL_TREE, core: { corrupt: '2%' } },
    flows: [{ ...POISSON, flows: 20 }],
  },
  'paths that part again behind the cut': {
    topology: TWICE_TWO_PATHS,
    flows: [
      { from: '1,2', to: '3,4', bytes: '20KB', count: 4 },
      { from: '3,4', to: '1,2', bytes: '20KB', count: 4 },
    ],
  },
  'faults of links and switches': {
    faults: [
      { at: '200us', link: 'agg1-core1', down: true },
      { at: '300us', restart: 'core2', for: '100us' },
      { at: '700us', link: 'agg1-core1', down: false },
    ],
  },
};

/** By the reason for which one thread plays them. */
const WHOLE_WORLDS: Record<string, object> = {
  'its ties are not those of places (--set ties=places)': { ties: 'deadlines' },
  'its hosts hang on too few switches': {
    topology: { name: 'star', hosts: 4 },
    flows: [{ from: 1, to: 2, bytes: '1MB' }],
  },
  'a link between its parts has no delay': { topology: { ...SMALL_TREE, core: { delay: '0us' } } },
  'a link between its parts may reorder frames': { topology: { ...SMALL_TREE, core: { reorder: '1%' } } },
  "it has a fault of the kind 'hostCrash'": { faults: [{ at: '1ms', crash: 'h1', for: '1ms' }] },
  "it has a fault of the kind 'reader'": { faults: [{ at: '1ms', reader: 'h1', rate: '1gbit' }] },
  'it is sampled along the way': { probes: { interval: '1ms' } },
  'flows start when others have ended': {
    flows: [{ kind: 'shuffle', hosts: '1-4', tasks: 1, bytes: '1kB', rounds: 2 }],
  },
  'a flow is stopped at a time': { flows: [{ from: 1, to: 9, stop: '1ms' }] },
  'a flow between its parts failed (unreachable)': {
    parameters: {},
    duration: '30s',
    topology: { name: 'dumbbell', pairs: 2, rate: '1gbit', core: { delay: '10ms', down: true } },
    flows: [{ kind: 'pairs', bytes: '10kB' }],
  },
};

describe('a world in parts', () => {
  it.each(Object.entries(WORLDS))('gives the result of the whole: %s', (_, document) => {
    const scenario = scenarioOf(document);
    const whole = text(simulate(scenario).result);
    expect(text(inTurns(scenario, 2))).toBe(whole);
    expect(text(inTurns(scenario, 2, 1))).toBe(whole);
  });

  it.each(Object.entries(WHOLE_WORLDS))('is refused where it has to be played whole: %s', (reason, document) => {
    expect(() => inTurns(scenarioOf(document), 2)).toThrow(new OnlyWhole(reason));
  });

  it('gives it in three parts too', () => {
    const scenario = scenarioOf({});
    expect(text(inTurns(scenario, 3, 2))).toBe(text(simulate(scenario).result));
  });
});
