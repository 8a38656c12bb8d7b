import type { DirectionSnapshot } from '../../switch/link-direction.js';
import { type ClassSnapshot, type PortSnapshot, PortStatistics } from '../../switch/port-statistics.js';

/** What a port counted in some time. */
export interface PortCounts {
  readonly port: PortSnapshot;
  readonly spanNs: number;
}

/** What one direction of a link counted in some time. */
export interface DirectionCounts extends PortCounts {
  readonly name: string;
  /** At the end; null: unlimited. */
  readonly rateBps: number | null;
}

export function directionCounts(snapshot: DirectionSnapshot, spanNs: number): DirectionCounts {
  const { name, rateBps } = snapshot;
  return { name, rateBps, port: snapshot, spanNs };
}

/** The same direction in no time at all. */
export function noCounts({ name, rateBps }: DirectionCounts): DirectionCounts {
  return { name, rateBps, port: new PortStatistics().snapshot(0), spanNs: 0 };
}

/** The same counts when nothing happened for `spanNs` more. */
export function idleFor(counts: DirectionCounts, spanNs: number): DirectionCounts {
  return sumCounts(counts, { ...noCounts(counts), spanNs });
}

/** The counts of two times that follow each other. */
export function sumCounts(one: DirectionCounts, other: DirectionCounts): DirectionCounts {
  const spanNs = one.spanNs + other.spanNs;
  return { name: one.name, rateBps: other.rateBps, spanNs, port: sumPorts(one, other) };
}

/** Of one port, over both times. */
export function sumPorts(one: PortCounts, other: PortCounts): PortSnapshot {
  const [a, b] = [one.port, other.port];
  const spanNs = one.spanNs + other.spanNs;
  const area = a.dataQueueBytesMean * one.spanNs + b.dataQueueBytesMean * other.spanNs;
  return {
    data: sumClass(a.data, b.data),
    credit: sumClass(a.credit, b.credit),
    lowCredit: sumClass(a.lowCredit, b.lowCredit),
    control: sumClass(a.control, b.control),
    drops: sumFields(a.drops, b.drops),
    ecnMarks: a.ecnMarks + b.ecnMarks,
    creditMarks: a.creditMarks + b.creditMarks,
    sprayedFrames: a.sprayedFrames + b.sprayedFrames,
    duplicated: a.duplicated + b.duplicated,
    reordered: a.reordered + b.reordered,
    corrupted: a.corrupted + b.corrupted,
    dataQueueBytes: b.dataQueueBytes,
    dataQueueBytesMax: Math.max(a.dataQueueBytesMax, b.dataQueueBytesMax),
    dataQueueBytesMean: spanNs > 0 ? area / spanNs : b.dataQueueBytesMean,
    creditQueueFrames: b.creditQueueFrames,
    creditQueueFramesMax: Math.max(a.creditQueueFramesMax, b.creditQueueFramesMax),
  };
}

type Counts = Readonly<Record<string, number>>;

/** A field that only one has counts as 0 in the other. */
function sumFields(one: Counts, other: Counts): Record<string, number> {
  const sums = { ...one };
  for (const [key, value] of Object.entries(other)) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}

function sumClass(one: ClassSnapshot, other: ClassSnapshot): ClassSnapshot {
  return { frames: one.frames + other.frames, wireBytes: one.wireBytes + other.wireBytes };
}
