import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { simulate } from '../../src/sim/simulate.js';

const FAILS_MS = 10;
const RETURNS_MS = 30;
const SPINES = [1, 2, 3, 4];

/** 32 endless flows over four spines, 2.5 Gbit/s everywhere; `cut` is dead from 10 to 30 ms. */
function play(algorithm: string, cut: readonly string[], failoverDelay: string) {
  const document = {
    algorithm,
    duration: '50ms',
    topology: {
      name: 'leaf-spine',
      leaves: 2,
      spines: 4,
      hostsPerLeaf: 8,
      rate: '2.5gbit',
      delay: '3us',
      failoverDelay,
    },
    hosts: [{ processing: { delay: '4us' } }],
    probes: { interval: '0.5ms', maxFlows: 32, links: SPINES.map((spine) => `leaf1->spine${spine}`) },
    flows: [1, 2, 3, 4, 5, 6, 7, 8].map((from) => ({ kind: 'flow', from, to: from + 8, count: 4 })),
    faults: [
      { at: `${FAILS_MS}ms`, link: cut, down: true },
      { at: `${RETURNS_MS}ms`, link: cut, up: true },
    ],
  };
  const { series, result } = simulate(parseScenario(document, { name: 'failover' }), { slowdowns: false });
  if (series === null) throw new Error('the scenario has a series');
  for (const { error } of result.flows) expect(error).toBeNull();
  const mean = (values: Float64Array, fromMs: number, toMs: number): number => {
    const inside = values.filter((_, at) => series.timesNs[at] > fromMs * 1e6 && series.timesNs[at] <= toMs * 1e6 + 1);
    return inside.reduce((sum, value) => sum + value, 0) / inside.length;
  };
  return {
    /** Utilisation of leaf1's uplinks, by spine, in a part of the run. */
    used: (fromMs: number, toMs: number) => series.links.map(({ utilisation }) => mean(utilisation, fromMs, toMs)),
    /** Flows that got nothing in a part of the run. */
    starved: (fromMs: number, toMs: number) =>
      series.flows.filter(({ goodputBps }) => mean(goodputBps, fromMs, toMs) === 0).length,
  };
}

describe.each(['steady', 'expresspass', 'spraypass'])('flows of %s', { timeout: 60_000 }, (algorithm) => {
  it('leave a path that is dead at its far end after the delay, and use it again after its return', () => {
    // One direction alone, and not at the leaf that chooses: data would get through, and credits do not.
    const { used, starved } = play(algorithm, ['leaf2->spine2'], '4ms');
    for (const share of used(5, FAILS_MS)) expect(share).toBeGreaterThan(0.4);
    const dead = used(FAILS_MS + 8, RETURNS_MS);
    expect(dead[1]).toBeLessThan(0.001);
    for (const spine of [0, 2, 3]) expect(dead[spine]).toBeGreaterThan(0.7);
    expect(starved(FAILS_MS + 8, RETURNS_MS)).toBe(0);
    expect(used(RETURNS_MS, RETURNS_MS + 3.5)[1]).toBeLessThan(0.001);
    expect(used(RETURNS_MS + 12, 50)[1]).toBeGreaterThan(0.4);
  });

  it('share what two failures leave', () => {
    const { used, starved } = play(algorithm, ['leaf1-spine2', 'leaf2-spine2', 'leaf1-spine4'], '2ms');
    const dead = used(FAILS_MS + 6, RETURNS_MS);
    for (const spine of [1, 3]) expect(dead[spine]).toBeLessThan(0.001);
    for (const spine of [0, 2]) expect(dead[spine]).toBeGreaterThan(0.7);
    expect(starved(FAILS_MS + 6, RETURNS_MS)).toBe(0);
    for (const share of used(RETURNS_MS + 12, 50)) expect(share).toBeGreaterThan(0.4);
  });
});
