import { assert } from '../base/assert.js';
import { DeadlineHeap, type TieOrder } from '../base/deadline-heap.js';
import { NEVER } from '../base/time.js';
import type { Fabric } from '../switch/fabric.js';
import { Agenda } from './agenda.js';
import type { SimHost } from './sim-host.js';

/**
 * The loop of one simulated world: hosts at the ports of a fabric, and an agenda. Time is in ns with fractions. Total order: by time, then agenda, fabric,
 * hosts, then the order in which deadlines were set, or that of places in the topology.
 */
export class Network {
  nowNs = 0;
  readonly agenda = new Agenda();
  /** By port of the fabric. */
  readonly hosts: readonly SimHost[];
  readonly fabric: Fabric;
  /** Looks at the world after each step; for checks. */
  onStep: (() => void) | null = null;
  private readonly timers: DeadlineHeap;
  private readonly ties: TieOrder;
  private steps = 0;
  private isStopped = false;

  constructor(fabric: Fabric, hosts: readonly SimHost[], ties: TieOrder = 'deadlines') {
    this.timers = new DeadlineHeap(ties);
    this.ties = ties;
    this.fabric = fabric;
    this.hosts = hosts;
  }

  /** Actions of the agenda that came. */
  get agendaSteps(): number {
    return this.agenda.steps;
  }

  /** When something happens next; NEVER when there is nothing left. */
  get nextNs(): number {
    return Math.min(this.agenda.nextNs, this.fabric.nextTimeout(), this.timers.peekDeadline());
  }

  /** Frames that came to the end of a link, and deadlines of hosts and the agenda that came. */
  get events(): number {
    return this.steps + this.fabric.events;
  }

  /** Plays until `untilNs`, until nothing is left to do, or until `stop`; returns the time. */
  run(untilNs: number): number {
    this.isStopped = false;
    for (;;) {
      const agendaNs = this.agenda.nextNs;
      const fabricNs = this.fabric.nextTimeout();
      const hostNs = this.timers.peekDeadline();
      const nextNs = Math.min(agendaNs, fabricNs, hostNs);
      if (nextNs > untilNs || nextNs === NEVER || (this.isStopped && !this.playsOut(nextNs))) break;
      assert(nextNs >= this.nowNs, 'time does not run back');
      this.nowNs = nextNs;
      if (agendaNs === nextNs) this.stepAgenda();
      else if (fabricNs === nextNs) this.stepFabric();
      else this.stepHost(nextNs);
      if (this.onStep !== null) this.onStep();
    }
    if (!this.isStopped && untilNs !== Number.POSITIVE_INFINITY) this.nowNs = untilNs;
    return this.nowNs;
  }

  /** Ends `run` after the present step; where ties are those of places, after all of the present time. */
  stop(): void {
    this.isStopped = true;
  }

  /** Lets a host send what it has to send: after a verb of one of its flows. */
  drain(port: number): void {
    this.advanceHost(port, this.nowNs);
    this.deliver();
  }

  /** Whether what happens at `nextNs` belongs to the time at which the run was stopped. */
  private playsOut(nextNs: number): boolean {
    return this.ties === 'places' && nextNs === this.nowNs;
  }

  private stepAgenda(): void {
    this.steps++;
    this.agenda.runNext();
  }

  private stepFabric(): void {
    this.fabric.step();
    this.deliver();
  }

  private stepHost(nowNs: number): void {
    this.steps++;
    const port = this.timers.peekSlot();
    this.advanceHost(port, nowNs);
    this.deliver();
  }

  private advanceHost(port: number, nowNs: number): void {
    const { fabric } = this;
    const host = this.hosts[port];
    host.advance(nowNs);
    for (let frame = host.poll(); frame !== null; frame = host.poll()) fabric.handleDeparture(port, frame, nowNs);
    this.timers.set(port, host.nextTimeout());
  }

  /**
   * Hands out what has arrived: after each step, and after a change of the fabric that may have let frames go. A host's answer may be at the next
   * host in the same instant where links have neither length nor rate.
   */
  deliver(): void {
    const { fabric } = this;
    for (let frame = fabric.poll(); frame !== null; frame = fabric.poll()) {
      const { port } = frame;
      // Read where somebody needs it: a time that is handed on is a number on the heap each time.
      const { nowNs } = this;
      this.hosts[port].receive(frame, nowNs);
      this.advanceHost(port, nowNs);
    }
  }
}
