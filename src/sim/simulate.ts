import { assert } from '../base/assert.js';
import { rulingAlgorithm } from '../core/algorithms.js';
import type { Application } from '../core/application.js';
import { type CreditTotals, creditDropShare, creditsOutstanding, sumCredits } from '../core/credit-totals.js';
import { Disorder, type DisorderCounts } from '../core/disorder.js';
import { AloneTimes } from './alone.js';
import { type Clockwork, WholeClockwork } from './clockwork.js';
import { scheduleFaults } from './faults.js';
import type { FlowRun } from './flow-run.js';
import { completionTimes } from './measure/completion-times.js';
import { Fairness, type WindowSums } from './measure/fairness.js';
import { type FlowOutcome, flowResult } from './measure/flow-result.js';
import type { LinkProbe } from './measure/link-probe.js';
import { SeriesRecorder } from './measure/series-recorder.js';
import { overallUtilisation } from './measure/utilisation.js';
import type { Network } from './network.js';
import type { FlowResult, RunSeries, SimulationResult, SimulationRun } from './result.js';
import type { Scenario } from './scenario.js';
import { type FlowPlan, planFlows } from './traffic/plan-flows.js';
import { hasEnd, type PlayerPart, TrafficPlayer } from './traffic-player.js';
import { buildWorld, chancesOf, largestFrameBytes, type World, type WorldMakers } from './world.js';

/** Makers: of parts that are not the real ones, to see that checks find what is wrong with them. */
export interface SimulateOptions extends WorldMakers {
  /** Instead of what the scenario says. */
  readonly slowdowns?: boolean | undefined;
  /** Sees the world before anything happens: for captures. */
  readonly onWorld?: ((world: World) => void) | undefined;
  /** Looks at the world after each step. */
  readonly onStep?: (world: World, player: TrafficPlayer) => void;
  /** Hears of each sample that the scenario asks for; `series` copies what was sampled so far. */
  readonly onSample?: (nowNs: number, series: () => RunSeries) => void;
  /** The part of the world that is played; without it all of it is. */
  readonly part?: RunPart | undefined;
}

/** One of several parts of a world. */
export interface RunPart extends PlayerPart {
  clockwork(world: World, player: TrafficPlayer): Clockwork;
}

/** Result of one part. What it says of its own ports, and of flows to its own hosts, is what the whole would say. */
export interface PartRun extends SimulationRun {
  /** Credits before the measured time. */
  readonly creditsBefore: CreditTotals;
  /** By length of window. */
  readonly fairness: readonly (readonly WindowSums[])[];
  readonly disorder: DisorderCounts;
  /** Events that are the same in each part. */
  readonly agendaSteps: number;
}

/** Plays a scenario and returns its result, the same to the last bit on every machine. Throws XpassError or ConfigError for an impossible scenario. */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): SimulationRun {
  const steps = new Simulation(scenario, options).play();
  const { value } = steps.next();
  assert(typeof value === 'object', 'a whole world waits for nobody');
  const { result, series } = value;
  return { result, series };
}

/** A run, whole or in parts. */
export class Simulation {
  private readonly scenario: Scenario;
  private readonly world: World;
  private readonly player: TrafficPlayer;
  private readonly fairness: Fairness;
  private readonly recorder: SeriesRecorder | null;
  private readonly onSample: SimulateOptions['onSample'];
  /** Since when results are measured; the whole run where it ends earlier. */
  private measuredFromNs = 0;
  private readonly bytesBefore: Float64Array;
  private readonly heldBefore: Float64Array;
  private creditsBefore: CreditTotals = sumCredits([]);
  private readonly alone: AloneTimes | null;
  private readonly clockwork: Clockwork;

