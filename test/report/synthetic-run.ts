import type { FlowResult, FlowSeries, LinkSeries, SimulationResult, SimulationRun } from '../../src/sim/result.js';

/** A flow without anything remarkable, with changes. */
export function flowResult(id: number, changes: Partial<FlowResult> = {}): FlowResult {
  return {
    id,
    group: 'all',
    src: `h${id}`,
    dst: `h${id + 100}`,
    bytes: null,
    startNs: 0,
    fctNs: null,
    slowdown: null,
    goodputBps: 1e9,
    deliveredBytes: 1e6,
    credits: { sent: 12_345, used: 12_000, unused: 45, dropped: 300 },
    error: null,
    ...changes,
  };
}

export function flowSeries(id: number, goodputBps: readonly number[], changes: Partial<FlowSeries> = {}): FlowSeries {
  const rates = Float64Array.from(goodputBps);
  return { id, group: 'all', label: `h${id}->h${id + 100}`, goodputBps: rates, creditRateBps: rates, ...changes };
}

export function linkSeries(name: string, dataQueueBytes: readonly number[]): LinkSeries {
  const zeros = new Float64Array(dataQueueBytes.length);
  const queue = Float64Array.from(dataQueueBytes);
  return { name, rateBps: 10e9, dataQueueBytes: queue, creditQueueFrames: zeros, utilisation: queue };
}

export function simulationResult(changes: Partial<SimulationResult> = {}): SimulationResult {
  return {
    scenario: 'synthetic',
    seed: 7,
    algorithm: 'steady',
    durationNs: 20e6,
    measuredNs: 10e6,
    flows: [],
    links: [],
    jain: null,
    jainByWindow: [],
    utilisation: 0.99,
    creditDropShare: 0.25,
    disorderP99: null,
    disorderMax: null,
    fct: {},
    events: 1000,
    ...changes,
  };
}

/** Samples every 1 ms; a result for each of the flows that have series. */
export function sampled(flows: readonly FlowSeries[], changes: { links?: LinkSeries[]; flows?: FlowResult[] } = {}) {
  const count = flows[0]?.goodputBps.length ?? changes.links?.[0]?.dataQueueBytes.length ?? 0;
  const timesNs = Float64Array.from({ length: count }, (_, at) => (at + 1) * 1e6);
  const result = simulationResult({ flows: changes.flows ?? flows.map(({ id, group }) => flowResult(id, { group })) });
  return {
    result,
    series: { intervalNs: 1e6, timesNs, flows: [...flows], links: changes.links ?? [] },
  } satisfies SimulationRun;
}
