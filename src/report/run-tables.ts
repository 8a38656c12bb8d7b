/** The tables of a report. */

import { displayCount, displayPercent } from '../base/display.js';
import {
  FCT_RESULT,
  type FctResult,
  FLOW_RESULT,
  type FlowResult,
  LINK_RESULT,
  type LinkResult,
  RUN_RESULT,
  SIZE_CLASSES,
  type SimulationResult,
} from '../sim/result.js';
import { type Column, count, metric, number, type TableData, tableOf, text } from '../telemetry/columns.js';
import { largestOf } from './units.js';

/** One row. */
export function summaryTable(result: SimulationResult): TableData {
  return tableOf(SUMMARY_COLUMNS, [result]);
}

const SUMMARY_COLUMNS: readonly Column<SimulationResult>[] = [
  ofRun('algorithm', 'algorithm'),
  ofRun('seed', 'seed'),
  ofRun('durationNs', 'duration'),
  count('flows', ({ flows }) => flowCounts(flows).all),
  count('complete', ({ flows }) => flowCounts(flows).complete),
  count('failed', ({ flows }) => flowCounts(flows).failed),
  ofRun('utilisation', 'utilisation'),
  ofRun('jain', 'Jain'),
  number('credits dropped', ({ creditDropShare }) => displayPercent(creditDropShare)),
  count('largest queue, B', ({ links }) => largestOf(links.map((link) => link.dataQueueBytesMax))),
  count('data drops', ({ links }) => total(links, 'dataDrops')),
  count('lost frames', ({ links }) => total(links, 'lost')),
];

function ofRun(field: keyof typeof RUN_RESULT, title: string): Column<SimulationResult> {
  const column = metric(RUN_RESULT, field, title);
  return { ...column, cell: (result) => column.cell(result as never) };
}

/** How many flows there were, and what became of them. */
function flowCounts(flows: readonly FlowResult[]): { all: number; complete: number; failed: number } {
  const complete = flows.filter(({ fctNs }) => fctNs !== null).length;
  return { all: flows.length, complete, failed: flows.filter(({ error }) => error !== null).length };
}

/** Of all links. */
function total(links: readonly LinkResult[], field: 'dataDrops' | 'lost'): number {
  return links.reduce((sum, link) => sum + link[field], 0);
}

/** One row for each size class that has flows. */
export function completionTable(fct: SimulationResult['fct']): TableData {
  const rows = SIZE_CLASSES.flatMap((size) => (fct[size] === undefined ? [] : [{ size, ...fct[size] }]));
  return tableOf(COMPLETION_COLUMNS, rows);
}

type ClassTimes = FctResult & { readonly size: string };

const COMPLETION_COLUMNS: readonly Column<ClassTimes>[] = [
  text('size class', ({ size }) => size),
  metric(FCT_RESULT, 'count', 'flows'),
  metric(FCT_RESULT, 'meanNs', 'mean'),
  metric(FCT_RESULT, 'p50Ns', 'median'),
  metric(FCT_RESULT, 'p99Ns', '99 %'),
  metric(FCT_RESULT, 'maxNs', 'largest'),
  metric(FCT_RESULT, 'slowdownP99', 'slowdown, 99 %'),
];

/** The busiest first. */
export function linkTable(links: readonly LinkResult[], limit: number): TableData {
  return tableOf(LINK_COLUMNS, [...links].sort((a, b) => b.utilisation - a.utilisation).slice(0, limit));
}

const LINK_COLUMNS: readonly Column<LinkResult>[] = [
  metric(LINK_RESULT, 'name', 'link'),
  metric(LINK_RESULT, 'rateBps', 'rate'),
  metric(LINK_RESULT, 'utilisation', 'utilisation'),
  count('largest queue, B', ({ dataQueueBytesMax }) => dataQueueBytesMax),
  count('mean queue, B', ({ dataQueueBytesMean }) => dataQueueBytesMean),
  metric(LINK_RESULT, 'creditsOffered', 'credits offered'),
  number('dropped', ({ creditsOffered, creditDrops }) => displayPercent(creditDrops / Math.max(1, creditsOffered))),
  metric(LINK_RESULT, 'dataDrops', 'data drops'),
  metric(LINK_RESULT, 'lost', 'lost frames'),
  metric(LINK_RESULT, 'ecnMarks', 'marks'),
];

/** Those that failed first, then in the order of their ids. */
export function flowTable(flows: readonly FlowResult[], limit: number): TableData {
  const failed = flows.filter(({ error }) => error !== null);
  const others = flows.filter(({ error }) => error === null);
  return tableOf(FLOW_COLUMNS, [...failed, ...others].slice(0, limit));
}

const FLOW_COLUMNS: readonly Column<FlowResult>[] = [
  metric(FLOW_RESULT, 'id', 'flow'),
  metric(FLOW_RESULT, 'group', 'group'),
  metric(FLOW_RESULT, 'src', 'from'),
  metric(FLOW_RESULT, 'dst', 'to'),
  number('bytes', ({ bytes }) => (bytes === null ? 'endless' : displayCount(bytes))),
  metric(FLOW_RESULT, 'startNs', 'start'),
  metric(FLOW_RESULT, 'fctNs', 'completion time'),
  metric(FLOW_RESULT, 'slowdown', 'slowdown'),
  metric(FLOW_RESULT, 'goodputBps', 'goodput'),
  count('credits sent', ({ credits }) => credits.sent),
  count('used', ({ credits }) => credits.used),
  count('wasted', ({ credits }) => credits.unused),
  count('dropped', ({ credits }) => credits.dropped),
  metric(FLOW_RESULT, 'error', 'error'),
];
