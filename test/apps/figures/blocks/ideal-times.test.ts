import { describe, expect, it } from 'vitest';
import { IdealLeafSpine, idealTimes, idealTimesOf } from '../../../../src/apps/figures/blocks/ideal-times.js';
import { payloadBps } from '../../../../src/apps/figures/blocks/payload.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { simulate } from '../../../../src/sim/simulate.js';

/** 1 Gbit/s: 1,000 B take 8 us. */
const LINKS = [1e9, 1e9];

describe('ideal completion times', () => {
  it('are those of shares that change as flows come and go: hand-computed', () => {
    const flows = [
      { startNs: 0, bytes: 2_000, path: [0] },
      { startNs: 8_000, bytes: 500, path: [0, 1] },
    ];
    // Alone to 8 us; then half each: the second needs 8 us for its 500 B, and the first has 500 B left, which take 4 us.
    expect([...idealTimes(LINKS, flows)].map(Math.round)).toEqual([20_000, 8_000]);
  });

  it('are all there when flows end at the same moment, or begin at it', () => {
    const flow = { startNs: 5, bytes: 1_000, path: [0] };
    expect([...idealTimes(LINKS, [flow, flow])].map(Math.round)).toEqual([16_000, 16_000]);
    const later = { ...flow, startNs: 16_005 };
    expect([...idealTimes(LINKS, [flow, flow, later])].map(Math.round)).toEqual([16_000, 16_000, 8_000]);
  });

  it('of a fabric depend on the path of a flow where paths are short', () => {
    const fabric = { hosts: 8, hostsPerLeaf: 4, spines: 4, edgeBps: 1e9, coreBps: 0.25e9 };
    const flows = (net: IdealLeafSpine) =>
      [0, 1, 2, 3].map((host) => ({ startNs: 0, bytes: 1_000, path: net.path(host, host + 4) }));
    const spread = new IdealLeafSpine(fabric, true);
    expect([...idealTimes(spread.capacitiesBps, flows(spread))].map(Math.round)).toEqual(new Array(4).fill(32_000));
    const hashed = new IdealLeafSpine(fabric, false);
    const times = [...idealTimes(hashed.capacitiesBps, flows(hashed))].map(Math.round);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(32_000);
    expect(Math.max(...times)).toBeGreaterThan(32_000);
  });

  it('of neighbours at one leaf know nothing of the spines', () => {
    const net = new IdealLeafSpine({ hosts: 4, hostsPerLeaf: 2, spines: 2, edgeBps: 1e9, coreBps: 1 }, false);
    expect(net.path(0, 1)).toEqual([0, 3]);
    expect(net.path(0, 2)).toHaveLength(4);
  });

  it('of a run are those of its flows over its links, and no more than it took', () => {
    const document = {
      algorithm: 'spraypass',
      topology: {
        name: 'leaf-spine',
        leaves: 2,
        spines: 2,
        hostsPerLeaf: 2,
        edge: { rate: '10gbit', delay: '1us' },
        core: { rate: '1gbit', delay: '1us' },
      },
      flows: [{ kind: 'flow', from: 1, to: 3, bytes: '100kB' }],
    };
    const run = simulate(parseScenario(document), { slowdowns: false });
    const [idealNs] = idealTimesOf(run, 2, 4_000);
    expect(idealNs).toBeCloseTo(3 * 4_000 + (8e5 / payloadBps(2e9)) * 1e9, 0);
    expect(run.result.flows[0].fctNs).toBeGreaterThan(idealNs);
  });
});
