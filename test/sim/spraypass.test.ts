import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { simulate } from '../../src/sim/simulate.js';

/** Payload that four paths of 25 Mbit/s carry beside their credits: 94.6 % of it in frames of 1538 B with 1446 B of payload each. */
const ALL_MBPS = (4 * 25 * 0.946 * 1446) / 1538;
const MILLISECOND_NS = 1e6;

/** Four flows from one leaf to another over four spines. */
function fourFlows(algorithm: string, changes: object = {}) {
  const document = {
    algorithm,
    duration: '5s',
    warmUp: '200ms',
    topology: {
      name: 'leaf-spine',
      leaves: 2,
      spines: 4,
      hostsPerLeaf: 4,
      edge: { rate: '100mbit', delay: '100us' },
      core: { rate: '25mbit', delay: '100us' },
      failoverDelay: 'never',
    },
    probes: { interval: '50ms', maxFlows: 4 },
    flows: [1, 2, 3, 4].map((from) => ({ kind: 'flow', from, to: from + 4 })),
    ...changes,
  };
  return simulate(parseScenario(document, { name: 'four paths' }), { slowdowns: false });
}

/** Goodput of all flows in a time, Mbit/s. */
function goodput({ series }: ReturnType<typeof fourFlows>, fromMs: number, toMs: number): number {
  if (series === null) throw new Error('the scenario has a series');
  const inside = [...series.timesNs].map((atNs) => atNs > fromMs * MILLISECOND_NS && atNs <= toMs * MILLISECOND_NS + 1);
  const sums = inside.map((is, at) => (is ? series.flows.reduce((sum, flow) => sum + flow.goodputBps[at], 0) : 0));
  return sums.reduce((sum, each) => sum + each, 0) / inside.filter(Boolean).length / 1e6;
}

describe('four flows over four paths', { timeout: 60_000 }, () => {
  it.each(['spraypass', 'spraypass-1', 'spraypass-2'])('fill all of them with %s, without loss', (algorithm) => {
    const { result } = fourFlows(algorithm, { duration: '1s' });
    const mbps = result.flows.reduce((sum, flow) => sum + flow.goodputBps, 0) / 1e6;
    expect(mbps).toBeGreaterThan(0.9 * ALL_MBPS);
    const uplinks = result.links.filter(({ name }) => /^leaf1->spine/.test(name));
    expect(uplinks).toHaveLength(4);
    for (const { utilisation, dataDrops } of uplinks) {
      expect(utilisation).toBeGreaterThan(0.85);
      expect(dataDrops).toBe(0);
    }
  });

  it('leave a path that gets slow, do without it when it is down, and take it back', () => {
    const link = ['leaf1-spine1', 'leaf2-spine1'];
    const run = fourFlows('spraypass', {
      faults: [
        { at: '1s', link, rate: '1mbit' },
        { at: '2s', link, rate: '25mbit', down: true },
        { at: '3s', link, up: true },
      ],
    });
    expect(goodput(run, 500, 1_000)).toBeGreaterThan(0.9 * ALL_MBPS);
    // Within 500 ms, and to the end of each time, what remains; within 2 s of the return, all.
    for (const fromMs of [1_500, 2_500]) {
      expect(goodput(run, fromMs, fromMs + 500)).toBeGreaterThan(0.9 * 0.75 * ALL_MBPS);
    }
    expect(goodput(run, 4_500, 5_000)).toBeGreaterThan(0.9 * ALL_MBPS);
    for (const { error } of run.result.flows) expect(error).toBeNull();
  });

  it('deliver every byte when the path of the control frames is the one that dies', () => {
    const { result } = fourFlows('spraypass', {
      payload: 'bytes',
      duration: '20s',
      flows: [1, 2, 3, 4].map((from) => ({ kind: 'flow', from, to: from + 4, bytes: '1MB' })),
      faults: ['spine1', 'spine2', 'spine3'].map((spine, at) => ({
        at: `${50 + 50 * at}ms`,
        link: [`leaf1-${spine}`, `leaf2-${spine}`],
        down: true,
      })),
    });
    for (const { fctNs, error } of result.flows) expect([fctNs === null, error]).toEqual([false, null]);
  });
});

describe('short flows while one of four paths is dead', () => {
  /** Flows of 40 kB, one a millisecond, over 10 Gbit/s and an RTT of 24 us; the result is of what began after `warmUp`. */
  function shortFlows({ from, to, firstMs }: { from: number; to: number; firstMs: number }) {
    const flows = Array.from({ length: 7 - firstMs }, (_, at) => {
      return { kind: 'flow', from, to, bytes: '40kB', start: `${firstMs + at}ms` };
    });
    const document = {
      algorithm: 'spraypass',
      // The first probe of the dead path is due 5 ms after it was left out.
      duration: '6.5ms',
      warmUp: '4ms',
      topology: { name: 'leaf-spine', leaves: 2, spines: 4, hostsPerLeaf: 2, delay: '3us', failoverDelay: 'never' },
      flows,
      faults: [{ at: '0s', link: ['leaf1-spine2', 'leaf2-spine2'], down: true }],
    };
    const { links, flows: results } = simulate(parseScenario(document, { name: 'short flows' }), {
      slowdowns: false,
    }).result;
    const lost = links.reduce((sum, link) => sum + link.lost, 0);
    return { lost, done: results.filter(({ fctNs }) => fctNs !== null).length };
  }

  it('avoid it from their first credit on once earlier flows from the same peer have met it', () => {
    // Four flows before the measured time are 160 kB: two periods of the speed board.
    const informed = shortFlows({ from: 1, to: 3, firstMs: 0 });
    expect(informed.done).toBeGreaterThanOrEqual(6);
    expect(informed.lost).toBe(0);
    const first = shortFlows({ from: 1, to: 3, firstMs: 4 });
    expect(first.lost).toBeGreaterThan(10);
  });
});

it('eight senders over four paths are hardly out of order, and queues are short', { timeout: 60_000 }, () => {
  const document = {
    algorithm: 'spraypass',
    duration: '8ms',
    topology: { name: 'leaf-spine', leaves: 2, spines: 4, hostsPerLeaf: 8, rate: '10gbit', delay: '3us' },
    hosts: [{ processing: { delay: '4us' } }],
    flows: Array.from({ length: 8 }, (_, at) => ({ kind: 'flow', from: at + 1, to: at + 9 })),
  };
  const { result } = simulate(parseScenario(document, { name: 'eight senders' }), { slowdowns: false });
  expect(result.disorderMax).toBeLessThanOrEqual(3);
  // SprayPass, Figure 4b.
  for (const { dataQueueBytesMaxEver } of result.links) expect(dataQueueBytesMaxEver).toBeLessThanOrEqual(12_144);
});
