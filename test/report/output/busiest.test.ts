import { expect, it } from 'vitest';
import { busiestFlows, busiestLinks, needsChoice, probesAtBusiest } from '../../../src/report/output/busiest.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { simulate } from '../../../src/sim/simulate.js';
import { flowResult, simulationResult } from '../synthetic-run.js';

const INCAST = parseScenario({
  topology: { name: 'fat-tree' },
  flows: [{ kind: 'incast', from: '1-190', to: 192, bytes: '2kB' }],
  duration: '3ms',
});

it('samples the port of an incast in a fat tree, whatever its place among the links', () => {
  expect(needsChoice(INCAST)).toBe(true);
  const { result } = simulate(INCAST);
  const { probes } = probesAtBusiest({ ...INCAST, probes: { ...INCAST.probes, intervalNs: 1e5 } }, result);
  const busiest = [...result.links].sort((a, b) => b.dataQueueBytesMax - a.dataQueueBytesMax)[0].name;
  expect(probes.links).toContain(busiest);
  expect(probes.links.length).toBeLessThanOrEqual(64);
  const { series } = simulate({ ...INCAST, probes: { ...probes, intervalNs: 1e5 } });
  expect(series?.flows.map(({ id }) => id)).toEqual(probes.flows);
});

it('takes half of the directions by their queues and the others by their load', () => {
  const link = { rateBps: 1, dataQueueBytesMean: 0, creditDrops: 0, dataDrops: 0, speculativeDrops: 0, ecnMarks: 0 };
  const links = Array.from({ length: 200 }, (_, at) => ({
    ...{ ...link, name: `l${at}`, dataQueueBytesMaxEver: 0, creditsOffered: 0, lost: 0 },
    dataQueueBytesMax: at,
    utilisation: 1 - at / 200,
  }));
  const names = busiestLinks(links);
  expect(names).toEqual(links.filter((_, at) => at < 32 || at >= 168).map(({ name }) => name));
});

it('takes flows that failed, those that lasted longest, and some of all of the time', () => {
  const flows = Array.from({ length: 1000 }, (_, at) =>
    flowResult(at, { startNs: at * 1e6, fctNs: at === 500 ? 9e9 : 1e6, error: at === 700 ? 'reset' : null }),
  );
  const ids = busiestFlows(simulationResult({ flows, durationNs: 1e9 }), 64);
  expect(ids).toHaveLength(64);
  expect(ids).toEqual(expect.arrayContaining([500, 700]));
  const gaps = ids.slice(1).map((id, at) => id - ids[at]);
  expect(Math.max(...gaps)).toBeLessThan(1000 / 40);
});

it('leaves what the scenario chose', () => {
  const { probes } = probesAtBusiest({ ...INCAST, bottlenecks: ['a->b'] }, simulationResult());
  expect(probes.links).toEqual([]);
});
