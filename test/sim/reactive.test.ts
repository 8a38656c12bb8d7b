import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../src/base/time.js';
import { algorithmFields } from '../../src/core/algorithms.js';
import type { SimulationRun } from '../../src/sim/result.js';
import type { Scenario } from '../../src/sim/scenario.js';
import { simulate } from '../../src/sim/simulate.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import type { PortConfig } from '../../src/switch/port.js';

/** Each takes some seconds on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 120_000 });

const FULL = 1_538;
const ENDLESS = Number.POSITIVE_INFINITY;

interface Options {
  readonly core?: Partial<PortConfig>;
  readonly startsMs?: readonly number[];
  readonly probeNs?: number;
  readonly endMs?: number;
  /** Flows, by number, that go the other way. */
  readonly reversed?: readonly number[];
}

/** One endless flow a pair of hosts over a dumbbell of 10 Gbit/s and an RTT of 100 us, marks above 65 frames; measured from 20 ms on. */
function dumbbell(algorithms: readonly string[], options: Options = {}) {
  const { core = {}, startsMs = [], probeNs = 0, endMs = 40, reversed = [] } = options;
  const pairs = algorithms.length;
  const topology = builtinTopology('dumbbell', {
    pairs,
    rateBps: 10e9,
    ecnThresholdBytes: 65 * FULL,
    dataQueueBytes: 1e8,
    edge: { delayNs: 10_000 },
    core: { delayNs: 30_000, ...core },
  });
  const scenario: Scenario = {
    name: 'reactive',
    seed: 1,
    durationNs: endMs * MILLISECOND_NS,
    warmUpNs: Math.min(20, endMs / 2) * MILLISECOND_NS,
    endsWithFlows: false,
    topology,
    bottlenecks: ['left->right'],
    hosts: topology.hosts.map(({ id }, index) => ({
      id,
      endpoint: algorithmFields(algorithms[index % pairs]),
      nic: {},
      processing: { delayNs: 0, jitterNs: 0 },
      clockDriftPpm: 0,
    })),
    traffic: algorithms.map((group, index) => ({
      kind: 'flow' as const,
      group,
      startNs: (startsMs[index] ?? 0) * MILLISECOND_NS,
      startJitterNs: 0,
      from: topology.hosts[reversed.includes(index) ? pairs + index : index].id,
      to: topology.hosts[reversed.includes(index) ? index : pairs + index].id,
      bytes: ENDLESS,
      count: 1,
      stopNs: ENDLESS,
    })),
    faults: [],
    jainWindowsNs: [5 * MILLISECOND_NS],
    probes: { intervalNs: probeNs, links: [], maxFlows: 10 },
    payload: 'lengths',
  };
  return simulate(scenario, { slowdowns: false });
}

function bottleneck({ result }: SimulationRun) {
  const found = result.links.find(({ name }) => name === 'left->right');
  if (found === undefined) throw new Error('a dumbbell has a link from left to right');
  return found;
}

describe('reactive flows on one bottleneck', () => {
  it('of dctcp fill the link and keep its queue near K, as in the reference', () => {
    const run = dumbbell(['dctcp', 'dctcp']);
    const { dataQueueBytesMean, dataQueueBytesMax, dataQueueBytesMaxEver, utilisation } = bottleneck(run);
    // ns-2: 94 kB in the mean, 103 kB at most once settled, 315 kB at the start, 10.0 Gbit/s: all of the link, whose data share is 0.946.
    expect(dataQueueBytesMean).toBeGreaterThan(88e3);
    expect(dataQueueBytesMean).toBeLessThan(100e3);
    expect(dataQueueBytesMax).toBeLessThan(115e3);
    expect(dataQueueBytesMaxEver).toBeLessThan(350e3);
    expect(utilisation).toBeGreaterThan(1.05);
    expect(run.result.jain).toBeGreaterThan(0.99);
    expect(run.result.algorithm).toBe('dctcp');
  });

  it('of swift keep the queue at some twenty frames', () => {
    const run = dumbbell(new Array(8).fill('swift'), { core: { ecnThresholdBytes: ENDLESS } });
    expect(bottleneck(run).dataQueueBytesMean).toBeLessThan(30 * FULL);
    expect(bottleneck(run).utilisation).toBeGreaterThan(1.05);
    expect(run.result.jain).toBeGreaterThan(0.98);
  });

  it('of hull hardly queue at all where the port marks by a phantom queue', () => {
    const run = dumbbell(['hull', 'hull'], { core: { phantomDrainShare: 0.95, ecnThresholdBytes: 15e3 } });
    expect(bottleneck(run).dataQueueBytesMean).toBeLessThan(3 * FULL);
    expect(bottleneck(run).utilisation).toBeGreaterThan(0.95);
  });

  it('of dx fill the link and share it with a queue of a few frames', () => {
    const run = dumbbell(new Array(8).fill('dx'), { core: { ecnThresholdBytes: ENDLESS } });
    expect(bottleneck(run).dataQueueBytesMean).toBeLessThan(10 * FULL);
    expect(bottleneck(run).utilisation).toBeGreaterThan(1);
    expect(run.result.jain).toBeGreaterThan(0.95);
  });

  it('of dx go by the queue on their own way, not by that of their acknowledgements', () => {
    const run = dumbbell(['dx', 'dx'], { core: { ecnThresholdBytes: ENDLESS }, reversed: [1] });
    const least = Math.min(...run.result.flows.map(({ goodputBps }) => goodputBps));
    expect(least).toBeGreaterThan(8e9);
  });

  it.each([
    { order: 'together', startsMs: [0, 0] },
    { order: 'expresspass first', startsMs: [0, 5] },
    { order: 'dctcp first', startsMs: [5, 0] },
  ])('leave dctcp below 10 % beside expresspass: $order', ({ startsMs }) => {
    const { result } = dumbbell(['expresspass', 'dctcp'], { startsMs });
    const [credited, reactive] = result.flows.map(({ goodputBps }) => goodputBps);
    expect(reactive / (credited + reactive)).toBeLessThan(0.1);
    expect(result.algorithm).toBe('dctcp+expresspass');
  });
});

describe('the course of two flows, the second of which comes after 2 ms', () => {
  it.each(['dctcp', 'swift', 'cubic', 'timely', 'hull', 'dx'])('is what it was for %s', async (algorithm) => {
    const run = dumbbell([algorithm, algorithm], { startsMs: [0, 2], endMs: 8, probeNs: 250_000 });
    await expect(tableOf(run)).toMatchFileSnapshot(`reactive-${algorithm}.table.txt`);
  });
});

/** A row for each sample: time, goodput of each flow, the most that the bottleneck's queue held since the sample before. */
function tableOf({ series }: SimulationRun): string {
  if (series === null) throw new Error('the run has samples');
  const link = series.links.find(({ name }) => name === 'left->right');
  const rows = [...series.timesNs].map((timeNs, at) => {
    const rates = series.flows.map(({ goodputBps }) => Math.round(goodputBps[at] / 1e6));
    return [timeNs / MICROSECOND_NS, ...rates, Math.round((link?.dataQueueBytes[at] ?? 0) / 100) / 10];
  });
  const lines = [['us', 'flow 1 Mbit/s', 'flow 2 Mbit/s', 'queue kB'], ...rows];
  return `${lines.map((cells) => cells.map((cell) => String(cell).padStart(13)).join('')).join('\n')}\n`;
}
