// Tested by test/loopback/lab.test.ts

import { NEVER, SECOND_NS } from '../../base/time.js';
import type { Fault, Scenario } from '../../sim/scenario.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { DirectionCounts } from './direction-counts.js';
import { LinkSampler, type LinkSamples } from './host-sampler.js';
import type { LabProcesses } from './lab-processes.js';
import type { HostReport } from './messages.js';
import { systemNs, TimedAgenda } from './timed-agenda.js';

/** Orders are at all processes by then (ours). */
const LEAD_NS = 0.5 * SECOND_NS;
/** How often every process is asked whether it is there (ours). */
const LOOK_NS = SECOND_NS;

/** Why a flow ended early, and when. */
export interface FlowFailure {
  readonly error: string;
  readonly atNs: number;
}

/** What a run measured. */
export interface LabMeasurements {
  /** Since when results are measured; 0: the run ended before, and all of it is. */
  readonly measuredFromNs: number;
  readonly endNs: number;
  /** Of the switch, until the measured time and in it. */
  readonly before: readonly DirectionCounts[];
  readonly counts: readonly DirectionCounts[];
  /** One for each host's process, those that crashed too. */
  readonly reports: readonly HostReport[];
  /** How flows failed whose processes were killed. */
  readonly failures: ReadonlyMap<number, FlowFailure>;
  /** By name of the direction; empty where nothing is sampled. */
  readonly links: ReadonlyMap<string, LinkSamples>;
  /** Datagrams that came to the switch, and those that the kernel dropped before; null where the system does not tell. */
  readonly switched: number;
  readonly switchDrops: number | null;
}

export interface LabRunOptions {
  readonly scenario: Scenario;
  readonly flows: readonly FlowPlan[];
  readonly processes: LabProcesses;
  /** Something of the run that happens at its time went wrong. */
  onFailed(error: Error): void;
}

/** Plays the flows and the faults of a scenario over processes that are ready, and measures. */
export class LabRun {
  private readonly options: LabRunOptions;
  private readonly agenda = new TimedAgenda(systemNs);
  private readonly reports: HostReport[] = [];
  private readonly failures = new Map<number, FlowFailure>();
  private readonly over = new Set<number>();
  /** Flows with an end that are not over. */
  private readonly unfinished: Set<number>;
  private readonly links = new Map<string, LinkSampler>();
  private startAt = 0;
  private before: readonly DirectionCounts[] = [];
  private measuredFromNs = 0;
  private resolveEnded: () => void = () => {};

  constructor(options: LabRunOptions) {
    this.options = options;
    this.unfinished = new Set(options.flows.filter(hasEnd).map(({ id }) => id));
  }

  /** Resolves at the end of the run. */
  async play(): Promise<LabMeasurements> {
    const { scenario, processes } = this.options;
    const ended = new Promise<void>((resolve) => {
      this.resolveEnded = resolve;
    });
    await processes.switchProcess.reset();
    this.startAt = systemNs() + LEAD_NS;
    for (const [id] of processes.attachedHosts) this.order(id, 0);
    this.at(scenario.warmUpNs, () => this.beginMeasuring());
    this.lookAt(1);
    if (scenario.probes.intervalNs > 0) this.sampleAt(1);
    for (const fault of scenario.faults) this.at(fault.atNs, () => this.inflict(fault));
    this.at(scenario.durationNs, async () => this.resolveEnded());
    await ended;
    this.agenda.clear();
    return this.measurements();
  }

  /** How far the run is, ns. */
  get nowNs(): number {
    return systemNs() - this.startAt;
  }

  /** A flow is over. */
  onFlowEnded(id: number): void {
    this.over.add(id);
    if (!this.unfinished.delete(id)) return;
    if (this.unfinished.size === 0 && this.options.scenario.endsWithFlows) this.resolveEnded();
  }

  private async measurements(): Promise<LabMeasurements> {
    const { scenario, processes } = this.options;
    // Hosts stop counting at the end by their own clocks, however late this process hears of it.
    const endNs = Math.min(this.nowNs, scenario.durationNs);
    const counts = await processes.switchProcess.counts();
    const { arrived, dropped } = await processes.switchProcess.datagrams();
    const last = await Promise.all(processes.attachedHosts.map(([, host]) => host.report()));
    return {
      measuredFromNs: this.measuredFromNs,
      endNs,
      before: this.before,
      counts,
      reports: [...this.reports, ...last],
      failures: this.failures,
      links: this.links,
      switched: arrived,
      switchDrops: dropped,
    };
  }

