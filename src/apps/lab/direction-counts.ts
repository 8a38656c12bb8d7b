import { sumValues } from '../../base/metric.js';
import type { DirectionSnapshot } from '../../switch/link-direction.js';
import { PORT_METRICS, type PortSnapshot, PortStatistics } from '../../switch/port-statistics.js';

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
  return sumValues(PORT_METRICS, one.port, other.port, [one.spanNs, other.spanNs]);
}
