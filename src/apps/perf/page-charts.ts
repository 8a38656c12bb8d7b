// Tested by test/apps/perf/page.test.ts
/** The drawings of a test's page; a sentence, or none, where there is no data for one. */
import { displayCount, displayDuration } from '../../base/display.js';
import type { LineSeries } from '../../report/plot/chart.js';
import type { Drawing } from '../../report/run-charts.js';
import { bytesUnit, largestOf, rateUnit, timeUnit } from '../../report/units.js';
import type { Bar } from '../../services/perf/histogram.js';
import type { Interval } from './intervals.js';
import type { ClientResult, TestTerms } from './test-terms.js';

/** Of one drawing: more cannot be told apart. Of more streams their sum is drawn. */
const MAX_LINES = 8;

interface Lines {
  /** Streams are for the reader to pick. */
  readonly kind?: 'flows';
  readonly axis: string;
  readonly caption: string;
  /** At the end of intervals, s; the same for all lines. */
  readonly x: readonly number[];
  readonly lines: readonly { readonly name: string; readonly y: readonly number[] }[];
}

function linesDrawing({ kind, axis, caption, x, lines }: Lines): Drawing {
  const series: LineSeries[] = lines.map(({ name, y }) => ({ name, x, y }));
  const gaps = (y: readonly number[]) => y.map((value) => (Number.isFinite(value) ? value : null));
  return {
    chart: { kind: 'lines', x: { name: 'time (s)', min: 0 }, y: { name: axis }, series },
    caption,
    data: {
      kind: kind ?? 'others',
      xName: 'time (s)',
      yName: axis,
      caption,
      x,
      lines: lines.map(({ name, y }) => ({ name, y: gaps(y), isShown: true })),
    },
  };
}

function measured({ intervals }: ClientResult): Interval[] {
  return intervals.filter(({ isOmitted }) => !isOmitted);
}

/** A line for each stream, or for the sum of many; and TCP's sum. */
export function goodputDrawing(result: ClientResult, { streams }: TestTerms): Drawing | string {
  const intervals = measured(result);
  if (intervals.length === 0) return 'The test took no intervals: --interval is 0, or longer than the test.';
  const rateOf = ({ startS, endS }: Interval, bytes: number): number => (bytes * 8) / (endS - startS);
  const ways = [true, false].map((isSender) =>
    streams.flatMap((stream, at) => (stream.isSender === isSender ? [at] : [])),
  );
  const groups =
    streams.length <= MAX_LINES
      ? streams.map(({ socket }, at) => ({ name: `stream ${socket}`, members: [at] }))
      : ways
          .filter((members) => members.length > 0)
          .map((members) => ({ name: `sum of ${displayCount(members.length)} streams`, members }));
  const ours = groups.map(({ name, members }) => ({
    name,
    y: intervals.map((one) =>
      rateOf(
        one,
        members.reduce((sum, at) => sum + (one.flowBytes[at] ?? 0), 0),
      ),
    ),
  }));
  const tcp = result.peer?.intervals.map(({ rateBps }) => rateBps) ?? [];
  const all = tcp.length === 0 ? ours : [...ours, { name: 'TCP', y: intervals.map((_, at) => tcp[at] ?? Number.NaN) }];
  const unit = rateUnit(largestOf(all.flatMap(({ y }) => y)));
  const beside = tcp.length === 0 ? '' : ' TCP ran before; its intervals stand beside those of xpass.';
  return linesDrawing({
    kind: 'flows',
    axis: `goodput (${unit.name})`,
    caption: `Goodput of each interval.${beside}`,
    x: intervals.map(({ endS }) => endS),
    lines: all.map(({ name, y }) => ({ name, y: y.map((value) => value * unit.factor) })),
  });
}

