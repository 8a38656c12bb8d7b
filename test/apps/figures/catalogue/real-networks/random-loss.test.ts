import { expect, it } from 'vitest';
import {
  jainOfArrivals,
  lossSettings,
  lossyDumbbell,
  RATES,
  randomLoss,
  rttNs,
  rttsToFollow,
  rttsUntilFair,
} from '../../../../../src/apps/figures/catalogue/real-networks/random-loss.js';
import { SeededRandom } from '../../../../../src/base/random.js';
import { parseScenario } from '../../../../../src/scenario/parse-scenario.js';
import type { SimulationRun } from '../../../../../src/sim/result.js';
import { Impairment } from '../../../../../src/switch/impairment.js';
import { FrameType } from '../../../../../src/wire/layout.js';
import { evaluated, madeUpLink, madeUpRun, rowOf } from '../../made-up-runs.js';

/** Use of links in each RTT. */
function sampled(links: readonly (readonly number[])[]): SimulationRun {
  const series = { links: links.map((utilisation) => ({ utilisation: Float64Array.from(utilisation) })), flows: [] };
  return { ...madeUpRun(), series: series as never };
}

function rtts(count: number, part: number): number[] {
  return new Array<number>(count).fill(part);
}

it('has RTTs that fit the speeds', () => {
  expect(RATES.map(rttNs)).toEqual([5e6, 1e6, 100e3, 100e3]);
});

it.each([0.001, 0.03, 0.1])('loses the part %d of all frames, in bursts of 8 too', (loss) => {
  for (const kind of ['uniform', 'bursts'] as const) {
    const document = lossyDumbbell({ law: 'steady', rate: '10gbit', pairs: 1, kind, loss });
    const [core] = parseScenario(document).topology.links.filter(({ name }) => name === 'left-right');
    const impairment = new Impairment(new SeededRandom(7));
    impairment.configure(core.impairment);
    const frames = 2e6;
    let lost = 0;
    let bursts = 0;
    let before = 0;
    for (let frame = 0; frame < frames; frame++) {
      const verdict = impairment.judge(FrameType.data, 100);
      if (verdict !== 0) lost++;
      if (verdict !== 0 && before === 0) bursts++;
      before = verdict;
    }
    // 250 bursts of 8 +- 8 frames at the least: five standard deviations are 0.45 of the mean there, and less where more is lost.
    expect(Math.abs(lost / frames / loss - 1)).toBeLessThan(loss < 0.01 ? 0.45 : 0.1);
    if (kind === 'bursts') expect(lost / bursts).toBeGreaterThan(6);
    else expect(lost / bursts).toBeLessThan(1.2);
  }
});

it('loses nothing without loss', () => {
  expect(lossSettings('bursts', 0)).toEqual({});
});

it('counts RTTs until both flows have what loss leaves', () => {
  const before = rtts(30, 0.9);
  const slow = [...before, ...rtts(4, 0.8), ...rtts(36, 0.405)];
  const joined = [...rtts(30, 0), ...rtts(6, 0.1), ...rtts(34, 0.405)];
  expect(rttsUntilFair(sampled([slow, joined]), 0.1)).toBe(6);
  expect(rttsUntilFair(sampled([slow, [...rtts(70, 0)]]), 0.1)).toBe(40);
  // Equal shares of a link that is mostly idle are not the fair share.
  expect(rttsUntilFair(sampled([rtts(70, 0.05), rtts(70, 0.05)]), 0.1)).toBe(40);
});

it('counts RTTs from a change until the rate stays at what loss leaves', () => {
  const followed = [...rtts(110, 1), ...rtts(90, 0.97), ...rtts(100, 1)];
  expect(rttsToFollow(sampled([followed]))).toEqual([0, 0]);
  const late = [...rtts(100, 1), ...rtts(30, 0.5), ...rtts(70, 0.97), ...rtts(10, 0.1), ...rtts(90, 1)];
  expect(rttsToFollow(sampled([late]))).toEqual([30, 10]);
  const never = [...rtts(100, 1), ...rtts(200, 0.5)];
  expect(rttsToFollow(sampled([never]))).toEqual([96, 96]);
});

/** Runs of the figure in which ours sends `part` of what loss leaves, with two flows that share as `shares` say. */
function lossRun(key: string, part: number, shares: readonly [number, number]): SimulationRun {
  if (key.startsWith('join')) return sampled([rtts(70, 0.5), rtts(70, 0.5)]);
  if (key.startsWith('change')) return sampled([rtts(300, 1)]);
  const loss = Number(key.split('-').at(-1)) / 100;
  const flows = loss === 0 ? [1, 1] : shares;
  return madeUpRun({
    utilisation: (1 - loss) * part,
    links: flows.map((utilisation, at) => madeUpLink({ name: `right->h${at + 3}`, utilisation })),
  });
}

it('takes fairness of what arrives at the receivers, not of what is in order there', () => {
  expect(jainOfArrivals(lossRun('steady-1', 1, [1, 0]))).toBe(0.5);
});

it('judges use and fairness', () => {
  const words = ['100gbit, bursts: part of what loss leaves', "100gbit, bursts: Jain's index"];
  const good = evaluated(randomLoss, (key) => lossRun(key, 0.96, [1, 0.9]), 'quick');
  expect(words.map((each) => rowOf(good, each).verdict)).toEqual(['met', 'met']);
  expect(rowOf(good, words[0]).ours).toBe('0.960, 0.960, 0.960, 0.960');
  const bad = evaluated(randomLoss, (key) => lossRun(key, 0.94, [1, 0.5]), 'quick');
  expect(words.map((each) => rowOf(bad, each).verdict)).toEqual(['missed', 'missed']);
});
