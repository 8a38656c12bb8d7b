import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../src/base/time.js';
import { algorithmFields } from '../../src/core/algorithms.js';
import type { Scenario } from '../../src/sim/scenario.js';
import { simulate } from '../../src/sim/simulate.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';

const FULL = 1_538;
const ENDLESS = Number.POSITIVE_INFINITY;
const HOSTS = 20;

/** What the default has of a path is the least RTT, which others' queues are part of: here it is an operator who knows it, as in the paper. */
const TOLD = { base_target: 25, initial_window: 1 };

/** `flows` endless flows from 20 hosts to one, 10 Gbit/s and links of 2 us; the flows start within 1 ms, and what is measured is from 5 to 20 ms. */
function incast(flows: number, parameters: Record<string, number>) {
  const topology = builtinTopology('star', {
    hosts: HOSTS + 1,
    rateBps: 10e9,
    dataQueueBytes: 1_000 * FULL,
    edge: { delayNs: 2_000 },
  });
  const [sink, ...sources] = topology.hosts;
  const scenario: Scenario = {
    name: 'swift-incast',
    seed: 1,
    durationNs: 20 * MILLISECOND_NS,
    warmUpNs: 5 * MILLISECOND_NS,
    endsWithFlows: false,
    topology,
    bottlenecks: ['s1->h1'],
    hosts: topology.hosts.map(({ id }) => ({
      id,
      endpoint: algorithmFields('swift', parameters),
      nic: {},
      processing: { delayNs: 0, jitterNs: 0 },
      clockDriftPpm: 0,
    })),
    traffic: sources.map(({ id }) => ({
      kind: 'flow' as const,
      group: 'incast',
      startNs: 0,
      startJitterNs: MILLISECOND_NS,
      from: id,
      to: sink.id,
      bytes: ENDLESS,
      count: flows / HOSTS,
      stopNs: ENDLESS,
    })),
    faults: [],
    jainWindowsNs: [15 * MILLISECOND_NS],
    probes: { intervalNs: 0, links: [], maxFlows: 0 },
    payload: 'lengths',
  };
  const { result } = simulate(scenario, { slowdowns: false });
  const last = result.links.find(({ name }) => name === 's1->h1');
  if (last === undefined) throw new Error('a star has a link to its first host');
  return { jain: result.jain ?? 0, ...last };
}

/** What queues at so long a delay, beyond the RTT of 10.6 us that is no queue. */
function queueBytes(targetUs: number): number {
  return ((targetUs - 10.6) * MICROSECOND_NS * 10) / 8;
}

describe('an incast of flows with swift', () => {
  it('shares the link and queues by the target', () => {
    const { jain, utilisation, dataQueueBytesMean, dataDrops } = incast(20, TOLD);
    expect(jain).toBeGreaterThan(0.99);
    expect(utilisation).toBeGreaterThan(1.05);
    // Base, one switch, and of the flow scaling what it adds at some three frames each: alpha / sqrt(3) + b = 19 us.
    expect(dataQueueBytesMean).toBeGreaterThan(queueBytes(26 + 12));
    expect(dataQueueBytesMean).toBeLessThan(queueBytes(26 + 30));
    expect(dataDrops).toBe(0);
  });

  it('has windows below one frame where the path holds less of each, and queues no more than the highest target', () => {
    const { utilisation, dataQueueBytesMean, dataDrops } = incast(400, TOLD);
    expect(utilisation).toBeGreaterThan(1.05);
    // 400 windows of one frame would be 615 kB; the highest target is 151 us.
    expect(dataQueueBytesMean).toBeLessThan(1.1 * queueBytes(26 + 125));
    expect(dataDrops).toBe(0);
  });

  it('is unfair where flows take the queue that they find for the path: the default', () => {
    const { jain, dataQueueBytesMean } = incast(20, { initial_window: 1 });
    expect(jain).toBeLessThan(0.9);
    expect(dataQueueBytesMean).toBeGreaterThan(queueBytes(26 + 30));
  });
});
