import { assert } from '../../base/assert.js';
import { SeededRandom } from '../../base/random.js';
import { parseScenario } from '../../scenario/parse-scenario.js';
import { maxMinShares } from '../../sim/measure/max-min.js';
import { dataRateBps } from '../../sim/measure/utilisation.js';
import { Paths } from '../../sim/paths.js';
import type { SimulationRun } from '../../sim/result.js';
import type { HostSpec, PoissonTraffic, Scenario, TrafficSpec } from '../../sim/scenario.js';
import { type FlowPlan, planFlows } from '../../sim/traffic/plan-flows.js';
import { meanBytes } from '../../sim/traffic/size-distribution.js';
import type { TopologyLink } from '../../switch/topology.js';
import { wireBytes } from '../../wire/layout.js';
import type { Figure, FigureDocument, FigureJob, Profile, Runs } from './figure.js';

/** One scenario with its seed, for every figure that wants it. */
export interface DistinctRun {
  /** Says all that its result depends on. */
  readonly key: string;
  readonly scenario: Scenario;
  /** About how many events it takes. */
  readonly events: number;
  /** Figures that still need it. */
  readonly figures: Set<string>;
}

/** The runs of some figures, each different one once, the longest first so that no core waits for another at the end. */
export class JobList {
  readonly runs: readonly DistinctRun[];
  /** About how many events all runs take. */
  readonly events: number;
  private readonly byKey = new Map<string, DistinctRun>();
  /** By document: its scenario with a seed of its own, and about how many events that takes. */
  private readonly parsed = new Map<string, { scenario: Scenario; events: number }>();
  private readonly jobs: ReadonlyMap<string, readonly FigureJob[]>;
  /** By figure: its runs, and how many of them there is no result of yet. */
  private readonly needed = new Map<string, Set<DistinctRun>>();
  private readonly missing = new Map<string, number>();
  private readonly found = new Map<DistinctRun, SimulationRun>();

  constructor(figures: readonly Figure[], profile: Profile) {
    this.jobs = new Map(figures.map((figure) => [figure.name, figure.jobs(profile)]));
    for (const [name, jobs] of this.jobs) {
      checkKeys(name, jobs);
      const runs = jobs.flatMap(({ document, seeds }) => seeds.map((seed) => this.add(name, document, seed)));
      this.needed.set(name, new Set(runs));
      this.missing.set(name, new Set(runs).size);
    }
    this.runs = [...this.byKey.values()].sort((one, other) => other.events - one.events);
    this.events = this.runs.reduce((sum, { events }) => sum + events, 0);
  }

  jobsOf(figure: string): readonly FigureJob[] {
    return this.jobs.get(figure) ?? [];
  }

  /** Takes what a run gave; the names of the figures that have all of theirs now. */
  take(run: DistinctRun, result: SimulationRun): string[] {
    this.found.set(run, result);
    return [...run.figures].filter((name) => {
      const left = (this.missing.get(name) as number) - 1;
      this.missing.set(name, left);
      return left === 0;
    });
  }

  /** The runs of a figure that has all of them. */
  runsOf(figure: string): Runs {
    const of = (key: string): readonly SimulationRun[] => {
      const job = this.jobsOf(figure).find((each) => each.key === key);
      assert(job !== undefined, `figure ${figure} has a job ${key}`);
      return job.seeds.map((seed) => this.found.get(this.distinct(job.document, seed)) as SimulationRun);
    };
    return { of };
  }

  /** Forgets the runs that no other figure needs. */
  release(figure: string): void {
    for (const run of this.needed.get(figure) ?? []) {
      run.figures.delete(figure);
      if (run.figures.size === 0) this.found.delete(run);
    }
  }

  private add(figure: string, document: FigureDocument, seed: number): DistinctRun {
    const key = keyOf(document, seed);
    const known = this.byKey.get(key);
    if (known !== undefined) {
      known.figures.add(figure);
      return known;
    }
    const { scenario, events } = this.parse(figure, document);
    const run = { key, scenario: { ...scenario, seed }, events, figures: new Set([figure]) };
    this.byKey.set(key, run);
    return run;
  }

  private parse(figure: string, document: FigureDocument): { scenario: Scenario; events: number } {
    const key = JSON.stringify(document);
    const known = this.parsed.get(key);
    if (known !== undefined) return known;
    const scenario = parseScenario(document, { name: figure });
    const parsed = { scenario, events: expectedEvents(scenario) };
    this.parsed.set(key, parsed);
    return parsed;
  }

  private distinct(document: FigureDocument, seed: number): DistinctRun {
    return this.byKey.get(keyOf(document, seed)) as DistinctRun;
  }
}

function keyOf(document: FigureDocument, seed: number): string {
  return JSON.stringify([document, seed]);
}

function checkKeys(figure: string, jobs: readonly FigureJob[]): void {
  const keys = new Set(jobs.map(({ key }) => key));
  assert(keys.size === jobs.length, `jobs of figure ${figure} have keys of their own`);
  assert(
    [...keys].every((key) => /^[a-z0-9.-]+$/.test(key)),
    'the key of a job is part of a file name',
  );
}

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
  const askers = askersOf(scenario, plans);
  const given = plans.reduce((sum, { bytes, to }, at) => {
    const dropped = (askers.get(to) ?? 0) * SPARE_SHARE * (crossed[at].length / 2 + 1);
    return Number.isFinite(bytes) ? sum + (frameEvents(crossed[at]) + dropped) * (Math.ceil(bytes / frameBytes) + 1) : sum;
  }, 0);
  return poisson.reduce((sum, spec) => sum + poissonEvents(spec, paths, frameBytes), wanted + given);
}

/** By receiver: its flows with an end, each of which asks for more than its share while the others are there. Flows of steady hardly do, windows never. */
function askersOf({ hosts }: Scenario, plans: readonly FlowPlan[]): ReadonlyMap<number, number> {
  const modest = new Set(
    hosts.filter(({ endpoint }) => Boolean(endpoint.windowAlgorithm) || (endpoint.creditAlgorithm ?? 'steady') === 'steady').map(({ id }) => id),
  );
  const counts = new Map<number, number>();
  for (const { to, bytes } of plans) if (Number.isFinite(bytes) && !modest.has(to)) counts.set(to, (counts.get(to) ?? 0) + 1);
  return counts;
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
