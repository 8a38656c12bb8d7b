import { longName } from '../../base/value-kind.js';
import type { Sample } from '../../telemetry/prometheus.js';
import { type Reading, sumOf } from './reading.js';

/** One direction of a link over the interval. */
export interface PortRow {
  readonly name: string;
  /** Of the link's rate; null where it has none, or an unlimited one. */
  readonly load: number | null;
  readonly rateBps: number;
  readonly queueBytes: number;
  readonly creditsPerS: number;
  readonly creditDropsPerS: number;
  readonly marksPerS: number;
  readonly dropsPerS: number;
}

/** The flows of one direction and algorithm. */
export interface FlowRow {
  readonly direction: string;
  readonly algorithm: string;
  readonly open: number;
  readonly payloadBps: number;
  readonly creditsPerS: number;
  readonly creditDropsPerS: number;
  readonly marksPerS: number;
  readonly repairsPerS: number;
}

export interface DropRow {
  readonly reason: string;
  readonly total: number;
  readonly perS: number;
}

/** Upper estimates from the buckets of a histogram, in seconds. */
export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** What a process did between two readings; null for what it does not tell. */
export interface TopView {
  readonly intervalS: number;
  readonly upS: number | null;
  /** Of one core. */
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly associations: number | null;
  readonly attached: number | null;
  readonly inPerS: number;
  readonly outPerS: number;
  readonly ports: readonly PortRow[];
  readonly flows: readonly FlowRow[];
  readonly drops: readonly DropRow[];
  readonly rtt: Quantiles | null;
}

/** The reason in credits that are dropped by a full queue of their own: what the protocol counts on, not a loss. PROTOCOL §9.1 */
const CREDIT_QUEUE_FULL = 'creditQueueFull';
const BYTE_BITS = 8;

/** Families whose count says that something did not go on, and the word for it. */
const DROPS: readonly RegExp[] = [
  /^xpass_(endpoint_(?!received_|sent_|late_echoes|weights_limited|linger|path_)\w+?)(?:_(?:frames|credits|flows))?_total$/,
  /^xpass_(door_(?:unproved|forged|held_dropped|suppressed))_frames_total$/,
  /^xpass_(handshakes_(?:wrong_keys|malformed|refused|expired))(?:_frames)?_total$/,
  /^xpass_(driver_(?:kernel_drops|hold_overflows|peers_refused|send_queue_full|unknown_peers))(?:_\w+)?_total$/,
];

/** Rates of `now` since `before`. A count that became less is that of a process that began anew. */
export function viewOf(before: Reading, now: Reading, epochS: number): TopView {
  const difference = new Difference(before, now);
  const start = sumOf(now, 'process_start_time_seconds');
  return {
    intervalS: difference.intervalS,
    upS: start === undefined ? null : Math.max(0, epochS - start),
    cpu: difference.perS('process_cpu_seconds_total'),
    memoryBytes: sumOf(now, 'process_resident_memory_bytes') ?? null,
    associations: sumOf(now, 'xpass_handshakes_associations_peers') ?? null,
    attached: sumOf(now, 'xpass_attachments_attached_hosts') ?? null,
    inPerS: difference.perS('xpass_driver_in_datagrams_total') ?? 0,
    outPerS: difference.perS('xpass_driver_out_datagrams_total') ?? 0,
    ports: labelsIn(now, 'xpass_port_data_frames_total').map(({ port }) => portRow(port, difference)),
    flows: labelsIn(now, 'xpass_flow_open_flows').map((labels) => flowRow(labels, difference)),
    drops: dropRows(difference),
    rtt: quantiles(difference, 'xpass_flow_rtt_seconds_bucket'),
  };
}

type Labels = Sample['labels'];

class Difference {
  readonly now: Reading;
  readonly intervalS: number;
  private readonly before: Reading;

  constructor(before: Reading, now: Reading) {
    this.before = before;
    this.now = now;
    this.intervalS = (now.atNs - before.atNs) / 1e9;
  }

  /** How much a count grew; null where there is none. */
  of(name: string, labels: Labels = {}): number | null {
    const value = sumOf(this.now, name, labels);
    if (value === undefined) return null;
    const last = sumOf(this.before, name, labels) ?? 0;
    return value < last ? value : value - last;
  }