  /** Has a host play its flows that start at `fromNs` or later. */
  private order(id: number, fromNs: number): void {
    const { scenario, flows, processes } = this.options;
    processes.host(id)?.run({
      startAt: this.startAt,
      measureNs: scenario.warmUpNs,
      endNs: scenario.durationNs,
      samples: scenario.probes.intervalNs > 0 ? scenario.probes : null,
      flows: flows.filter(({ from, startNs }) => from === id && startNs >= fromNs),
    });
  }

  private at(atNs: number, action: () => Promise<void>): void {
    const { onFailed } = this.options;
    this.agenda.add(this.startAt + atNs, () => {
      action().catch(onFailed);
    });
  }

  /** A process that no longer answers spoils the run: it is found now, not at the end. */
  private lookAt(number: number): void {
    this.at(number * LOOK_NS, async () => {
      this.lookAt(number + 1);
      await this.options.processes.answer();
    });
  }

  private sampleAt(number: number): void {
    const { scenario, processes } = this.options;
    this.at(number * scenario.probes.intervalNs, async () => {
      this.sampleAt(number + 1);
      for (const { name, dataQueueBytesPeak: queueBytes, ...port } of await processes.switchProcess.sample()) {
        const sampler = this.links.get(name) ?? new LinkSampler();
        this.links.set(name, sampler);
        const { creditQueueFrames, dataWireBytes: sentBytes } = port;
        sampler.add(number - 1, { queueBytes, creditQueueFrames, sentBytes });
      }
    });
  }

  private async beginMeasuring(): Promise<void> {
    const { scenario, processes } = this.options;
    const { switchProcess } = processes;
    this.measuredFromNs = scenario.warmUpNs;
    this.before = await switchProcess.counts();
    await switchProcess.reset();
  }

  private async inflict(fault: Fault): Promise<void> {
    const { processes } = this.options;
    if (fault.kind === 'link') {
      await processes.switchProcess.setLink(fault.link, { ...fault.port, ...fault.impairment });
    } else if (fault.kind === 'switchRestart') {
      await processes.switchProcess.stopSwitch(fault.switch);
      this.at(fault.atNs + fault.forNs, () => processes.switchProcess.startSwitch(fault.switch));
    } else if (fault.kind === 'reader') {
      processes.host(fault.host)?.setReaderRate(fault.rateBps);
    } else if (fault.kind === 'hostCrash') {
      await this.crash(fault.host, fault.forNs);
    }
  }

  private async crash(id: number, forNs: number): Promise<void> {
    const { processes } = this.options;
    const host = processes.host(id);
    if (host === null) return;
    const fromNs = this.nowNs;
    const report = await host.report();
    await processes.kill(id);
    this.reports.push(report);
    for (const { id: flow } of report.sent) if (!this.over.has(flow)) this.fail(flow, 'hostCrash');
    const backNs = fromNs + forNs;
    this.failUnstarted(id, fromNs, backNs);
    if (forNs !== NEVER) this.comeBack(id, backNs);
  }

  /** The process is there before its time, so that the time is that of the attachment. */
  private comeBack(id: number, backNs: number): void {
    const { processes } = this.options;
    const host = processes.spawn(id);
    this.at(backNs, async () => {
      await processes.attach(id, host, { rehearses: false });
      this.order(id, backNs);
    });
  }

  private failUnstarted(host: number, fromNs: number, untilNs: number): void {
    const { flows } = this.options;
    const missed = flows.filter(({ from, startNs }) => from === host && startNs >= fromNs && startNs < untilNs);
    for (const { id, startNs } of missed) this.at(startNs, async () => this.fail(id, 'hostDown'));
  }

  private fail(id: number, error: string): void {
    this.failures.set(id, { error, atNs: this.nowNs });
    this.onFlowEnded(id);
  }
}

function hasEnd({ bytes, stopNs }: FlowPlan): boolean {
  return bytes !== NEVER || stopNs !== NEVER;
}
