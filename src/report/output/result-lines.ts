import { displayCount, displayDuration, displayPercent, displaySize } from '../../base/display.js';
import { formatDuration } from '../../base/quantities.js';
import type { SimulationResult } from '../../sim/result.js';
import type { TableData } from '../../telemetry/columns.js';
import { completionTable, flowTable, linkTable } from '../run-tables.js';
import { foldedTableLines } from '../table.js';

/** What a result does not say itself. */
export interface RunContext {
  /** Wall time of the run. */
  readonly wallS: number;
  readonly bottlenecks: readonly string[];
  /** Processes played it in the time of the machine. */
  readonly isReal?: boolean;
  /** Of the terminal; tables fold to fit it. */
  readonly columnsWide: number;
}

/** Rows of one table of a terminal; --json and --csv have them all (ours). */
const MAX_ROWS = 10;
const INDENT = '  ';

/** What came of a run, for people. */
export function resultLines(result: SimulationResult, context: RunContext): string[] {
  const { bottlenecks, columnsWide } = context;
  return [
    `${result.scenario}: ${result.algorithm}, seed ${result.seed}`,
    timeText(result, context),
    '',
    `  utilisation      ${result.utilisation.toFixed(3)} of the data share of ${placeOf(bottlenecks)}`,
    `  fairness (Jain)  ${jainText(result)}`,
    `  credits dropped  ${displayPercent(result.creditDropShare)} of those sent`,
    `  frames dropped   ${framesText(result)}`,
    `  largest queue    ${queueText(result)}`,
    ...disorderLines(result),
    `  flows            ${flowsText(result)}`,
    ...section(titled('links, the busiest', result.links.length), linkTable(result.links, MAX_ROWS), columnsWide),
    ...(result.fct.all === undefined ? [] : section('completion times', completionTable(result.fct), columnsWide)),
    ...section(titled('flows, the first', result.flows.length), flowTable(result.flows, MAX_ROWS), columnsWide),
  ];
}

/** Where every frame came in order there is nothing to say. */
function disorderLines({ disorderP99, disorderMax }: SimulationResult): string[] {
  if (disorderMax === null || disorderMax === 0) return [];
  return [`  out of order     99 % of the data frames by at most ${disorderP99} frames, all by at most ${disorderMax}`];
}

function timeText({ durationNs, events }: SimulationResult, { wallS, isReal = false }: RunContext): string {
  const run = displayDuration(durationNs);
  const wall = displayDuration(wallS * 1e9);
  if (isReal)
    return `${run} over processes and sockets, ${wall} with start and rehearsal, ${displayCount(events)} datagrams`;
  return `${run} of virtual time in ${wall}, ${displayCount(events)} events, ${displayCount(events / wallS)} a second`;
}

function placeOf(bottlenecks: readonly string[]): string {
  if (bottlenecks.length === 0) return 'the busiest link';
  return bottlenecks.length === 1 ? bottlenecks[0] : `the least busy of ${bottlenecks.length} bottlenecks`;
}

function jainText({ jainByWindow }: SimulationResult): string {
  const each = jainByWindow.map(
    ({ windowNs, jain }) => `${jain === null ? '-' : jain.toFixed(3)} over ${formatDuration(windowNs)}`,
  );
  return each.join(', ');
}

function framesText({ links }: SimulationResult): string {
  const dropped = links.reduce((sum, { dataDrops }) => sum + dataDrops, 0);
  const lost = links.reduce((sum, link) => sum + link.lost, 0);
  return `${displayCount(dropped)} of data at ports, ${displayCount(lost)} lost on links`;
}

function queueText({ links }: SimulationResult): string {
  const [first] = [...links].sort((a, b) => b.dataQueueBytesMax - a.dataQueueBytesMax);
  if (first === undefined || first.dataQueueBytesMax === 0) return 'none';
  return `${displaySize(first.dataQueueBytesMax)} of data at ${first.name}`;
}

function flowsText({ flows }: SimulationResult): string {
  const complete = flows.filter(({ fctNs }) => fctNs !== null).length;
  const failed = flows.filter(({ error }) => error !== null).length;
  return `${displayCount(flows.length)}, ${displayCount(complete)} complete, ${displayCount(failed)} failed`;
}

function titled(words: string, count: number): string {
  return count > MAX_ROWS ? `${words} ${MAX_ROWS} of ${displayCount(count)}` : (words.split(',')[0] as string);
}

function section(title: string, { columns, rows }: TableData, columnsWide: number): string[] {
  const lines = foldedTableLines(columns, rows, columnsWide - INDENT.length);
  return ['', title, ...lines.map((line) => `${INDENT}${line}`.trimEnd())];
}
