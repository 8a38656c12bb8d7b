// Tested by test/apps/trace/trace.test.ts
import { displayCount, displayDuration, displayRate, displaySize } from '../../base/display.js';
import { facts, figure, page, paragraph } from '../../report/html.js';
import type { LineSeries } from '../../report/plot/chart.js';
import { drawChart } from '../../report/plot/draw.js';
import type { FlowTraceFile, TraceEvent } from './read-trace.js';
import type { TraceSummary } from './summary.js';

const MEGA = 1e6;

/** What `xpass trace` prints, as a page that stands alone, with a chart of every event where the terminal has 64 columns. */
export function tracePage({ title, events }: FlowTraceFile, summary: TraceSummary): string {
  const startMs = events[0]?.time ?? 0;
  const charts = chartsOf(events, startMs).filter(({ series }) => series.some(({ x }) => x.length > 0));
  const figures = charts.map(({ name, caption, series }) => {
    const drawn = series.filter(({ x }) => x.length > 0);
    const axes = { x: { name: 'time (s)' }, y: { name } };
    return figure(drawChart({ kind: 'lines', ...axes, series: drawn }), caption);
  });
  const leftOut = summary.events_left_out;
  const rest = leftOut === 0 ? [] : [paragraph(`${displayCount(leftOut)} events are missing: the file was full.`)];
  return page(title, [facts(factsOf(summary)), ...rest, ...figures].join('\n'));
}

function factsOf({ duration_s: seconds, ended, data_bytes: bytes, credits, ...summary }: TraceSummary) {
  const { rate_bps: rate, rtt_ms: rtt } = summary;
  const entries = [
    ['Duration', displayDuration(seconds * 1e9)],
    ['Ended', ended],
    ['Data', displaySize(bytes)],
    ['Repairs', displayCount(summary.repaired_frames)],
    ['Marked CE', displayCount(summary.marked_frames)],
    ['Credits used', displayCount(credits.used)],
    ['Credits dropped', displayCount(credits.dropped)],
    ['Median rate', rate === null ? '-' : displayRate(rate.median)],
    ['Median smoothed RTT', rtt === null ? '-' : displayDuration(rtt.median * 1e6)],
  ];
  return { columns: entries.map(([name]) => ({ title: name })), rows: [entries.map(([, value]) => value)] };
}

interface TraceChart {
  /** Of the y axis. */
  readonly name: string;
  readonly caption: string;
  readonly series: readonly LineSeries[];
}

function chartsOf(events: readonly TraceEvent[], startMs: number): TraceChart[] {
  const line = (name: string, event: string, value: (event: TraceEvent) => number): LineSeries => {
    const found = events.filter((each) => each.name === event);
    const x = found.map(({ time }) => (time - startMs) / 1e3);
    return { name, x, y: found.map(value), stepped: true };
  };
  const sums = (name: string, event: string, key: string | null, scale = 1): LineSeries => {
    let sum = 0;
    return line(name, event, ({ data }) => {
      sum += key === null ? 1 : Number(data[key]) / scale;
      return sum;
    });
  };
  return [
    {
      name: 'rate (Mbit/s)',
      caption: 'What the flow may send: its rate of credits, as data.',
      series: [line('rate', 'rate_updated', ({ data }) => Number(data.rate_bps) / MEGA)],
    },
    {
      name: 'data (MB)',
      caption: 'Payload, repairs too.',
      series: [sums('sent', 'data_sent', 'length', MEGA), sums('received', 'data_received', 'length', MEGA)],
    },
    {
      name: 'credits',
      caption: 'Credits since the start, and those without an answer.',
      series: [
        sums('sent', 'credit_sent', null),
        sums('received', 'credit_received', null),
        sums('lost', 'loss_detected', 'credits'),
      ],
    },
    {
      name: 'smoothed RTT (ms)',
      caption: 'Round-trip time from credit to data, smoothed.',
      series: [line('RTT', 'rtt_updated', ({ data }) => Number(data.smoothed_rtt))],
    },
  ];
}
