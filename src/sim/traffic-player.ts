// Tested by test/sim/simulate.test.ts
import { NEVER } from '../base/time.js';
import type { FlowReader } from '../core/flow-callbacks.js';
import type { ReceiverFlow } from '../core/receiver-flow.js';
import { type FlowHost, FlowRun } from './flow-run.js';
import type { Network } from './network.js';
import { SlowReader } from './slow-reader.js';
import { type FlowPlan, openOptions } from './traffic/plan-flows.js';

/** Flow ids are 32-bit, so a peer and an id fit into one safe integer. */
const IDS = 2 ** 32;

/** The part of a world whose programs run here. */
export interface PlayerPart {
  owns(port: number): boolean;
  /** A flow to a host of another part has this id. */
  opened(run: FlowRun, wireId: number): void;
  /** Throws where the other end is in another part. */
  failed(run: FlowRun): void;
}

export interface PlayerOptions {
  readonly network: Network;
  /** By host id: its port. */
  readonly ports: ReadonlyMap<number, number>;
  readonly carriesBytes: boolean;
  /** Absent for a whole world. */
  readonly part?: PlayerPart | undefined;
}

/** The programs on the hosts: opens the flows of a plan when their time has come, and takes them at the other end. */
export class TrafficPlayer implements FlowHost {
  /** Every flow, in the order in which they may start. */
  readonly runs: readonly FlowRun[];
  /** Flows that have started and are not over, in no order. */
  readonly active: FlowRun[] = [];
  /** Called when the last flow with an end is over. */
  onAllEnded: () => void = () => {};
  /** Called when the credits of a flow are counted for good. */
  onCreditsSettled: (run: FlowRun) => void = () => {};
  private readonly network: Network;
  /** By port: flows that were opened to it and have not been taken, by peer and flow id. */
  private readonly expected: Map<number, FlowRun>[];
  /** By port; null where what arrives is read at once, and always was. */
  private readonly readers: (SlowReader<FlowRun> | null)[];
  /** Flows that start by themselves, in the order of their starts; and those that wait for another to be over, by its id. */
  private readonly leaders: readonly FlowRun[];
  private readonly followers: ReadonlyMap<number, FlowRun>;
  /** Flows to hosts of this part that have an end and are not over. */
  unfinished: number;
  private readonly part: PlayerPart | undefined;

  constructor(plans: readonly FlowPlan[], { network, ports, carriesBytes, part }: PlayerOptions) {
    this.part = part;
    this.network = network;
    this.expected = network.hosts.map(() => new Map<number, FlowRun>());
    this.readers = network.hosts.map(() => null);
    this.runs = plans.map((plan) => {
      const [fromPort, toPort] = [ports.get(plan.from) as number, ports.get(plan.to) as number];
      return new FlowRun(plan, this, { fromPort, toPort, carriesBytes });
    });
    this.leaders = this.runs.filter(({ plan }) => plan.afterId === undefined);
    this.followers = followersOf(this.runs);
    this.unfinished = this.runs.filter((run) => hasEnd(run.plan) && this.receives(run)).length;
    this.scheduleStarts();
  }

  get nowNs(): number {
    return this.network.nowNs;
  }

  senderNs(run: FlowRun): number {
    return this.network.hosts[run.fromPort].toOwn(this.nowNs);
  }

  /** A peer opens a flow to the host at `port`. */
  accept(port: number, flow: ReceiverFlow): FlowReader | null {
    const key = flow.peer * IDS + flow.id;
    const run = this.expected[port].get(key);
    if (run === undefined) return null;
    this.expected[port].delete(key);
    run.receiver = flow;
    return run;
  }

  /** A host of another part has opened the flow. */
  expect(run: FlowRun, wireId: number): void {
    run.beginElsewhere();
    this.expected[run.toPort].set(run.plan.from * IDS + wireId, run);
  }

