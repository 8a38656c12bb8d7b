import { afterEach, describe, expect, it } from 'vitest';
import { naive } from '../../src/core/credit/expresspass.js';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { workload } from '../../src/sim/traffic/workloads.js';
import { refusal } from './refusal.js';

const NEVER = Number.POSITIVE_INFINITY;
const trafficOf = (flow: unknown, topology: unknown = 'dumbbell') => parseScenario({ topology, flows: [flow] }).traffic;
const pairsOf = (flow: unknown, topology?: unknown) =>
  trafficOf(flow, topology).map((spec) => (spec.kind === 'flow' ? [spec.from, spec.to] : spec.kind));

describe('the flows of a scenario', () => {
  it('are endless, start at once and are one group of their kind where nothing is said', () => {
    expect(trafficOf({ from: 1, to: 'h5' })).toEqual([
      {
        kind: 'flow',
        group: 'flow',
        startNs: 0,
        startJitterNs: 0,
        from: 1,
        to: 5,
        bytes: NEVER,
        count: 1,
        stopNs: NEVER,
      },
    ]);
    expect(
      trafficOf({ from: 1, to: 5, bytes: '1MB', count: 3, start: '1ms', startJitter: '2us', stop: '9ms', group: 'a' }),
    ).toEqual([
      {
        kind: 'flow',
        group: 'a',
        startNs: 1e6,
        startJitterNs: 2_000,
        from: 1,
        to: 5,
        bytes: 1e6,
        count: 3,
        stopNs: 9e6,
      },
    ]);
  });

  it('go from each to each, from one to many and from many to one, but never to their own host', () => {
    expect(pairsOf({ from: '1-2', to: '5-6' })).toEqual([
      [1, 5],
      [2, 6],
    ]);
    expect(pairsOf({ from: 1, to: '5-7' })).toEqual([
      [1, 5],
      [1, 6],
      [1, 7],
    ]);
    expect(pairsOf({ from: 'all', to: 1 }, { name: 'star', hosts: 3 })).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  it('are the pairs of the topology, whatever its size', () => {
    expect(pairsOf('pairs', { pairs: 2 })).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(pairsOf('pairs', { name: 'parking-lot', bottlenecks: 2 })).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(pairsOf({ kind: 'pairs', hosts: '3-' }, { name: 'parking-lot', bottlenecks: 2 })).toEqual([
      [3, 4],
      [5, 6],
    ]);
    expect(pairsOf('pairs', { name: 'multi-bottleneck', receivers: 2 })).toEqual([
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
    expect(pairsOf('pairs', { name: 'star', hosts: 5 })).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('are a permutation, an incast or a shuffle', () => {
    const base = { startNs: 0, startJitterNs: 0 };
    const star = { name: 'star', hosts: 3 };
    expect(trafficOf('permutation', star)).toEqual([
      { kind: 'permutation', group: 'permutation', ...base, hosts: [1, 2, 3], bytes: NEVER },
    ]);
    expect(trafficOf({ kind: 'incast', to: 2 }, star)).toEqual([
      { kind: 'incast', group: 'incast', ...base, from: [1, 3], to: 2, bytes: NEVER, rounds: 1, everyNs: 0 },
    ]);
    expect(trafficOf({ from: 1, to: 2, rounds: 3, every: '1ms', bytes: 1500 }, star)).toMatchObject([
      { kind: 'incast', from: [1], rounds: 3, everyNs: 1e6, bytes: 1500 },
    ]);
    expect(trafficOf({ tasks: 8, hosts: [1, 3] }, star)).toEqual([
      { kind: 'shuffle', group: 'shuffle', ...base, hosts: [1, 3], tasks: 8, bytes: 1e6, rounds: 1 },
    ]);
  });

  it('may have an algorithm of their own, or credits', () => {
    const names = ['swift', 'credits', undefined].map((algorithm) => ({
      from: 1,
      to: 5,
      ...(algorithm && { algorithm }),
    }));
    const found = names.flatMap((each) => trafficOf(each)).map(({ windowAlgorithm }) => windowAlgorithm);
    expect(found).toEqual(['swift', '', undefined]);
  });

  it('arrive at a load of what the links of the senders carry, by a table', () => {
    const topology = { name: 'star', hosts: 4, rate: '1gbit' };
    expect(trafficOf({ load: 0.6, workload: 'web-server' }, topology)).toEqual([
      {
        kind: 'poisson',
        group: 'poisson',
        startNs: 0,
        startJitterNs: 0,
        from: [1, 2, 3, 4],
        to: [1, 2, 3, 4],
        sizes: workload('web-server'),
        load: 0.6,
        loadRateBps: 4e9,
        flows: 1000,
      },
    ]);
    const points = [
      ['100', '0%'],
      ['1kB', '100%'],
    ];
    expect(trafficOf({ load: 0.5, points, from: 1, to: '2-', loadRate: '3gbit', flows: 7 }, topology)).toMatchObject([
      {
        from: [1],
        to: [2, 3, 4],
        sizes: {
          points: [
            { bytes: 100, probability: 0 },
            { bytes: 1000, probability: 1 },
          ],
        },
        loadRateBps: 3e9,
        flows: 7,
      },
    ]);
  });

  it('offer a load of the links of those hosts that send', () => {
    const [spec] = trafficOf({ load: 0.5, workload: 'web-search', from: '1-2' }, { name: 'star', rate: '1gbit' });
    expect(spec).toMatchObject({ from: [1, 2], loadRateBps: 2e9 });
  });

  it.each([
    [{ to: 1 }, 'flows.0.kind is missing; allowed: flow, pairs, permutation, incast, shuffle, poisson'],
    [{ kind: 'burst' }, "flows.0.kind is 'burst'; allowed: flow, pairs"],
    [7, "flows.0 is '7'; allowed: a mapping with a kind"],
    [{ from: 1 }, 'flows.0.to is missing; allowed: all, ids'],
    [{ from: 1, to: 2, tasks: 3 }, "flows.0 has the unknown key 'from'"],
    [{ from: '1-3', to: '5-6' }, 'flows.0.to names 2 hosts and from 3; allowed: as many, or one'],
    [{ from: 1, to: 1 }, 'flows.0.to leaves no flow'],
    [{ from: 1, to: 2, bytes: 0 }, "flows.0.bytes is '0'; allowed: a size from 1 up"],
    [{ from: 1, to: 2, start: '2ms', stop: '1ms' }, 'flows.0.stop is not after the start'],
    [{ kind: 'pairs', hosts: '1-4' }, 'flows.0.hosts leaves no flow'],
    [{ kind: 'incast', to: '1-2' }, 'flows.0.to names 2 hosts; allowed: one of'],
    [{ kind: 'incast', to: 1, rounds: 2 }, 'flows.0.every is missing for 2 rounds; allowed: a time'],
    [{ kind: 'incast', to: 1, rounds: 2, every: '1ms' }, 'flows.0.bytes is endless with 2 rounds'],
    [{ kind: 'permutation', hosts: 1 }, 'flows.0.hosts names one host; allowed: two or more'],
    [{ load: 0.5 }, 'flows.0.workload is one of 0 size tables; allowed: one of workload, file, points'],
    [{ load: 0.5, workload: 'web-server', points: [[1, 1]] }, 'flows.0.workload is one of 2 size tables'],
    [{ load: 0.5, points: [[1, 0.5]] }, 'flows.0.points cannot be taken: size distribution'],
    [{ load: 0.5, points: [[1]] }, 'flows.0.points.0'],
    [{ load: 0.5, file: 'x.csv' }, "flows.0.file is 'x.csv', which was not read"],
    [{ load: 0.5, workload: 'web-server', from: 1, to: 1 }, 'flows.0.to is the sender itself'],
    [{ load: 0, workload: 'web-server' }, "flows.0.load is '0'; allowed: a number from"],
    [{ tasks: 1000 }, 'flows are 56000000 flows; allowed: at most 1000000'],
  ])('are refused where they cannot be: %j', (flow, sentence) => {
    expect(refusal({ flows: [flow] })).toContain(sentence);
  });

  it('need a rate for their load where links have none', () => {
    const flows = [{ load: 0.5, workload: 'web-server' }];
    expect(refusal({ topology: { rate: 'unlimited' }, flows })).toContain(
      'flows.0.loadRate is missing, and links of the senders are unlimited',
    );
  });
});

describe('weight and class of flows', () => {
  afterEach(() => {
    Reflect.deleteProperty(naive, 'takesWeights');
  });
  const parse = (flow: object, more: object = {}) =>
    parseScenario({ ...more, topology: 'dumbbell', flows: [{ from: 1, to: 5, ...flow }] }).traffic[0].share;

  it('are those of each flow of the entry', () => {
    Reflect.set(naive, 'takesWeights', true);
    expect(parse({})).toBeUndefined();
    expect(parse({ class: 'low' })).toEqual({ creditClass: 'low' });
    expect(parse({ weight: 3 }, { algorithm: 'naive' })).toEqual({ weight: 3 });
  });

  it('are refused where the algorithm of the receiver gives no weights', () => {
    expect(refusal({ algorithm: 'naive', topology: 'dumbbell', flows: [{ from: 1, to: 5, weight: 3 }] })).toBe(
      'flows.0.weight is 3, and naive gives no weights; allowed: 1',
    );
    expect(parse({ weight: 1 }, { algorithm: 'naive' })).toEqual({ weight: 1 });
  });

  it('are refused for flows without credits', () => {
    const flows = [{ kind: 'permutation', class: 'low' }];
    expect(refusal({ algorithm: 'dctcp', topology: 'dumbbell', flows })).toBe(
      'flows.0.class is given for flows of dctcp; allowed: for flows with credits',
    );
  });
});
