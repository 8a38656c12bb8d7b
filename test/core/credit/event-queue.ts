import { DeadlineHeap } from '../../../src/base/deadline-heap.js';

/** A credit on its way from the receiver to the sender. */
export interface ModelCredit {
  flow: number;
  /** Index of the queue on the flow's path that it is in or on its way to. */
  hop: number;
  sequence: number;
  bytes: number;
  /** Rate of its flow and the hop that limits it, bit/s; 0: it asks for no explicit rate. */
  flowBps: number;
  limitingHop: number;
  /** The lowest rate that the ports on its way offer, and the hop of the one that does. */
  offeredBps: number;
  offeringHop: number;
}

/** What happens next in the model. Events are pooled: the taker gives one back when it is done with it. */
export interface ModelEvent {
  readonly slot: number;
  atNs: number;
  kind: 'emit' | 'arrive' | 'serve' | 'echo';
  /** Index of the flow, or of the queue for `serve`. */
  target: number;
  /** The credit that arrives or comes back. */
  credit: ModelCredit | undefined;
}

/** Events by time; those of one time in the order in which they were scheduled. */
export class EventQueue {
  private readonly heap = new DeadlineHeap();
  private readonly events: ModelEvent[] = [];
  private readonly free: ModelEvent[] = [];

  schedule(kind: ModelEvent['kind'], target: number, atNs: number, credit?: ModelCredit): void {
    const event = this.free.pop() ?? this.newEvent();
    event.kind = kind;
    event.target = target;
    event.atNs = atNs;
    event.credit = credit;
    this.heap.set(event.slot, atNs);
  }

  give(event: ModelEvent): void {
    this.free.push(event);
  }

  /** The next event at or before `untilNs`. */
  pop(untilNs: number): ModelEvent | undefined {
    if (this.heap.peekDeadline() > untilNs) return undefined;
    const slot = this.heap.peekSlot();
    this.heap.remove(slot);
    return this.events[slot];
  }

  private newEvent(): ModelEvent {
    const event: ModelEvent = { slot: this.events.length, atNs: 0, kind: 'emit', target: 0, credit: undefined };
    this.events.push(event);
    return event;
  }
}
