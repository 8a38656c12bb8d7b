import { displayCount, displayDuration, displaySize } from '../../../base/display.js';
import { tableLines } from '../../../report/table.js';
import type { MemoryTrend } from './memory-log.js';

/** What a soak came to. */
export interface SoakReport {
  readonly durationS: number;
  /** What came over the link, as a part of its rate. */
  readonly load: number;
  readonly flows: number;
  readonly failedFlows: number;
  readonly reasons: readonly string[];
  readonly bytes: number;
  readonly memory: readonly MemoryTrend[];
  readonly grew: boolean;
}

const HOUR_S = 3_600;

/** The summary for people. */
export function soakLines(report: SoakReport): string[] {
  const { durationS, load, flows, failedFlows, reasons, bytes, memory, grew } = report;
  const columns = ['process', 'memory', 'first', 'last', 'an hour', '95 %', 'samples', ''].map((title, at) => ({
    title,
    align: at < 2 || at > 6 ? ('left' as const) : ('right' as const),
  }));
  const rows = memory.map((trend) => [
    trend.role,
    trend.kind === 'heap' ? 'heap without garbage' : 'of the system',
    displaySize(trend.firstBytes),
    displaySize(trend.lastBytes),
    signed(trend.slope * HOUR_S),
    `+-${displaySize(trend.slopeError * HOUR_S)}`,
    displayCount(trend.samples),
    trend.grew ? 'grew' : '',
  ]);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  return [
    `${displayDuration(durationS * 1e9)} at ${(load * 100).toFixed(1)} % of the link: ${displayCount(flows)} flows, ${displaySize(bytes)}, ${displayCount(failedFlows)} failed${why}`,
    ...tableLines(columns, rows),
    grew ? 'memory grew' : 'memory did not grow',
  ];
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '-' : '+'}${displaySize(Math.abs(bytes))}`;
}
