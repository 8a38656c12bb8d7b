import { expect, it } from 'vitest';
import {
  joiningDocument,
  LAST_RTT,
  RTT_NS,
  rttsUntilWithin,
  sharesSinceJoin,
} from '../../../../src/apps/figures/blocks/joining.js';
import { payloadBps } from '../../../../src/apps/figures/blocks/payload.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import type { SimulationRun } from '../../../../src/sim/result.js';
import { simulate } from '../../../../src/sim/simulate.js';

const JOIN_RTTS = 50;
const FAIR_BPS = payloadBps(10e9) / 2;

/** A run in which the running flow has these parts of the fair share in the RTTs after the join, and the other one what is left. */
function runWith(parts: readonly number[]): SimulationRun {
  const before = Array.from({ length: JOIN_RTTS }, () => 2);
  const running = [...before, ...parts, ...Array.from({ length: LAST_RTT - parts.length }, () => 2)];
  const flow = (shares: readonly number[]) => ({ goodputBps: Float64Array.from(shares, (share) => share * FAIR_BPS) });
  return {
    result: { links: [{ rateBps: 10e9 }] },
    series: {
      timesNs: Float64Array.from(running, (_, at) => (at + 1) * RTT_NS),
      flows: [flow(running), flow(running.map((share) => 2 - share))],
    },
  } as never;
}

it('counts RTTs until the first one begins in which both are near', () => {
  const run = runWith([1.9, 1.5, 1.15, 1.3, 1.05]);
  expect([rttsUntilWithin(run, 0.2), rttsUntilWithin(run, 0.1)]).toEqual([2, 4]);
  expect(rttsUntilWithin(runWith([]), 0.1)).toBe(LAST_RTT);
});

it('needs both flows near, not one', () => {
  const run = runWith([1.05]);
  (run.series?.flows[1].goodputBps as Float64Array)[JOIN_RTTS] = 0.5 * FAIR_BPS;
  expect(rttsUntilWithin(run, 0.1)).toBe(LAST_RTT);
});

it('sees in a real run a flow that has the link and one that joins', () => {
  const run = simulate(parseScenario(joiningDocument({ rule: 'steady', rate: '10gbit' })));
  const shares = sharesSinceJoin(run);
  expect(shares).toHaveLength(LAST_RTT);
  expect(shares[0][0]).toBeCloseTo(2, 1);
  expect(shares[0][1]).toBe(0);
  const [running, joining] = shares[LAST_RTT - 1];
  expect(running + joining).toBeCloseTo(2, 1);
  expect(rttsUntilWithin(run, 0.2)).toBeLessThan(20);
});
