import { describe, expect, it } from 'vitest';
import type { Crossing } from '../../../src/sim/judge/flow-paths.js';
import { lossyShares } from '../../../src/sim/judge/shares.js';
import { simulate } from '../../../src/sim/simulate.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import { checkTopology } from '../../../src/switch/topology.js';
import { flow, scenarioWith } from '../../harness/simulations.js';

/** Payload on the data share of 10 Gbit/s: 1538 wire bytes of 1626 (a credit has 88), 1446 of them payload. */
const FULL_BPS = 10e9 * (1538 / 1626) * (1446 / 1538);

const RATE = { rateBps: 10e9, delayNs: 1000 };

/** A star whose host 1 has this loss on its link. */
function star(lossRate: number, hosts = 3) {
  return checkTopology({
    hosts: Array.from({ length: hosts }, (_, at) => ({ id: at + 1 })),
    switches: [{ name: 's' }],
    links: Array.from({ length: hosts }, (_, at) => ({
      a: `h${at + 1}`,
      b: 's',
      ...RATE,
      ...(at === 0 && { lossRate }),
    })),
  });
}

function path(from: number, to: number): Crossing[] {
  return [
    { link: from - 1, forward: true },
    { link: to - 1, forward: false },
  ];
}

describe('max-min shares of what loss leaves', () => {
  it('are equal parts of the payload on the data share where nothing is lost', () => {
    const shares = lossyShares(star(0), [path(1, 3), path(2, 3)]);
    for (const share of shares) expect(share / (FULL_BPS / 2)).toBeCloseTo(1, 9);
  });

  it('of a lone flow are what survives as a credit behind the tightest meter and as data', () => {
    // Of credits that the meter of the lossy link passes half get through, and half of their data.
    expect(lossyShares(star(0.5), [path(1, 3)])[0] / FULL_BPS).toBeCloseTo(0.25, 9);
    // The receiver's own link loses half of the credits that its meter passed, and half of the data.
    expect(lossyShares(star(0.5), [path(3, 1)])[0] / FULL_BPS).toBeCloseTo(0.25, 9);
  });

  it('let a flow pay for its losses on the links that it shares', () => {
    // Into host 3: flow 1 takes 4 for each unit, flow 2 takes 1; 5 units fill the link.
    const into = lossyShares(star(0.5), [path(1, 3), path(2, 3)]);
    for (const share of into) expect(share / FULL_BPS).toBeCloseTo(0.2, 9);
    // Credits that are lost on the way to the sender's link have not passed its meter: only the data of flow 3 to 1 is lost behind the link of host 3.
    const outOf = lossyShares(star(0.5), [path(3, 1), path(3, 2)]);
    expect(outOf[0] / FULL_BPS).toBeCloseTo(0.25, 9);
    expect(outOf[1] / FULL_BPS).toBeCloseTo(0.5, 9);
  });

  it('are what metered credits give a lone flow that asks for all', () => {
    for (const lossRate of [0, 0.03, 0.1]) {
      const topology = builtinTopology('dumbbell', { pairs: 1, ...RATE, core: { lossRate } });
      const endpoint = { creditAlgorithm: 'naive' };
      const scenario = { traffic: [flow(1, 2)], durationNs: 20e6, warmUpNs: 10e6, host: { endpoint } };
      const { result } = simulate(scenarioWith({ topology, ...scenario }));
      const way = ['h1', 'left-right', 'h2'].map((name) => topology.links.findIndex((link) => link.name === name));
      const crossed = way.map((link, at) => ({ link, forward: at < 2 }));
      const [share] = lossyShares(topology, [crossed]);
      // Losses of 8,000 frames: a standard deviation of 0.4 %.
      expect(Math.abs(result.flows[0].goodputBps / share - 1), `loss ${lossRate}`).toBeLessThan(0.015);
    }
  });
});
