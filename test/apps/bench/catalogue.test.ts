import { describe, expect, it } from 'vitest';
import { BENCHMARKS, selectBenchmarks } from '../../../src/apps/bench/catalogue.js';

function selected(...names: string[]): string[] {
  return selectBenchmarks(names).map(({ name }) => name);
}

const LOOPBACK = ['direct', 'switch'].flatMap((kind) =>
  ['1472/1', '1472/16', '1472/256', '8972/1', '8972/16', '8972/256', '60000/1'].map((work) => `${kind}/${work}`),
);

const DEMO = ['demo/4', 'demo/8', 'demo/16'];
const SIM = [
  'sim/dumbbell/2/1s',
  'sim/dumbbell/64/1s',
  'sim/dumbbell/1024/60ms',
  'sim/fat-tree/10000',
  'sim/shuffle/99840',
];

describe('the benchmarks', () => {
  it('have names of their own', () => {
    const names = BENCHMARKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [[], [...LOOPBACK, 'pacing/20000', 'parking-lot/naive', 'parking-lot/steady', ...DEMO, 'joining', ...SIM]],
    [['sim'], SIM],
    [['sim/dumbbell/2'], ['sim/dumbbell/2/1s']],
    [['sim/dumbbell/2/10ms'], ['sim/dumbbell/2/10ms']],
    [['demo'], DEMO],
    [['demo/8'], ['demo/8']],
    [['loopback'], LOOPBACK],
    [['direct/1472/1'], ['direct/1472/1']],
    [['loopback/direct/1472/1'], ['direct/1472/1']],
    [['switch/8972'], ['switch/8972/1', 'switch/8972/16', 'switch/8972/256']],
    [['loopback/switch/8972/1'], ['switch/8972/1']],
    [['direct/60000'], ['direct/60000/1']],
    [['switch/1472/256'], ['switch/1472/256']],
    [['switch/60000/256'], ['switch/60000/256']],
    [['pacing'], ['pacing/20000']],
    [
      ['pacing/50000', 'pacing/1000'],
      ['pacing/1000', 'pacing/50000'],
    ],
    [
      ['parking-lot', 'direct/1472/16'],
      ['direct/1472/16', 'parking-lot/naive', 'parking-lot/steady'],
    ],
    [['direct', 'direct/1472'], LOOPBACK.slice(0, 7)],
  ])('that %j means', (names, expected) => {
    expect(selected(...names)).toEqual(expected);
  });

  it.each(['nothing', 'direct/14', 'direct/1472/1/', 'loopbac', '', 'pacing/30000', '1472'])(
    "are not what '%s' means",
    (name) => {
      expect(() => selected('direct', name)).toThrow(`unknown benchmark '${name}'`);
    },
  );

  it('are only the short ones for a quick look, but for those that are asked for', () => {
    const quick = selectBenchmarks([], { quick: true }).map(({ name }) => name);
    expect(quick).toContain('direct/1472/1');
    expect(quick.filter((name) => [...DEMO, ...SIM, 'joining', 'parking-lot/naive'].includes(name))).toEqual([]);
    expect(selectBenchmarks(['joining'], { quick: true })).toHaveLength(1);
  });

  it('are listed for a name that means nothing', () => {
    expect(() => selected('parking-lots')).toThrow(
      /did you mean 'parking-lot'\?; allowed: the groups loopback, pacing, parking-lot, .* direct\/1472\/1, /,
    );
  });
});