  perS(name: string, labels: Labels = {}): number | null {
    const growth = this.of(name, labels);
    return growth === null || this.intervalS <= 0 ? null : growth / this.intervalS;
  }
}

function labelsIn({ families }: Reading, name: string): Labels[] {
  return (families.get(name) ?? []).map(({ labels }) => labels);
}

function portRow(port: string, difference: Difference): PortRow {
  const perS = (field: string): number => difference.perS(`xpass_port_${field}_total`, { port }) ?? 0;
  const bytesPerS = perS('data_wire_bytes') + perS('credit_wire_bytes') + perS('control_wire_bytes');
  const rate = sumOf(difference.now, 'xpass_port_rate_bytes_per_second', { port }) ?? Number.POSITIVE_INFINITY;
  const drops = perS('drops_frames');
  const creditDropsPerS = difference.perS('xpass_port_drops_frames_total', { port, reason: CREDIT_QUEUE_FULL }) ?? 0;
  return {
    name: port,
    load: Number.isFinite(rate) && rate > 0 ? bytesPerS / rate : null,
    rateBps: bytesPerS * BYTE_BITS,
    queueBytes: sumOf(difference.now, 'xpass_port_data_queue_bytes', { port }) ?? 0,
    creditsPerS: perS('credit_frames'),
    creditDropsPerS,
    marksPerS: perS('ecn_marks_frames'),
    dropsPerS: drops - creditDropsPerS,
  };
}

function flowRow(labels: Labels, difference: Difference): FlowRow {
  const perS = (field: string): number => difference.perS(`xpass_flow_${field}_total`, labels) ?? 0;
  return {
    direction: labels.direction,
    algorithm: labels.algorithm,
    open: sumOf(difference.now, 'xpass_flow_open_flows', labels) ?? 0,
    payloadBps: perS('payload_bytes') * BYTE_BITS,
    creditsPerS: perS('credits'),
    creditDropsPerS: perS('dropped_credits'),
    marksPerS: perS('marked_frames'),
    repairsPerS: perS('repaired_frames'),
  };
}

/** Those that occurred, the most frequent first. */
function dropRows(difference: Difference): DropRow[] {
  const reasons = new Set(labelsIn(difference.now, 'xpass_port_drops_frames_total').map(({ reason }) => reason));
  const ports = [...reasons].map((reason) => dropRow(reason, 'xpass_port_drops_frames_total', { reason }, difference));
  const doors = labelsIn(difference.now, 'xpass_door_datagrams_total').map(({ reason }) =>
    dropRow(`door: ${reason}`, 'xpass_door_datagrams_total', { reason }, difference),
  );
  const others = [...difference.now.families.keys()].flatMap((name) => {
    const match = DROPS.map((pattern) => pattern.exec(name)).find((found) => found !== null);
    return match === undefined || match === null ? [] : [dropRow(match[1].replaceAll('_', ' '), name, {}, difference)];
  });
  return [...ports, ...doors, ...others]
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.perS - a.perS || b.total - a.total);
}

function dropRow(reason: string, name: string, labels: Labels, difference: Difference): DropRow {
  return {
    reason,
    total: sumOf(difference.now, name, labels) ?? 0,
    perS: difference.perS(name, labels) ?? 0,
  };
}

/** Of the samples of the interval, or of all where it has none; the bound of the bucket in which the quantile lies. */
function quantiles(difference: Difference, name: string): Quantiles | null {
  const bounds = [...new Set(labelsIn(difference.now, name).map(({ le }) => le))];
  const counts = bounds.map((le) => difference.of(name, { le }) ?? 0);
  const isIdle = counts.length === 0 || counts[counts.length - 1] === 0;
  const totals = isIdle ? bounds.map((le) => sumOf(difference.now, name, { le }) ?? 0) : counts;
  const count = totals.at(-1) ?? 0;
  if (count === 0) return null;
  const at = (part: number): number => {
    const place = totals.findIndex((total) => total >= part * count);
    return bounds[place] === '+Inf' ? Number.POSITIVE_INFINITY : Number(bounds[place]);
  };
  return { count, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** As JSON has it: `rate_bps`. A quantile beyond all buckets is null. */
export function viewDocument(view: TopView): object {
  return snakeCase(view) as object;
}

function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [longName(key).replaceAll('-', '_'), snakeCase(inner)]),
  );
}
