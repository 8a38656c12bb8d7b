import { NEVER } from '../../base/time.js';
import { rulingAlgorithm } from '../../core/algorithms.js';
import { creditDropShare, sumCredits } from '../../core/credit-totals.js';
import { AloneTimes } from '../../sim/alone.js';
import { completionTimes } from '../../sim/measure/completion-times.js';
import { type FlowOutcome, flowResult } from '../../sim/measure/flow-result.js';
import { jainIndex } from '../../sim/measure/jain.js';
import { linkResult } from '../../sim/measure/link-probe.js';
import { overallUtilisation } from '../../sim/measure/utilisation.js';
import type { LinkResult, SimulationResult, SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { PortConfig } from '../../switch/port.js';
import { type PortCounts, sumPorts } from './direction-counts.js';
import type { LabMeasurements } from './lab-run.js';
import { labSeries } from './lab-series.js';
import type { HostReport, ReceivedFlow, SentFlow, WindowCounts } from './messages.js';

/** When a flow was there, and what it delivered in each window. */
export interface CountedFlow {
  readonly startNs: number;
  /** When it was over; NEVER: it was not. */
  readonly overNs: number;
  readonly counts: WindowCounts | undefined;
}

/**
 * Jain's index over windows of one length that follow each other from `fromNs` on, averaged over those in which two flows or more lasted from
 * beginning to end, as the simulator has it; null without any.
 */
export function meanJain(
  flows: readonly CountedFlow[],
  windowNs: number,
  { fromNs, endNs }: { fromNs: number; endNs: number },
): number | null {
  const indices: number[] = [];
  for (let window = 0; fromNs + (window + 1) * windowNs <= endNs; window++) {
    const startNs = fromNs + window * windowNs;
    const lasting = flows.filter((flow) => flow.startNs <= startNs && flow.overNs > startNs + windowNs);
    const index = lasting.length < 2 ? Number.NaN : jainIndex(lasting.map((flow) => bytesIn(flow, window)));
    // A window in which nothing arrived anywhere says nothing about shares.
    if (!Number.isNaN(index)) indices.push(index);
  }
  return indices.length === 0 ? null : indices.reduce((sum, index) => sum + index, 0) / indices.length;
}

function bytesIn({ counts }: CountedFlow, window: number): number {
  return counts?.bytes[window - counts.first] ?? 0;
}

/** Both ends of a flow. */
interface FlowEnds {
  readonly plan: FlowPlan;
  readonly sent: SentFlow | undefined;
  readonly received: ReceivedFlow | undefined;
}

const NO_CREDITS = sumCredits([]);

/** What came of a run over processes, in the shape of the simulator's and by its code wherever there is something to compute. */
export function labRun(scenario: Scenario, flows: readonly FlowPlan[], measured: LabMeasurements): SimulationRun {
  return { result: labResult(scenario, flows, measured), series: labSeries(scenario, flows, measured) };
}

function labResult(scenario: Scenario, flows: readonly FlowPlan[], measured: LabMeasurements): SimulationResult {
  const ends = matchEnds(flows, measured.reports);
  const { measuredFromNs, endNs, reports } = measured;
  const alone = new AloneTimes(scenario);
  const names = new Map(scenario.topology.hosts.map(({ id, name }) => [id, name]));
  const run = {
    measuredFromNs,
    endNs,
    hostName: (id: number) => names.get(id) ?? String(id),
    slowdown: (plan: FlowPlan, fctNs: number) => alone.slowdown(plan, fctNs),
  };
  const results = ends.map((each) => flowResult(outcomeOf(each, measured), run));
  const links = linkResults(scenario, measured);
  const jainByWindow = jains(scenario, ends, measured);
  const credits = ends.map(({ received }) => received?.credits ?? NO_CREDITS);
  const creditsBefore = sumCredits(reports.map((report) => report.creditsBefore));
  return {
    scenario: scenario.name,
    seed: scenario.seed,
    algorithm: algorithmsOf(scenario, flows),
    durationNs: endNs,
    measuredNs: endNs - measuredFromNs,
    flows: results.sort((a, b) => a.id - b.id),
    links,
    jain: jainByWindow[0]?.jain ?? null,
    jainByWindow,
    utilisation: overallUtilisation(links, scenario.bottlenecks),
    disorderP99: null,
    disorderMax: null,
    creditDropShare: creditDropShare(creditsBefore, sumCredits(credits)),
    fct: completionTimes(results),
    events: reports.reduce((sum, { datagramsIn }) => sum + datagramsIn, measured.switched),
  };
}

/** A sender's host and flow id name a flow; what a host reported before it crashed stands beside what it reported after it came back. */
function matchEnds(flows: readonly FlowPlan[], reports: readonly HostReport[]): FlowEnds[] {
  const sent = new Map(reports.flatMap((report) => report.sent.map((flow) => [flow.id, flow] as const)));
  const received = new Map<string, ReceivedFlow>();
  for (const flow of reports.flatMap((report) => report.received)) received.set(`${flow.from}:${flow.flowId}`, flow);
  return flows.map((plan) => {
    const sending = sent.get(plan.id);
    return { plan, sent: sending, received: received.get(`${plan.from}:${sending?.flowId}`) };
  });
}

function outcomeOf({ plan, sent, received }: FlowEnds, { failures, measuredFromNs }: LabMeasurements): FlowOutcome {
  const isDone = typeof received?.completeNs === 'number';
  return {
    plan,
    startNs: sent?.startNs ?? plan.startNs,
    doneNs: received?.completeNs ?? NEVER,
    deliveredBytes: received?.deliveredBytes ?? 0,
    measuredBytes: (measuredFromNs === 0 ? received?.deliveredBytes : received?.measuredBytes) ?? 0,
    credits: received?.credits ?? NO_CREDITS,
    error: isDone ? null : (failures.get(plan.id)?.error ?? sent?.error ?? received?.error ?? null),
  };
}

function jains(
  { jainWindowsNs }: Scenario,
  ends: readonly FlowEnds[],
  { measuredFromNs, endNs, failures }: LabMeasurements,
): SimulationResult['jainByWindow'] {
  return jainWindowsNs.map((windowNs, index) => {
    const counted = ends.map(({ plan, sent, received }): CountedFlow => {
      const closedNs = failures.get(plan.id)?.atNs ?? sent?.closedNs ?? NEVER;
      const overNs = Math.min(received?.completeNs ?? NEVER, closedNs);
      return { startNs: sent?.startNs ?? NEVER, overNs, counts: received?.windows[index] };
    });
    return { windowNs, jain: meanJain(counted, windowNs, { fromNs: measuredFromNs, endNs }) };
  });
}

/** What hosts send into their links is counted by their NICs, and what happens to it on the way by the switch. */
function linkResults({ topology }: Scenario, { counts, before, reports }: LabMeasurements): LinkResult[] {
  const nics = nicsOf(reports);
  const configs = new Map<string, PortConfig>();
  for (const { a, b, port } of topology.links) configs.set(`${a}->${b}`, port).set(`${b}->${a}`, port);
  const hostIds = new Map(topology.hosts.map(({ id, name }) => [name, id]));
  return counts.map((direction, index) => {
    const nic = nics.get(hostIds.get(direction.name.split('->')[0]) ?? 0);
    const { port, spanNs } = nic ?? direction;
    const config = { ...(configs.get(direction.name) as PortConfig), rateBps: direction.rateBps ?? NEVER };
    const queueBytesMaxBefore = nic?.queueBytesMaxBefore ?? before[index]?.port.dataQueueBytesMax ?? 0;
    return linkResult({
      name: direction.name,
      config,
      port,
      line: direction.port,
      measuredNs: spanNs,
      queueBytesMaxBefore,
    });
  });
}

interface NicCounts extends PortCounts {
  readonly queueBytesMaxBefore: number;
}

/** By host id; a host that crashed has several reports. */
function nicsOf(reports: readonly HostReport[]): ReadonlyMap<number, NicCounts> {
  const nics = new Map<number, NicCounts>();
  for (const { hostId, nic: port, nicSpanNs: spanNs, nicQueueBytesMaxBefore: queueBytesMaxBefore } of reports) {
    const counts = { port, spanNs, queueBytesMaxBefore };
    const earlier = nics.get(hostId);
    nics.set(hostId, earlier === undefined ? counts : sumNics(earlier, counts));
  }
  return nics;
}

function sumNics(one: NicCounts, other: NicCounts): NicCounts {
  return {
    port: sumPorts(one, other),
    spanNs: one.spanNs + other.spanNs,
    queueBytesMaxBefore: Math.max(one.queueBytesMaxBefore, other.queueBytesMaxBefore),
  };
}

/** What rules the flows, each name once. */
function algorithmsOf({ hosts }: Scenario, flows: readonly FlowPlan[]): string {
  const byId = new Map(hosts.map(({ id, endpoint }) => [id, endpoint]));
  const names = flows.map(({ from, to, windowAlgorithm }) =>
    rulingAlgorithm(byId.get(from) ?? {}, byId.get(to) ?? {}, windowAlgorithm),
  );
  return [...new Set(names)].sort().join('+');
}
