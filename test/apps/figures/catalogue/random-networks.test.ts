import { describe, expect, it } from 'vitest';
import { networkDocument, randomNetworks } from '../../../../src/apps/figures/catalogue/real-networks/random.js';
import { algorithmFields } from '../../../../src/core/algorithms.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { judge } from '../../../../src/sim/judge/judge.js';
import { withEndpoints } from '../../../../src/sim/judge/network-scenario.js';
import { randomNetwork } from '../../../../src/sim/judge/random-network.js';
import type { FlowResult, SimulationRun } from '../../../../src/sim/result.js';
import { madeUpFlow, madeUpRun } from '../made-up-runs.js';

it('writes random networks as scenario files that mean the same', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { scenario } = randomNetwork(seed);
    const algorithm = seed % 2 === 0 ? 'expresspass' : 'dctcp';
    const { probes, ...read } = parseScenario(networkDocument(scenario, algorithm), { name: scenario.name });
    const { probes: ours, ...meant } = withEndpoints(scenario, algorithmFields(algorithm));
    expect({ ...read, seed }, `seed ${seed}`).toEqual(meant);
    expect(probes.intervalNs).toBe(ours.intervalNs);
  }
});

const JOBS = randomNetworks.jobs('quick');

/** By seed: the flows of a network, all with their shares as rates. */
const fairFlows = new Map<number, FlowResult[]>();

function fairFlowsOf(seed: number): FlowResult[] {
  const known = fairFlows.get(seed);
  if (known !== undefined) return known;
  const { scenario } = randomNetwork(seed);
  const flows = scenario.traffic.map(({ group }, id) => madeUpFlow({ id, group, wireId: 1, arrivalBps: 1 }));
  for (const { id, shareBps } of judge(scenario, madeUpRun({ flows }).result)) flows[id].arrivalBps = shareBps;
  fairFlows.set(seed, flows);
  return flows;
}

/** A run in which every flow has this part of its share. */
function runOf(seed: number, part: number): SimulationRun {
  const flows = fairFlowsOf(seed).map((flow) => ({ ...flow, arrivalBps: part * (flow.arrivalBps ?? 0) }));
  return madeUpRun({ seed, flows });
}

function outcomeOf(part: (algorithm: string, seed: number) => number) {
  const one = (key: string): SimulationRun => {
    const [, algorithm, seed] = /^(.+)-(\d+)$/.exec(key) as RegExpExecArray;
    return runOf(Number(seed), part(algorithm, Number(seed)));
  };
  return randomNetworks.evaluate({ of: (key) => [one(key)] }, 'quick');
}

describe('the figure of random networks', { timeout: 120_000 }, () => {
  it('plays all networks with the default law, and every fifth with the others', () => {
    const played = (algorithm: string) => JOBS.filter(({ key }) => new RegExp(`^${algorithm}-\\d+$`).test(key)).length;
    expect([played('steady'), played('dctcp'), played('expresspass')]).toEqual([500, 100, 100]);
    expect(randomNetworks.jobs('paper')).toHaveLength(JOBS.filter(({ key }) => key.endsWith('-1')).length * 500);
  });

  it('holds the default law to its networks for the report alone', () => {
    const met = outcomeOf((algorithm, seed) => (algorithm === 'steady' && seed > 250 ? 0.96 : 0.3));
    expect(met.rows.filter(({ verdict }) => verdict === 'met')).toHaveLength(3);
    expect(met.rows.filter(({ verdict }) => verdict === 'missed')).toEqual([]);
    const missed = outcomeOf((_, seed) => (seed <= 250 ? 0.96 : 0.6));
    expect(missed.rows.map(({ verdict }) => verdict).slice(0, 4)).toEqual(['missed', 'missed', 'met', 'no claim']);
  });

  it('has the quantiles of each algorithm on both halves of the networks', () => {
    const { tables, charts } = outcomeOf((_, seed) => (seed <= 250 ? 0.5 : 2));
    const { rows } = tables[0];
    expect(rows[0].slice(0, 3)).toEqual(['steady', 1, 250]);
    expect(rows[0].slice(4)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(rows[1].slice(4)).toEqual([2, 2, 2, 2]);
    expect(rows.map(([algorithm]) => algorithm)).toEqual(charts[0].chart.series.flatMap(({ name }) => [name, name]));
  });
});
