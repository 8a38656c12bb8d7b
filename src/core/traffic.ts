import { Classes } from '../base/classes.js';
import { counter, gauge, group, histogram, label, list, nullable, type Values } from '../base/metric.js';

/** What the flows of one direction and algorithm have moved, those that are over included. Of flows that are sent, nobody but their receivers knows the fate of credits. */
export const FLOWS_METRICS = {
  direction: label<FlowDirection>('sent or received', 'sent'),
  algorithm: label(
    'Credit algorithm of flows received, `credits` of those sent; window algorithm of reactive ones, `reactive` at their receivers',
  ),
  open: gauge('flows', 'Flows that are open or linger'),
  closed: counter('flows', 'Flows that are over'),
  payloadBytes: counter('bytes', 'Payload: sent for the first time, or delivered in order'),
  dataFrames: counter('frames', 'Data frames released by credits or windows, repairs included'),
  speculativeFrames: counter('frames', 'Data frames without a credit'),
  repairedFrames: counter('frames', 'Data frames with bytes that were sent before'),
  credits: counter('credits', 'Credits: issued for flows received, or received for flows sent'),
  unused: counter('credits', 'Credits that found nothing to send'),
  used: nullable(counter('credits', 'Credits echoed by data')),
  dropped: nullable(counter('credits', 'Credits without an answer: dropped, or their data was lost')),
  outstanding: nullable(gauge('credits', 'Credits whose fate is unknown')),
  marked: nullable(counter('frames', 'Data frames that arrived marked CE')),
};

export type FlowDirection = 'sent' | 'received';
export type FlowsSnapshot = Values<typeof FLOWS_METRICS>;

/** What an endpoint on a real machine knows of all its flows together. */
export const TRAFFIC_METRICS = {
  flow: list('Flows by direction and algorithm', FLOWS_METRICS, { direction: 'direction', algorithm: 'algorithm' }),
  flowRtt: group('Round-trip times', {
    classes: histogram('ns', 'Flows by their smoothed round-trip time at their end'),
  }),
  flowCompletion: group('Completion times', {
    classes: histogram('ns', 'Flows whose whole stream arrived, by the time from their opening to that'),
  }),
  heldBytes: gauge(
    'bytes',
    'Memory that received flows hold: bytes that their readers have not released, and blocks beyond holes',
  ),
  heldLimitBytes: gauge('bytes', 'Most of it (`--held-memory`)'),
};

export type TrafficSnapshot = Values<typeof TRAFFIC_METRICS>;

/** A flow, as far as it is counted. */
export interface CountedFlow {
  readonly isReceived: boolean;
  /** As of FLOWS_METRICS. */
  readonly algorithmName: string;
  /** Smoothed; 0 before the first sample. */
  readonly rttNs: number;
  addTo(sums: FlowSums): void;
  /** From its opening until the whole stream had arrived; -1 where it has not. */
  completionNs(nowNs: number): number;
}

/** Sums of the flows of one direction and algorithm. Counting allocates nothing. */
export class FlowSums {
  open = 0;
  closed = 0;
  payloadBytes = 0;
  dataFrames = 0;
  speculativeFrames = 0;
  repairedFrames = 0;
  credits = 0;
  unused = 0;
  used = 0;
  dropped = 0;
  outstanding = 0;
  marked = 0;

  /** Becomes a copy of `other`. */
  copy(other: FlowSums): void {
    this.open = other.open;
    this.closed = other.closed;
    this.payloadBytes = other.payloadBytes;
    this.dataFrames = other.dataFrames;
    this.speculativeFrames = other.speculativeFrames;
    this.repairedFrames = other.repairedFrames;
    this.credits = other.credits;
    this.unused = other.unused;
    this.used = other.used;
    this.dropped = other.dropped;
    this.outstanding = other.outstanding;
    this.marked = other.marked;
  }
}

/** Upper bounds, ns: 10 us to 100 s, from a round trip on one machine to a flow of minutes (ours: three a decade). */
const TIME_CLASSES_NS = Array.from({ length: 22 }, (_, at) => [1, 2, 5][at % 3] * 10 ** (4 + Math.floor(at / 3)));

/** Flows over, and those of the moment beside them. */
class Sums {
  readonly over = new FlowSums();
  readonly now = new FlowSums();
}

/**
 * All flows of an endpoint together, for metrics. A flow that ends adds its counts here; those that are open are read when somebody asks. So counting costs no
 * frame anything, and a look costs a walk without an allocation a flow. docs/decisions/0028-prometheus.md
 */
export class Traffic {
  private readonly sent = new Map<string, Sums>();
  private readonly received = new Map<string, Sums>();
  private readonly rtts = new Classes(TIME_CLASSES_NS);
  private readonly completions = new Classes(TIME_CLASSES_NS);

  flowClosed(flow: CountedFlow, nowNs: number): void {
    const { over } = this.sumsOf(flow);
    flow.addTo(over);
    over.open--;
    over.closed++;
    over.outstanding = 0;
    if (flow.rttNs > 0) this.rtts.add(flow.rttNs);
    const lifetimeNs = flow.completionNs(nowNs);
    if (lifetimeNs >= 0) this.completions.add(lifetimeNs);
  }

  /** With the flows that are open. */
  snapshot(flows: readonly (CountedFlow | null)[]): Pick<TrafficSnapshot, 'flow' | 'flowRtt' | 'flowCompletion'> {
    for (const table of [this.sent, this.received]) for (const { now, over } of table.values()) now.copy(over);
    for (let slot = 0; slot < flows.length; slot++) {
      const flow = flows[slot];
      if (flow !== null) flow.addTo(this.sumsOf(flow).now);
    }
    return {
      flow: [...rowsOf('sent', this.sent), ...rowsOf('received', this.received)],
      flowRtt: { classes: this.rtts.snapshot() },
      flowCompletion: { classes: this.completions.snapshot() },
    };
  }

  private sumsOf({ isReceived, algorithmName }: CountedFlow): Sums {
    const table = isReceived ? this.received : this.sent;
    let sums = table.get(algorithmName);
    if (sums === undefined) {
      sums = new Sums();
      table.set(algorithmName, sums);
    }
    return sums;
  }
}

function rowsOf(direction: FlowDirection, table: ReadonlyMap<string, Sums>): FlowsSnapshot[] {
  const unknown = direction === 'sent' ? { used: null, dropped: null, outstanding: null, marked: null } : {};
  return Array.from(table, ([algorithm, { now }]) => ({ ...now, direction, algorithm, ...unknown })) as FlowsSnapshot[];
}
