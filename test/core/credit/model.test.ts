import { describe, expect, it } from 'vitest';
import { FAST } from './measures.js';
import { registered, runDumbbell, utilisation } from './scenarios.js';

const run = { ...FAST, makeAlgorithm: registered('naive'), binNs: 1e5, durationNs: 1e7, seed: 1 };
const span = { fromNs: 1e6, toNs: 1e7 };

describe('the model', () => {
  it('passes exactly what the credit meters allow, and drops the rest', () => {
    const { flows, queues } = runDumbbell({ ...run, flowCount: 2 });
    expect(utilisation(flows, FAST.rateBps, span)).toBeCloseTo(1, 2);
    const [shared, ...nics] = queues;
    const sent = flows.reduce((sum, flow) => sum + flow.lastSequence + 1, 0);
    const lost = queues.reduce((sum, queue) => sum + queue.dropped, 0);
    const waiting = queues.reduce((sum, queue) => sum + queue.length, 0);
    expect(shared.dropped).toBeGreaterThan(nics[0].dropped);
    // Of the rest, at most a hop's worth is between the queues.
    expect(sent - lost - waiting - shared.passed).toBeLessThan(20);
  });

  it('brings the first data frame back after the RTT and no sooner', () => {
    const before = runDumbbell({ ...run, flowCount: 1, durationNs: FAST.rttNs - 1 });
    expect(before.flows[0].deliveredIn(0, 1e6)).toBe(0);
    const after = runDumbbell({ ...run, flowCount: 1, durationNs: FAST.rttNs + 1 });
    expect(after.flows[0].deliveredIn(0, 1e6)).toBe(1);
  });

  it('repeats itself for a seed and differs between seeds', () => {
    const delivered = (seed: number) =>
      runDumbbell({ ...run, flowCount: 4, seed }).flows.map((flow) => flow.totalDropped);
    expect(delivered(1)).toEqual(delivered(1));
    expect(delivered(1)).not.toEqual(delivered(2));
  });
});
