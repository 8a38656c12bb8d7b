import { describe, expect, it } from 'vitest';
import {
  DCTCP,
  EC4,
  MIX_RUNS,
  mixDocument,
  ratioOf,
  shares,
  sidesBps,
} from '../../../../src/apps/figures/blocks/mix.js';
import { BOTTLENECK } from '../../../../src/apps/figures/blocks/quantities.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import type { RunSeries } from '../../../../src/sim/result.js';
import { simulate } from '../../../../src/sim/simulate.js';
import { expectedFlows } from '../expected-flows.js';

const SHORT = { sides: [EC4, { ...DCTCP, start: '1ms' }], duration: '4ms', warmUp: '2ms' } as const;

describe('a mix', () => {
  it('has as many flows of each kind as it is told, and none of a kind without', () => {
    const spoken = (pairs: readonly [number, number]) =>
      parseScenario(mixDocument({ ...SHORT, pairs })).hosts.map(
        ({ endpoint }) => endpoint.windowAlgorithm ?? endpoint.creditAlgorithm,
      );
    expect(spoken([1, 2])).toEqual(['ec4', 'dctcp', 'dctcp', 'ec4', 'dctcp', 'dctcp']);
    expect(spoken([0, 1])).toEqual(['dctcp', 'dctcp']);
  });

  it('has both kinds on both ends of one bottleneck', () => {
    const { hosts, traffic, topology } = parseScenario(mixDocument({ ...SHORT, pairs: 2 }));
    const spoken = hosts.map(({ endpoint }) => endpoint.windowAlgorithm ?? endpoint.creditAlgorithm);
    expect(spoken).toEqual(['ec4', 'ec4', 'dctcp', 'dctcp', 'ec4', 'ec4', 'dctcp', 'dctcp']);
    expect(traffic.map(({ startNs }) => startNs)).toEqual([0, 0, 1e6, 1e6]);
    expect(topology.links.every(({ port }) => port.ecnThresholdBytes === 30 * 1538)).toBe(true);
  });

  it('is read side by side', () => {
    const document = {
      ...mixDocument({ ...SHORT, pairs: 1 }),
      jainWindows: ['1ms'],
      probes: { interval: '1ms', maxFlows: 2 },
    };
    const run = simulate(parseScenario(document));
    const [credits, dctcp] = sidesBps(run);
    const [one, other] = run.result.flows.map(({ goodputBps }) => goodputBps);
    expect([credits, dctcp]).toEqual([one, other]);
    expect(ratioOf(run)).toBe(one / other);
    const { timesNs, one: share } = shares(run);
    expect(timesNs).toHaveLength(4);
    expect(share[0]).toBe(1);
    expect(share[3]).toBeGreaterThan(0.2);
    expect(share[3]).toBeLessThan(0.9);
  });

  it('has as many flows as its case says', () => {
    const cases = MIX_RUNS.cases();
    expect(cases).toHaveLength(68);
    for (const each of cases) expect(expectedFlows(MIX_RUNS.document(each))).toBe(each.flows);
  });
});

it('takes this course when a flow of EC4 joins one of DCTCP', async () => {
  const sides = [{ ...EC4, start: '5ms' }, DCTCP] as const;
  const document = mixDocument({ sides, pairs: 1, duration: '25ms', warmUp: '5ms' });
  const run = simulate(
    parseScenario({
      ...document,
      jainWindows: ['1ms'],
      probes: { interval: '500us', maxFlows: 2, links: [BOTTLENECK] },
    }),
  );
  const { timesNs, flows, links } = run.series as RunSeries;
  const mbps = (bps: number): string => (bps / 1e6).toFixed(0).padStart(7);
  const rows = [...timesNs].map((ns, at) => {
    const values = [flows[0].creditRateBps[at], flows[0].goodputBps[at], flows[1].goodputBps[at]].map(mbps);
    return [(ns / 1e6).toFixed(1).padStart(5), ...values, `${links[0].dataQueueBytes[at]}`.padStart(8)].join('');
  });
  const title = '   ms credits    ec4  dctcp   queue (Mbit/s; B)';
  await expect(`${[title, ...rows].join('\n')}\n`).toMatchFileSnapshot('mix-course.table.txt');
});
