// Tested by test/apps/lab/lab-result.test.ts
import { dataUtilisation } from '../../sim/measure/utilisation.js';
import type { FlowSeries, LinkSeries, RunSeries } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { PortConfig } from '../../switch/port.js';
import type { FlowSamples, LinkSamples } from './host-sampler.js';
import type { LabMeasurements } from './lab-run.js';

/** What was sampled of the flows and links that the scenario wants; null where it wants none. */
export function labSeries(scenario: Scenario, flows: readonly FlowPlan[], measured: LabMeasurements): RunSeries | null {
  const { intervalNs, maxFlows } = scenario.probes;
  if (intervalNs === 0) return null;
  const count = Math.floor(measured.endNs / intervalNs);
  const firstFlows = [...flows].sort((a, b) => a.id - b.id).slice(0, maxFlows);
  const samples = flowSamples(measured);
  const names = new Map(scenario.topology.hosts.map(({ id, name }) => [id, name]));
  return {
    intervalNs,
    timesNs: Float64Array.from({ length: count }, (_, index) => (index + 1) * intervalNs),
    flows: firstFlows.map((plan) => {
      const label = `${names.get(plan.from)}->${names.get(plan.to)}`;
      return flowSeries(plan, label, samples.get(plan.id), { count, intervalNs });
    }),
    links: linkSeries(scenario, measured, { count, intervalNs }),
  };
}

interface SeriesShape {
  readonly count: number;
  readonly intervalNs: number;
}

/** By the id in the plan. */
function flowSamples({ reports }: LabMeasurements): ReadonlyMap<number, FlowSamples> {
  const received = new Map<string, FlowSamples>();
  for (const each of reports.flatMap(({ samples }) => samples?.flows ?? []))
    received.set(`${each.from}:${each.flowId}`, each);
  const found = new Map<number, FlowSamples>();
  for (const { hostId, sent } of reports) {
    for (const { id, flowId } of sent) {
      const samples = received.get(`${hostId}:${flowId}`);
      if (samples !== undefined) found.set(id, samples);
    }
  }
  return found;
}

function flowSeries(
  { id, group }: FlowPlan,
  label: string,
  samples: FlowSamples | undefined,
  { count, intervalNs }: SeriesShape,
): FlowSeries {
  const goodputBps = new Float64Array(count);
  const creditRateBps = new Float64Array(count);
  let before = 0;
  samples?.deliveredBytes.forEach((bytes, at) => {
    const index = samples.first + at;
    if (index < count) {
      goodputBps[index] = ((bytes - before) * 8e9) / intervalNs;
      creditRateBps[index] = samples.creditRateBps[at];
    }
    before = bytes;
  });
  return { id, group, label, goodputBps, creditRateBps };
}

/** A host's NIC counts what goes into its link, the switch everything else. */
function linkSeries(scenario: Scenario, { links, reports, counts }: LabMeasurements, shape: SeriesShape): LinkSeries[] {
  const { topology, probes, bottlenecks } = scenario;
  const wanted = new Set(probes.links.length > 0 ? probes.links : bottlenecks);
  const nics = new Map<string, LinkSamples[]>();
  for (const { hostId, samples } of reports) {
    const name = topology.hosts.find(({ id }) => id === hostId)?.name ?? '';
    if (samples !== null) nics.set(name, [...(nics.get(name) ?? []), samples.nic]);
  }
  return topology.links.flatMap(({ a, b, port }) =>
    [
      [a, b],
      [b, a],
    ].flatMap(([from, to]) => {
      const name = `${from}->${to}`;
      const sampled = links.get(name);
      if (!wanted.has(name) || sampled === undefined) return [];
      const rateBps = counts.find((each) => each.name === name)?.rateBps ?? Number.POSITIVE_INFINITY;
      return [seriesOf({ name, config: { ...port, rateBps }, samples: nics.get(from) ?? [sampled] }, shape)];
    }),
  );
}

function seriesOf(
  { name, config, samples }: { name: string; config: PortConfig; samples: readonly LinkSamples[] },
  { count, intervalNs }: SeriesShape,
): LinkSeries {
  const dataQueueBytes = new Float64Array(count);
  const creditQueueFrames = new Float64Array(count);
  const utilisation = new Float64Array(count);
  for (const { first, ...each } of samples) {
    each.dataWireBytes.slice(0, Math.max(0, count - first)).forEach((bytes, at) => {
      dataQueueBytes[first + at] = each.dataQueueBytes[at];
      creditQueueFrames[first + at] = each.creditQueueFrames[at];
      utilisation[first + at] = dataUtilisation(bytes, intervalNs, config);
    });
  }
  const rateBps = Number.isFinite(config.rateBps) ? config.rateBps : null;
  return { name, rateBps, dataQueueBytes, creditQueueFrames, utilisation };
}