  constructor(scenario: Scenario, options: SimulateOptions) {
    const { onWorld, onStep, onSample, slowdowns = scenario.slowdowns ?? true, part, ...makers } = options;
    this.scenario = scenario;
    this.onSample = onSample;
    const chances = chancesOf(scenario.seed);
    const applicationAt = (port: number): Application => ({ acceptFlow: (flow) => this.player.accept(port, flow) });
    this.world = buildWorld({ scenario, chances, applicationAt, ...makers });
    onWorld?.(this.world);
    const { network, ports } = this.world;
    const plans = planFlows(scenario.traffic, chances.traffic, largestFrameBytes(scenario.topology));
    this.player = new TrafficPlayer(plans, { network, ports, carriesBytes: scenario.payload === 'bytes', part });
    this.fairness = new Fairness(scenario.jainWindowsNs, this.player, part !== undefined);
    this.recorder = this.makeRecorder();
    this.bytesBefore = new Float64Array(plans.length);
    this.heldBefore = new Float64Array(plans.length);
    this.alone = slowdowns ? new AloneTimes(scenario) : null;
    scheduleFaults(scenario, this.world, this.player);
    if (scenario.endsWithFlows) this.player.onAllEnded = () => network.stop();
    this.clockwork = part?.clockwork(this.world, this.player) ?? new WholeClockwork(network);
    if (onStep !== undefined) network.onStep = () => onStep(this.world, this.player);
  }

  /** Yields what its clockwork does. */
  *play(): Generator<number, PartRun> {
    const { network } = this.world;
    const { warmUpNs, durationNs } = this.scenario;
    network.agenda.at(warmUpNs, (nowNs) => this.beginMeasuring(nowNs));
    this.scheduleSamples();
    const { mayEnd } = this;
    const left = (): number => (mayEnd ? this.player.unfinished : 1);
    const endNs = yield* this.clockwork.run(durationNs, left);
    const result = this.result(endNs);
    this.recorder?.finish(endNs);
    const series = this.recorder?.series ?? null;
    const part = this.ofPart();
    const hasEnded = (yield* this.clockwork.greatest(left())) === 0;
    return { ...part, result: hasEnded ? yield* this.settled(result) : result, series };
  }

  /** The same with the fate of the credits that were out at the end. Everything else is as it was then. */
  private *settled(result: SimulationResult): Generator<number, SimulationResult> {
    const before = this.creditsBefore;
    const runs = yield* settleCredits(this.world.network, this.player, this.clockwork);
    const credits = new Map(runs.map((run) => [run.plan.id, run.credits]));
    const flows = result.flows.map((flow) => ({ ...flow, credits: credits.get(flow.id) ?? flow.credits }));
    const after = sumCredits(flows.map((flow) => flow.credits));
    return { ...result, flows, creditDropShare: creditDropShare(before, after) };
  }

  private get mayEnd(): boolean {
    return this.scenario.endsWithFlows && this.player.runs.some(({ plan }) => hasEnd(plan));
  }

  private beginMeasuring(nowNs: number): void {
    this.measuredFromNs = nowNs;
    for (const link of this.world.links) link.reset(nowNs);
    for (const { host } of this.world.network.hosts) host.endpoint.disorder.reset();
    for (const { plan, deliveredBytes, heldBytes } of this.player.runs) {
      this.bytesBefore[plan.id] = deliveredBytes;
      this.heldBefore[plan.id] = heldBytes;
    }
    this.creditsBefore = this.totalCredits();
    this.fairness.begin(this.world.network.agenda, nowNs);
  }

  private makeRecorder(): SeriesRecorder | null {
    const { probes, durationNs, bottlenecks } = this.scenario;
    if (probes.intervalNs === 0) return null;
    const names = new Set(probes.links.length > 0 ? probes.links : bottlenecks);
    const isProbed = ({ name }: LinkProbe): boolean => names.size === 0 || names.has(name);
    const wanted = probes.flows === undefined ? null : new Set(probes.flows);
    const candidates = this.player.runs.filter(({ plan }) => wanted?.has(plan.id) ?? true);
    const flows = candidates.sort((a, b) => a.plan.id - b.plan.id).slice(0, wanted?.size ?? probes.maxFlows);
    const flowLabel = (run: FlowRun): string => `${this.hostName(run.plan.from)}->${this.hostName(run.plan.to)}`;
    const links = this.world.links.filter(isProbed);
    return new SeriesRecorder({ intervalNs: probes.intervalNs, durationNs, flows, flowLabel, links });
  }

  private scheduleSamples(): void {
    const { recorder } = this;
    if (recorder === null) return;
    const { intervalNs } = this.scenario.probes;
    const { agenda } = this.world.network;
    const sampleAt = (index: number): void => {
      agenda.at(index * intervalNs, (nowNs) => {
        recorder.sample(nowNs);
        this.onSample?.(nowNs, () => recorder.series);
        sampleAt(index + 1);
      });
    };
    sampleAt(1);
  }

