import type { Random } from '../../../src/base/random.js';
import { EventQueue, type ModelCredit, type ModelEvent } from './event-queue.js';
import { ModelFlow } from './model-flow.js';
import { ModelQueue } from './model-queue.js';
import { CREDIT_BYTES, creditLink, type FlowSpec, type ModelSpec } from './model-spec.js';

/** No port has lowered the rate on the credit. PROTOCOL §9.7 */
const NO_HOP = 15;

/**
 * A small model of a credit-scheduled network, to choose rate laws by: metered credit queues that offer rates, delays, losses and flows whose senders
 * always have data. Data is not queued, since the credits that pass the meters release no more of it than the links carry; and a credit never waits
 * for a frame in transmission. So the model shows what becomes of credits and says nothing of data queues.
 */
export class Model {
  readonly flows: ModelFlow[];
  readonly queues: ModelQueue[];
  nowNs = 0;

  private readonly spec: ModelSpec;
  private readonly random: Random;
  private readonly events = new EventQueue();

  constructor(spec: ModelSpec, random: Random) {
    this.spec = spec;
    this.random = random;
    this.queues = spec.links.map((link) => new ModelQueue(link));
    this.flows = spec.flows.map((flow) => this.addFlow(flow));
  }

  /** Runs to `untilNs`. */
  run(untilNs: number): this {
    for (let event = this.events.pop(untilNs); event !== undefined; event = this.events.pop(untilNs)) {
      this.nowNs = event.atNs;
      this.handle(event);
      this.events.give(event);
    }
    this.nowNs = untilNs;
    return this;
  }

  private addFlow(spec: FlowSpec): ModelFlow {
    const { binNs, jitter = 0.02, wakeNs = 0 } = this.spec;
    const link = creditLink(this.spec.links[spec.path[0]].rateBps);
    const flow = new ModelFlow({ spec, link, random: this.random, binNs, jitter, wakeNs });
    this.schedule('emit', this.spec.flows.indexOf(spec), this.emissionNs(flow));
    return flow;
  }

  private handle({ kind, target, credit }: ModelEvent): void {
    if (kind === 'emit') this.emit(target);
    else if (kind === 'serve') this.serve(target);
    else if (kind === 'arrive') this.arrive(credit!);
    else this.echo(credit!);
  }

  private emit(index: number): void {
    const flow = this.flows[index];
    if (flow.emit(this.nowNs)) this.spec.onUpdate?.(index, this.nowNs, flow.algorithm);
    const { min, max } = CREDIT_BYTES;
    const bytes = min + Math.floor(this.random.next() * (max - min + 1));
    this.arrive({
      flow: index,
      hop: 0,
      sequence: flow.lastSequence,
      bytes,
      flowBps: flow.saidBps,
      limitingHop: flow.algorithm.hop ?? NO_HOP,
      offeredBps: Number.POSITIVE_INFINITY,
      offeringHop: NO_HOP,
    });
    this.schedule('emit', index, Math.max(this.nowNs, this.emissionNs(flow)));
  }

  private emissionNs(flow: ModelFlow): number {
    return this.spec.lateInto === 'nic' ? flow.wakeAt(flow.nextDueNs) : flow.nextDueNs;
  }

  private arrive(credit: ModelCredit): void {
    const index = this.spec.flows[credit.flow].path[credit.hop];
    const queue = this.queues[index];
    if (!queue.push(credit, this.nowNs)) return;
    if (queue.length === 1) this.schedule('serve', index, queue.readyAt(this.nowNs));
  }

  private serve(index: number): void {
    const queue = this.queues[index];
    const credit = queue.shift(this.nowNs);
    // Twice: the credit on its way out, and on the way back the data that it released.
    if (!queue.loses(this.random) && !queue.loses(this.random)) this.forward(credit);
    if (queue.length > 0) this.schedule('serve', index, queue.readyAt(this.nowNs));
  }

  /** Sends a credit that left a queue on to the next one of its path, or back to the receiver as data after the last. */
  private forward(credit: ModelCredit): void {
    const { path, hopNs, returnNs } = this.spec.flows[credit.flow];
    const flow = this.flows[credit.flow];
    credit.hop++;
    if (credit.hop === path.length) {
      this.schedule('echo', credit.flow, flow.wakeAt(this.nowNs + returnNs), credit);
      return;
    }
    const isLate = credit.hop === 1 && this.spec.lateInto !== 'nic';
    const leavesNs = isLate ? flow.wakeAt(this.nowNs) : this.nowNs;
    this.schedule('arrive', credit.flow, leavesNs + hopNs, credit);
  }

  private echo(credit: ModelCredit): void {
    const { flow: index } = credit;
    const flow = this.flows[index];
    if (flow.echo(credit, this.nowNs)) this.spec.onUpdate?.(index, this.nowNs, flow.algorithm);
  }

  private schedule(kind: ModelEvent['kind'], target: number, atNs: number, credit?: ModelCredit): void {
    this.events.schedule(kind, target, atNs, credit);
  }
}
