// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { FlowRun } from '../flow-run.js';
import type { Scenario } from '../scenario.js';
import type { TrafficPlayer } from '../traffic-player.js';
import type { World } from '../world.js';
import type { AuditedPool } from './audited-pool.js';
import type { Cast } from './cast.js';
import { FlowChecks } from './flow-checks.js';
import type { FlowTrail } from './flow-trail.js';
import type { FrameAudit } from './frame-audit.js';
import { HostChecks } from './host-checks.js';
import { FabricChecks } from './port-checks.js';
import { fail } from './violation.js';

/** Steps between two looks at everything; between them only at what a step touched (ours: then the looks take a third of the time of a run). */
const STEPS_BETWEEN = 48;
/** No world of `randomScenario` takes a fiftieth of it; a world that goes on and on does (ours). */
const MOST_STEPS = 5_000_000;

export interface CheckedWorld {
  readonly scenario: Scenario;
  readonly world: World;
  readonly player: TrafficPlayer;
  readonly pool: AuditedPool;
  readonly audit: FrameAudit;
  readonly cast: Cast;
}

/** Looks at a whole world after each step, and once more when it has come to its end. Throws a Violation. */
export class WorldChecks {
  private readonly scenario: Scenario;
  private readonly world: World;
  private readonly player: TrafficPlayer;
  private readonly pool: AuditedPool;
  private readonly audit: FrameAudit;
  private readonly cast: Cast;
  private readonly hosts: readonly HostChecks[];
  private readonly fabric: FabricChecks;
  private readonly flows = new Map<FlowTrail, FlowChecks>();
  /** Runs from here on have not started. */
  private nextRun = 0;
  private steps = 0;
  private nowNs = 0;

  constructor({ scenario, world, player, pool, audit, cast }: CheckedWorld) {
    this.cast = cast;
    this.scenario = scenario;
    this.world = world;
    this.player = player;
    this.pool = pool;
    this.audit = audit;
    const { network, nics } = world;
    const mayLoseAssociations = scenario.faults.some(({ kind }) => kind === 'hostCrash');
    this.hosts = network.hosts.map(
      (host, port) => new HostChecks(port, host, { nic: nics[port], audit, cast, mayLoseAssociations }),
    );
    this.fabric = new FabricChecks(network.fabric, audit, cast.liars.size > 0);
  }

  step(): void {
    const { network } = this.world;
    this.checkTimes();
    this.watchStarted();
    for (const trail of this.audit.touched) this.flows.get(trail)?.check();
    this.audit.touched.clear();
    this.hosts.forEach((host, port) => {
      host.checkTimer(this.world.nics[port], network.nowNs);
    });
    if (++this.steps % STEPS_BETWEEN === 0) this.checkAll();
    if (this.steps > MOST_STEPS) fail('liveness', `after ${this.steps} steps and ${network.nowNs} ns there is no end`);
  }

  /** The run has ended: because its time was over, or because nothing was left to do. */
  end(): void {
    const { network } = this.world;
    this.checkAll();
    const { agenda, fabric, hosts } = network;
    const nextNs = Math.min(agenda.nextNs, fabric.nextTimeout(), ...hosts.map((host) => host.nextTimeout()));
    const isIdle = nextNs === Number.POSITIVE_INFINITY;
    for (const run of this.player.runs) this.checkOver(run, isIdle);
    if (!isIdle) fail('leftovers', `at ${network.nowNs} ns there is still something to do`);
    for (const host of this.hosts) host.checkEmpty();
    if (this.audit.insideCount > 0) fail('leftovers', `${this.audit.insideCount} frames are left in the network`);
  }

  private checkTimes(): void {
    const { nowNs, agenda, fabric } = this.world.network;
    if (nowNs < this.nowNs) fail('time', `after ${this.nowNs} ns it is ${nowNs} ns`);
    this.nowNs = nowNs;
    if (agenda.nextNs < nowNs) fail('timers', `something that was due at ${agenda.nextNs} ns was not done`);
    if (fabric.nextTimeout() < nowNs) fail('timers', `the fabric was not asked at ${fabric.nextTimeout()} ns`);
  }

  private watchStarted(): void {
    const { runs } = this.player;
    for (; this.nextRun < runs.length; this.nextRun++) {
      const run = runs[this.nextRun];
      if (run.sender === null && !run.isOver) return;
      // A liar gives flows of its own the ids of others: their books would be one.
      if (run.sender === null || this.cast.liars.has(run.plan.to)) continue;
      const trail = this.audit.trailOf(run.plan.from, run.plan.to, run.sender.id);
      const { config } = this.world.network.hosts[run.toPort].host.endpoint;
      this.flows.set(trail, new FlowChecks(run, trail, config));
    }
  }

  private checkAll(): void {
    const { network } = this.world;
    for (const flow of this.flows.values()) flow.check();
    for (const host of this.hosts) host.checkBooks(network.nowNs);
    this.fabric.check(network.nowNs);
    const owned = this.hosts.reduce((sum, host) => sum + host.ownedFrames, this.audit.insideCount);
    if (owned !== this.pool.taken.size) {
      fail(
        'pool',
        `${this.pool.taken.size} frames were taken from the pool and not given back, ${owned} are somewhere`,
      );
    }
  }

  /** Everything has arrived, unless a crash of one of the hosts came between. */
  private checkOver(run: FlowRun, isIdle: boolean): void {
    const { plan, error, doneNs, deliveredBytes } = run;
    const name = `flow ${plan.id} from host ${plan.from} to host ${plan.to}`;
    // What a liar takes may get lost; its host has to be done with it, which `checkEmpty` says.
    if (this.cast.liars.has(plan.to) || this.cast.liars.has(plan.from)) return;
    if (!run.isOver) {
      const why = isIdle ? 'and nothing is going on' : `at ${this.world.network.nowNs} ns`;
      fail('liveness', `${name} has ${deliveredBytes} of ${plan.bytes} bytes ${why}`);
    }
    if (error !== null && !this.mayFail(run)) fail('liveness', `${name} failed with ${error}`);
    if (
      error === null &&
      Number.isFinite(doneNs) &&
      plan.stopNs === Number.POSITIVE_INFINITY &&
      deliveredBytes !== plan.bytes
    ) {
      fail('stream', `${name} ended with ${deliveredBytes} of ${plan.bytes} bytes`);
    }
  }

  private mayFail({ plan }: FlowRun): boolean {
    return this.scenario.faults.some((fault) => {
      if (fault.kind !== 'hostCrash') return false;
      if (fault.host === plan.from) return fault.atNs + fault.forNs >= plan.startNs;
      return fault.host === plan.to && fault.atNs >= plan.startNs;
    });
  }
}
