import { describe, expect, it } from 'vitest';
import { withEndpoints } from '../../../src/sim/judge/network-scenario.js';
import { simulate } from '../../../src/sim/simulate.js';
import { loneFlow } from '../../harness/lone-flow.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const FLOWS = scaledRuns(20);
const LEAST_PART = 0.9;
const PATIENT = { timeout: 900_000 };

/** What a lone flow has of what loss leaves of its bottleneck, from 50 round trips after the last fault on. */
function partOf(seed: number, creditAlgorithm: string): number {
  const { scenario, shareBps } = loneFlow(seed);
  const { result } = simulate(withEndpoints(scenario, { creditAlgorithm }));
  return (result.flows[0].arrivalBps ?? 0) / shareBps;
}

/** Those that have less than they should. */
function slowFlows(creditAlgorithm: string): string[] {
  const seeds = Array.from({ length: FLOWS }, (_, at) => TEST_SEED + at);
  const parts = seeds.map((seed) => ({ seed, part: partOf(seed, creditAlgorithm) }));
  const slow = parts.filter(({ part }) => part < LEAST_PART);
  return slow.map(({ seed, part }) => `XPASS_TEST_SEED=${seed}: ${part.toFixed(3)}`);
}

describe('a lone flow', () => {
  it('is the same for the same seed', () => {
    expect(loneFlow(5)).toEqual(loneFlow(5));
  });

  it('has a path that loses up to a tenth of all frames, and other faults that end before it is measured', () => {
    for (let seed = TEST_SEED; seed < TEST_SEED + 200; seed++) {
      const { scenario } = loneFlow(seed);
      const { topology, faults, warmUpNs, durationNs } = scenario;
      const losses = topology.links.map(({ impairment }) => impairment.lossRate ?? 0);
      expect(
        losses.reduce((sum, loss) => sum + loss, 0),
        `seed ${seed}`,
      ).toBeLessThanOrEqual(0.1);
      for (const { atNs } of faults) expect(atNs, `seed ${seed}`).toBeLessThan(warmUpNs);
      expect(durationNs).toBeGreaterThan(warmUpNs);
      const last = faults.slice(-topology.links.length);
      expect(last.map((fault) => fault.kind === 'link' && fault.impairment.lossRate)).toEqual(losses);
    }
  });

  it('has nine tenths of its bottleneck 50 round trips after the last fault', PATIENT, () => {
    expect(slowFlows('steady')).toEqual([]);
  });

  /** A link, or a switch, of their only path was down for 11 to 15 ms: the switches left the path out for 10 ms after that. */
  it.each([405914390, 1784727359])('is back as soon as its only path is, in the network of seed %i', (seed) => {
    expect(partOf(seed, 'steady')).toBeGreaterThan(LEAST_PART);
  });

  it('is found to be slow where a rule takes loss for congestion', PATIENT, () => {
    expect(slowFlows('expresspass-2016').length).toBeGreaterThan(FLOWS / 10);
  });
});