  onDelivered(run: FlowRun, bytes: number): void {
    const reader = this.readers[run.toPort];
    if (reader !== null) reader.take(run, bytes, this.nowNs);
    else run.receiver?.release(bytes, this.network.hosts[run.toPort].toOwn(this.nowNs));
  }

  onEnded(run: FlowRun): void {
    if (run.error !== null) this.part?.failed(run);
    this.deactivate(run);
    const next = this.followers.get(run.plan.id);
    if (next !== undefined) this.network.agenda.at(Math.max(this.nowNs, next.plan.startNs), () => this.start(next));
    if (hasEnd(run.plan) && --this.unfinished === 0) this.onAllEnded();
  }

  onSettled(run: FlowRun): void {
    this.onCreditsSettled(run);
  }

  /** What arrives at the host is read at this rate from now on. */
  setReaderRate(port: number, rateBps: number): void {
    const reader = this.readers[port] ?? slowReader(this.network, port);
    this.readers[port] = reader;
    reader.setRate(rateBps, this.nowNs);
  }

  /** The host at `port` has forgotten everything. */
  loseHost(port: number): void {
    this.expected[port].clear();
    this.readers[port]?.clear();
    for (const run of [...this.active]) {
      if (run.fromPort === port) run.fail('hostCrash');
      else if (run.toPort === port) run.loseReceiver();
    }
  }

  /** One entry of the agenda at a time, however many flows there are. */
  private scheduleStarts(next = 0): void {
    const { leaders } = this;
    if (next >= leaders.length) return;
    this.network.agenda.at(leaders[next].startNs, (nowNs) => {
      let index = next;
      while (index < leaders.length && leaders[index].startNs <= nowNs) this.start(leaders[index++]);
      this.scheduleStarts(index);
    });
  }

  private start(run: FlowRun): void {
    const { plan } = run;
    const port = run.fromPort;
    const host = this.network.hosts[port];
    run.startNs = Math.max(run.startNs, this.nowNs);
    if (this.receives(run)) run.activeIndex = this.active.push(run) - 1;
    if (this.part?.owns(port) === false) return;
    if (!host.up) {
      run.fail('hostDown');
      return;
    }
    const flow = host.host.endpoint.open(plan.to, run, openOptions(plan), host.clock.toOwn(this.nowNs));
    if (this.receives(run)) this.expected[run.toPort].set(plan.from * IDS + flow.id, run);
    else this.part?.opened(run, flow.id);
    run.begin(flow);
    if (plan.stopNs !== NEVER) this.network.agenda.at(Math.max(plan.stopNs, run.startNs), () => this.stop(run));
    this.network.drain(port);
  }

  private receives(run: FlowRun): boolean {
    return this.part === undefined || this.part.owns(run.toPort);
  }

  private stop(run: FlowRun): void {
    run.finish();
    this.network.drain(run.fromPort);
  }

  private deactivate(run: FlowRun): void {
    if (run.activeIndex < 0) return;
    const last = this.active.pop() as FlowRun;
    if (last !== run) {
      this.active[run.activeIndex] = last;
      last.activeIndex = run.activeIndex;
    }
    run.activeIndex = -1;
  }
}

function followersOf(runs: readonly FlowRun[]): ReadonlyMap<number, FlowRun> {
  return new Map(runs.flatMap((run) => (run.plan.afterId === undefined ? [] : [[run.plan.afterId, run]])));
}

export function hasEnd({ bytes, stopNs }: FlowPlan): boolean {
  return bytes !== Number.POSITIVE_INFINITY || stopNs !== NEVER;
}

function slowReader(network: Network, port: number): SlowReader<FlowRun> {
  let asked = 0;
  const reader = new SlowReader<FlowRun>({
    read: (run, bytes, atNs) => run.receiver?.release(bytes, network.hosts[port].toOwn(atNs)),
    schedule: (atNs) => {
      const number = ++asked;
      network.agenda.at(atNs, () => {
        // A change of rate or a crash came between.
        if (number !== asked || reader.dueNs !== atNs) return;
        reader.readNext();
        network.drain(port);
      });
    },
  });
  return reader;
}
