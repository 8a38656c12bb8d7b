import { SeededRandom } from '../../base/random.js';
import { maxMinShares } from '../../sim/measure/max-min.js';
import { dataRateBps } from '../../sim/measure/utilisation.js';
import { Paths } from '../../sim/paths.js';
import type { HostSpec, PoissonTraffic, Scenario, TrafficSpec } from '../../sim/scenario.js';
import { type FlowPlan, planFlows } from '../../sim/traffic/plan-flows.js';
import { meanBytes } from '../../sim/traffic/size-distribution.js';
import type { TopologyLink } from '../../switch/topology.js';
import { wireBytes } from '../../wire/layout.js';

/** Deadlines that come for each frame: the credit's own, and those of acknowledgements and rate updates. Measured on one bottleneck. */
const TIMERS_PER_FRAME = 1.3;
/** What a flow of a full network asks for beyond its share, as a part of its link: w_min of the rules with feedback. */
const SPARE_SHARE = 0.01;
/** Flows of a Poisson process that are drawn, for the mean length of their paths (ours). */
const DRAWN_FLOWS = 100;

/**
 * About how many events a scenario takes, from its flows' max-min shares or sizes and the lengths of their paths: within a factor of two, which is enough to
 * order runs and to say how long they will take.
 */
export function expectedEvents(scenario: Scenario): number {
  const paths = new Paths(scenario.topology);
  const frameBytes = scenario.topology.links[0].port.maxFrameBytes;
  const poisson = scenario.traffic.filter(isPoisson);
  const others = scenario.traffic.filter((spec) => !isPoisson(spec));
  const plans = planFlows(others, new SeededRandom(scenario.seed), frameBytes);
  const crossed = plans.map(({ from, to }) => paths.between(from, to));
  const endless = plans.map((_, at) => at).filter((at) => !Number.isFinite(plans[at].bytes));
  const shares = sharesBps(endless.map((at) => crossed[at]));
  const naive = new Set(scenario.hosts.filter(isNaive).map(({ id }) => id));
  const wanted = endless.reduce((sum, at, place) => {
    const on = { links: crossed[at], shareBps: shares[place], isNaive: naive.has(plans[at].to) };
    return sum + endlessEvents(scenario, plans[at], on);
  }, 0);
  const given = plans.reduce((sum, { bytes }, at) => {
    return Number.isFinite(bytes) ? sum + frameEvents(crossed[at]) * (Math.ceil(bytes / frameBytes) + 1) : sum;
  }, 0);
  return poisson.reduce((sum, spec) => sum + poissonEvents(spec, paths, frameBytes), wanted + given);
}

function isPoisson(spec: TrafficSpec): spec is PoissonTraffic {
  return spec.kind === 'poisson';
}

/** From the mean of the sizes: to draw ten thousands of them for each run takes longer than the shortest runs. */
function poissonEvents(spec: PoissonTraffic, paths: Paths, frameBytes: number): number {
  const flows = Math.min(spec.flows, DRAWN_FLOWS);
  const drawn = planFlows([{ ...spec, flows }], new SeededRandom(1), frameBytes);
  const perFrame = drawn.reduce((sum, { from, to }) => sum + frameEvents(paths.between(from, to)), 0) / flows;
  // Half a frame more, on average, for the last one, and one for what opens and ends a flow.
  return spec.flows * perFrame * (meanBytes(spec.sizes) / frameBytes + 1.5);
}

/** A data frame and its credit over all links. */
function frameEvents(links: readonly TopologyLink[]): number {
  return 2 * links.length + TIMERS_PER_FRAME;
}

interface Share {
  readonly links: readonly TopologyLink[];
  readonly shareBps: number;
  readonly isNaive: boolean;
}

function endlessEvents({ durationNs }: Scenario, { startNs, stopNs }: FlowPlan, on: Share): number {
  const seconds = Math.max(0, Math.min(durationNs, stopNs) - startNs) / 1e9;
  const { port } = on.links[on.links.length - 1];
  const spareBps = (on.isNaive ? 1 : SPARE_SHARE) * dataRateBps(port);
  const dropped = spareBps * (on.links.length / 2 + 1);
  return (seconds * (on.shareBps * frameEvents(on.links) + dropped)) / (wireBytes(port.maxFrameBytes) * 8);
}

function isNaive({ endpoint }: HostSpec): boolean {
  return endpoint.creditAlgorithm === 'naive';
}

function sharesBps(paths: readonly (readonly TopologyLink[])[]): Float64Array {
  const links = [...new Set(paths.flat())];
  const indices = new Map(links.map((link, index) => [link, index]));
  return maxMinShares(
    links.map(({ port }) => dataRateBps(port)),
    paths.map((path) => path.map((link) => indices.get(link) as number)),
  );
}
