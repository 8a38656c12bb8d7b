// Tested by test/apps/trace/trace.test.ts
import { displayDuration, displayRate, displaySize } from '../../base/display.js';
import type { FlowTraceFile, TraceEvent } from './read-trace.js';

/** Columns of a plot: with its label it fits 80. */
const COLUMNS = 64;
const BARS = '▁▂▃▄▅▆▇█';

/** A value over time: one number a column, null where there was none. */
export interface Curve {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly (number | null)[];
}

/** What came of one flow. */
export interface TraceSummary {
  readonly title: string;
  readonly duration_s: number;
  readonly ended: string;
  /** By name. */
  readonly events: Readonly<Record<string, number>>;
  readonly data_bytes: number;
  readonly repaired_frames: number;
  readonly marked_frames: number;
  readonly credits: { readonly used: number; readonly unused: number; readonly dropped: number };
  readonly rate_bps: Spread | null;
  readonly rtt_ms: Spread | null;
  readonly events_left_out: number;
  readonly curves: readonly Curve[];
}

interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export function summarize({ title, events }: FlowTraceFile): TraceSummary {
  const counts: Record<string, number> = {};
  for (const { name } of events) counts[name] = (counts[name] ?? 0) + 1;
  const data = events.filter(({ name }) => name === 'data_sent' || name === 'data_received');
  const startMs = events[0]?.time ?? 0;
  const endMs = events.at(-1)?.time ?? 0;
  const span = { startMs, spanMs: Math.max(endMs - startMs, Number.MIN_VALUE) };
  return {
    title,
    duration_s: (endMs - startMs) / 1e3,
    ended: String(events.find(({ name }) => name === 'flow_closed')?.data.trigger ?? 'still open'),
    events: counts,
    data_bytes: total(data, 'length'),
    repaired_frames: data.filter((event) => event.data.repair === true).length,
    marked_frames: data.filter((event) => event.data.ce === true).length,
    credits: fates(events),
    rate_bps: spreadOf(valuesOf(events, 'rate_updated', 'rate_bps')),
    rtt_ms: spreadOf(valuesOf(events, 'rtt_updated', 'smoothed_rtt')),
    events_left_out: total(
      events.filter(({ name }) => name === 'events_left_out'),
      'count',
    ),
    curves: [
      latest('rate', 'bit/s', { events, name: 'rate_updated', key: 'rate_bps' }, span),
      perColumn(
        'credits',
        events.filter(({ name }) => name === 'credit_sent' || name === 'credit_received'),
        span,
      ),
      perColumn(
        'dropped',
        events.filter(({ name }) => name === 'loss_detected'),
        span,
      ),
      latest('RTT', 'ms', { events, name: 'rtt_updated', key: 'smoothed_rtt' }, span),
    ],
  };
}

/** Lines of at most 80 columns. */
export function summaryLines(summary: TraceSummary): string[] {
  const { credits, rate_bps: rate, rtt_ms: rtt, events_left_out: leftOut } = summary;
  const count = (name: string): number => summary.events[name] ?? 0;
  const lines = [
    `${summary.title}: ${displayDuration(summary.duration_s * 1e9)}, ended: ${summary.ended}`,
    `data: ${count('data_sent') + count('data_received')} frames, ${displaySize(summary.data_bytes)}, ` +
      `${summary.repaired_frames} repairs, ${summary.marked_frames} marked CE`,
    `credits: ${count('credit_sent')} sent, ${count('credit_received')} received`,
  ];
  if (count('credits_settled') > 0)
    lines.push(`fates: ${credits.used} used, ${credits.unused} unused, ${credits.dropped} dropped`);
  if (rate !== null)
    lines.push(`rate: ${displayRate(rate.least)} to ${displayRate(rate.most)}, median ${displayRate(rate.median)}`);
  if (rtt !== null) {
    const [least, median, most] = [rtt.least, rtt.median, rtt.most].map((ms) => displayDuration(ms * 1e6));
    lines.push(`smoothed RTT: ${least} to ${most}, median ${median}`);
  }
  if (leftOut > 0) lines.push(`${leftOut} events left out: the file had reached --qlog-size`);
  return [...lines, '', ...summary.curves.flatMap(curveLines)];
}

function curveLines({ name, unit, values }: Curve): string[] {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  if (most === 0) return [];
  const bars = values.map((value) => (value === null ? ' ' : BARS[Math.min(7, Math.floor((value / most) * 7.999))]));
  const top = unit === 'bit/s' ? displayRate(most) : unit === 'ms' ? displayDuration(most * 1e6) : `${most}`;
  return [`${name.padEnd(8)} ${bars.join('')}`, `${''.padEnd(8)} top ${top}${unit === '' ? ' in a column' : ''}`];
}

interface Span {
  readonly startMs: number;
  readonly spanMs: number;
}

function columnOf({ time }: TraceEvent, { startMs, spanMs }: Span): number {
  return Math.min(COLUMNS - 1, Math.floor(((time - startMs) / spanMs) * COLUMNS));
}

/** The last value of each column; a value holds until the next. */
function latest(
  name: string,
  unit: string,
  { events, name: wanted, key }: { events: readonly TraceEvent[]; name: string; key: string },
  span: Span,
): Curve {
  const values: (number | null)[] = new Array(COLUMNS).fill(null);
  for (const event of events) if (event.name === wanted) values[columnOf(event, span)] = Number(event.data[key]);
  for (let column = 1; column < COLUMNS; column++) values[column] ??= values[column - 1];
  return { name, unit, values };
}

function perColumn(name: string, events: readonly TraceEvent[], span: Span): Curve {
  const values: number[] = new Array(COLUMNS).fill(0);
  for (const event of events) values[columnOf(event, span)] += Number(event.data.credits ?? 1);
  return { name, unit: '', values };
}

function fates(events: readonly TraceEvent[]): TraceSummary['credits'] {
  const settled = events.filter(({ name }) => name === 'credits_settled');
  return { used: total(settled, 'used'), unused: total(settled, 'unused'), dropped: total(settled, 'dropped') };
}

function valuesOf(events: readonly TraceEvent[], name: string, key: string): number[] {
  return events.filter((event) => event.name === name).map(({ data }) => Number(data[key]));
}

function spreadOf(values: number[]): Spread | null {
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  return { least: values[0], median: values[Math.floor(values.length / 2)], most: values[values.length - 1] };
}

function total(events: readonly TraceEvent[], key: string): number {
  return events.reduce((sum, { data }) => sum + Number(data[key] ?? 0), 0);
}