  private result(endNs: number): SimulationResult {
    const { scenario, world } = this;
    const measuredNs = endNs - this.measuredFromNs;
    const flows = this.flowResults(endNs);
    const links = world.links.map((link) => link.result(endNs, measuredNs));
    const jainByWindow = this.fairness.result;
    return {
      scenario: scenario.name,
      seed: scenario.seed,
      algorithm: this.algorithms(),
      durationNs: endNs,
      measuredNs,
      flows,
      links,
      jain: jainByWindow[0]?.jain ?? null,
      jainByWindow,
      utilisation: overallUtilisation(links, scenario.bottlenecks),
      creditDropShare: creditDropShare(this.creditsBefore, this.totalCredits()),
      ...disorderFigures(this.disorder()),
      fct: completionTimes(flows),
      // Looking at a run is no part of it: the result is the same with samples and without.
      events: world.network.events - (this.recorder?.samples ?? 0),
    };
  }

  private ofPart(): Omit<PartRun, keyof SimulationRun> {
    const { creditsBefore, fairness, world } = this;
    const { counts } = this.disorder();
    return { creditsBefore, fairness: fairness.sums, disorder: counts, agendaSteps: world.network.agendaSteps };
  }

  private flowResults(endNs: number): FlowResult[] {
    const measuredRun = {
      measuredFromNs: this.measuredFromNs,
      endNs,
      hostName: (id: number) => this.hostName(id),
      slowdown: (plan: FlowPlan, fctNs: number) => this.alone?.slowdown(plan, fctNs) ?? null,
    };
    const results = this.player.runs.map((run) => flowResult(this.outcome(run), measuredRun));
    return results.sort((a, b) => a.id - b.id);
  }

  private outcome(run: FlowRun): FlowOutcome {
    const { plan, startNs, doneNs, deliveredBytes, heldBytes, credits, error, wireId } = run;
    const measuredBytes = deliveredBytes - this.bytesBefore[plan.id];
    const measuredHeldBytes = heldBytes - this.heldBefore[plan.id];
    return { plan, startNs, doneNs, deliveredBytes, measuredBytes, measuredHeldBytes, credits, error, wireId };
  }

  private hostName(id: number): string {
    return this.scenario.topology.hosts[this.world.ports.get(id) as number].name;
  }

  /** What rules the flows, each name once. */
  private algorithms(): string {
    const config = (port: number) => this.world.network.hosts[port].host.endpoint.config;
    const names = this.player.runs.map(({ plan, fromPort, toPort }) =>
      rulingAlgorithm(config(fromPort), config(toPort), plan.windowAlgorithm),
    );
    return [...new Set(names)].sort().join('+');
  }

  /** Of all hosts; of one that crashed, since it came back. */
  private disorder(): Disorder {
    const all = new Disorder();
    for (const { host } of this.world.network.hosts) all.add(host.endpoint.disorder);
    return all;
  }

  private totalCredits(): CreditTotals {
    return sumCredits(this.player.runs.map(({ credits }) => credits));
  }
}

export function disorderFigures(all: Disorder): Pick<SimulationResult, 'disorderP99' | 'disorderMax'> {
  return { disorderP99: all.quantile(0.99), disorderMax: all.max };
}

/**
 * Plays on after the end until no ended flow has credits out: a moment after its last byte, or a credit's life at most where stops are lost (PROTOCOL §4.5).
 * Returns the flows whose credits were out.
 */
export function* settleCredits(
  network: Network,
  player: TrafficPlayer,
  clockwork: Clockwork,
): Generator<number, FlowRun[]> {
  const found = player.runs.filter((run) => run.isOver && creditsOutstanding(run.credits) > 0 && run.receiver !== null);
  const unsettled = new Set(found);
  const lifeNs = yield* clockwork.greatest(
    found.reduce((longestNs, run) => Math.max(longestNs, creditLifeNs(network, run)), 0),
  );
  if (lifeNs === 0) return found;
  player.onCreditsSettled = (run) => {
    unsettled.delete(run);
    if (unsettled.size === 0) network.stop();
  };
  yield* clockwork.run(network.nowNs + lifeNs, () => unsettled.size);
  return found;
}

function creditLifeNs({ hosts }: Network, { toPort, receiver }: FlowRun): number {
  const { endpoint } = hosts[toPort].host;
  return Math.max(endpoint.config.creditLifeNs, 4 * (receiver?.statistics.rttNs ?? 0));
}