interface TimedRtt {
  readonly endS: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const SHOWN = [
  ['median', 'p50'],
  ['90 %', 'p90'],
  ['99 %', 'p99'],
] as const;

/** By the side that measures: this one, or the server in what it tells at the end. At the times of all other drawings, which the reader zooms as one. */
export function rttDrawing(result: ClientResult): Drawing | string {
  const intervals = measured(result);
  const own = intervals.map(({ rtt }) => rtt.find(({ count }) => count > 0) ?? null);
  const told = serverRtts(result.serverOutput);
  const isOwn = own.some((one) => one !== null);
  if (!isOwn && told.length === 0) return 'RTT over time: the server measures it, and has told no intervals.';
  const points = isOwn ? own : intervals.map(({ endS }) => told.find((one) => one.endS >= endS) ?? null);
  const unit = timeUnit(1e3 * largestOf(points.map((point) => point?.p99 ?? 0)));
  return linesDrawing({
    axis: `RTT (${unit.name})`,
    caption: `Round-trip time in each interval, as the ${isOwn ? 'client' : 'server'} measures it.`,
    x: intervals.map(({ endS }) => endS),
    lines: SHOWN.map(([name, key]) => ({
      name,
      y: points.map((point) => (point?.[key] ?? Number.NaN) * 1e3 * unit.factor),
    })),
  });
}

/** What is readable in the server's document: a peer's word. */
function serverRtts(output: unknown): TimedRtt[] {
  const { intervals } = (typeof output === 'object' && output !== null ? output : {}) as { intervals?: unknown };
  if (!Array.isArray(intervals)) return [];
  return intervals.flatMap((one: { readonly sum?: ServerSum } | null) => {
    const sum = one?.sum;
    const { p50, p90, p99 } = sum?.xpass?.rtt_us ?? {};
    const values = [sum?.end, p50, p90, p99];
    if (sum?.omitted === true || !values.every((value) => typeof value === 'number' && Number.isFinite(value)))
      return [];
    return [{ endS: values[0], p50: values[1], p90: values[2], p99: values[3] } as TimedRtt];
  });
}

interface ServerSum {
  readonly end?: unknown;
  readonly omitted?: unknown;
  readonly xpass?: { readonly rtt_us?: { readonly p50?: unknown; readonly p90?: unknown; readonly p99?: unknown } };
}

/** Of the flows that this side sends. */
export function repairsDrawing(result: ClientResult): Drawing | string {
  const intervals = measured(result);
  const y = intervals.map(({ retransmits }) => retransmits.reduce<number>((sum, each) => sum + (each ?? 0), 0));
  if (largestOf(y) === 0) return '';
  const x = intervals.map(({ endS }) => endS);
  return linesDrawing({
    axis: 'sent again (frames)',
    caption: 'Data frames that were lost and sent again.',
    x,
    lines: [{ name: 'all streams', y }],
  });
}

export function underWayDrawing(result: ClientResult): Drawing | string {
  const intervals = measured(result);
  const values = intervals.map(({ underWayBytes }) =>
    underWayBytes.reduce<number>((sum, each) => sum + (each ?? 0), 0),
  );
  if (largestOf(values) === 0) return '';
  const unit = bytesUnit(largestOf(values));
  return linesDrawing({
    axis: `under way (${unit.name})`,
    caption: 'Bytes of the client that were sent and not acknowledged at the end of each interval.',
    x: intervals.map(({ endS }) => endS),
    lines: [{ name: 'all streams', y: values.map((value) => value * unit.factor) }],
  });
}

/** null without any. */
export function barsDrawing(bars: readonly Bar[], axis: string, what: string): Drawing | null {
  if (bars.length === 0) return null;
  const total = bars.reduce((sum, [, count]) => sum + count, 0);
  return {
    chart: {
      kind: 'bars',
      x: { name: `${axis}, up to` },
      y: { name: 'share (%)' },
      groups: bars.map(([upToUs]) => displayDuration(upToUs * 1e3)),
      series: [{ name: what, values: bars.map(([, count]) => (100 * count) / total) }],
    },
    caption: `${what}: ${displayCount(total)}, by powers of two.`,
    data: null,
  };
}
