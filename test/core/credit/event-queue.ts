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
  atNs: number;
  /** Order of scheduling, so that equal times are taken in a fixed order. */
  order: number;
  kind: 'emit' | 'arrive' | 'serve' | 'echo';
  /** Index of the flow, or of the queue for `serve`. */
  target: number;
  /** The credit that arrives or comes back. */
  credit: ModelCredit | undefined;
}

/** A binary heap of events by time. */
export class EventQueue {
  private readonly heap: ModelEvent[] = [];
  private readonly free: ModelEvent[] = [];
  private scheduled = 0;

  schedule(kind: ModelEvent['kind'], target: number, atNs: number, credit?: ModelCredit): void {
    const event = this.free.pop() ?? { atNs, order: 0, kind, target, credit };
    event.kind = kind;
    event.target = target;
    event.atNs = atNs;
    event.credit = credit;
    this.push(event);
  }

  give(event: ModelEvent): void {
    this.free.push(event);
  }

  /** The next event at or before `untilNs`. */
  pop(untilNs: number): ModelEvent | undefined {
    const heap = this.heap;
    const first = heap[0];
    if (first === undefined || first.atNs > untilNs) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) this.sink(last);
    return first;
  }

  private push(event: ModelEvent): void {
    event.order = this.scheduled++;
    const heap = this.heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = event;
  }

  private sink(event: ModelEvent): void {
    const heap = this.heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], event)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = event;
  }
}

function isBefore(a: ModelEvent, b: ModelEvent): boolean {
  return a.atNs < b.atNs || (a.atNs === b.atNs && a.order < b.order);
}
