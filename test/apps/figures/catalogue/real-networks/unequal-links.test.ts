import { expect, it } from 'vitest';
import {
  ratioOfShares,
  unequal,
  unequalLinks,
} from '../../../../../src/apps/figures/catalogue/real-networks/unequal-links.js';
import { SeededRandom } from '../../../../../src/base/random.js';
import { parseScenario } from '../../../../../src/scenario/parse-scenario.js';
import { Paths } from '../../../../../src/sim/paths.js';
import { planFlows } from '../../../../../src/sim/traffic/plan-flows.js';
import { evaluated, madeUpFlow, madeUpRun, rowOf } from '../../made-up-runs.js';

function directions({ a, b }: { a: string; b: string }): string[] {
  return [`${a}->${b}`, `${b}->${a}`];
}

it.each(['receivers-core', 'receivers-edge', 'senders-core', 'senders-edge'] as const)(
  '%s: all flows share one link, which is the slowest of all, and half have a faster one',
  (shape) => {
    const scenario = parseScenario(unequal({ law: 'steady', shape, ratio: 40, flows: 8 }));
    const [bottleneck] = scenario.bottlenecks;
    const plans = planFlows(scenario.traffic, new SeededRandom(1), 1472);
    const paths = new Paths(scenario.topology);
    const crossed = plans.map(({ from, to }) => paths.between(from, to));
    const shared = crossed[0].filter((link) => crossed.every((path) => path.includes(link)));
    const narrow = shared.filter(({ port }) => port.rateBps === 1e9);
    expect(narrow).toHaveLength(1);
    expect(directions(narrow[0])).toContain(bottleneck);
    const own = crossed.map((path) => (shape.startsWith('receivers') ? path[path.length - 1] : path[0]).port.rateBps);
    const groups = plans.map(({ group }) => group);
    expect(own).toEqual(groups.map((group) => (group === 'fast' ? 40e9 : 1e9)));
    expect(groups.filter((group) => group === 'fast')).toHaveLength(8);
    expect(groups).toHaveLength(16);
  },
);

function shares(slow: number, fast: number) {
  return madeUpRun({
    flows: [madeUpFlow({ group: 'slow', goodputBps: slow }), madeUpFlow({ group: 'fast', goodputBps: fast })],
  });
}

it('takes the greater share over the lesser', () => {
  expect([ratioOfShares(shares(1, 4)), ratioOfShares(shares(4, 1))]).toEqual([4, 4]);
});

it('judges the ratio of shares', () => {
  const words = 'steady, receivers with faster links, one core link, 8 + 8 flows: ratio';
  for (const [fast, verdict] of [
    [1.25, 'met'],
    [1.35, 'missed'],
  ] as const) {
    const outcome = evaluated(unequalLinks, (key) => shares(1, key.endsWith('100') ? fast : 1), 'quick');
    expect(rowOf(outcome, words)).toMatchObject({ ours: `1.00, 1.00, ${fast}`, verdict });
  }
});
