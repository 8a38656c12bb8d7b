/** The page of --report: one test, in one file that stands alone. */
import { displayCount, displayDuration, displayRate, displaySize } from '../../base/display.js';
import { escapeHtml, facts, page } from '../../report/html.js';
import { contentsHtml, dataHtml, type Section, sectionHtml } from '../../report/sections.js';
import { barsOf, type Percentiles } from '../../services/perf/histogram.js';
import { jainIndex } from '../../sim/measure/jain.js';
import { type Column, count, number, type TableData, tableOf, text } from '../../telemetry/columns.js';
import { type Compared, compared } from './compare.js';
import type { Goodputs } from './document.js';
import { barsDrawing, goodputDrawing, repairsDrawing, rttDrawing, underWayDrawing } from './page-charts.js';
import { goodputBps, lostFrames, type PerfReport, percentileColumns, rttBars, rttOf } from './report.js';
import { summarize } from './series.js';
import { lostOf, streamOf } from './streams.js';
import type { ClientResult, TestTerms } from './test-terms.js';

export interface PageParts {
  readonly terms: TestTerms;
  readonly result: ClientResult;
  readonly goodputs: Goodputs;
  readonly version: string;
  readonly nowMs: number;
  /** The command line, for a shell. */
  readonly command: string;
  /** The text of dist/web/run-report.js. */
  readonly script: string;
}

export function perfPage(parts: PageParts): string {
  const { terms, command, script, version, nowMs } = parts;
  const sections = [
    overTime(parts),
    durations(parts),
    { id: 'streams', title: 'Streams', drawings: [], table: streamTable(parts) },
    ...tcpSection(parts),
    ...runSection(parts),
  ];
  const title = terms.title ?? `perf: ${WORDS[terms.request.direction]}${terms.to === null ? '' : ` ${terms.to.host}`}`;
  const made = `xpass ${version}, ${new Date(nowMs).toISOString()}`;
  const top = [`<pre>${escapeHtml(command)}</pre>`, facts(summaryTable(parts)), `<p>${escapeHtml(made)}</p>`];
  const body = [...top, ...sections.map(sectionHtml), dataHtml(sections)].join('\n');
  return page(title, `<section id="run">\n${body}\n</section>`, { contents: contentsHtml(sections), script });
}

const WORDS = { forward: 'to', reverse: 'from', both: 'both ways with', exchange: 'messages with' } as const;

function overTime({ result, terms }: PageParts): Section {
  const drawings = [goodputDrawing, rttDrawing, repairsDrawing, underWayDrawing].map((draw) => draw(result, terms));
  return { id: 'over-time', title: 'Over time', drawings: drawings.filter((drawing) => drawing !== '') };
}

/** Round trips and completion times. */
function durations({ result }: PageParts): Section {
  const { reports, exchange } = result;
  const named = reports.map((report, at) => ({
    report,
    way: reports.length === 1 ? '' : [', to the server', ', to the client'][at],
  }));
  const rows: readonly (readonly [string, Percentiles])[] = [
    ...named.map(({ report, way }) => [`RTT${way}`, rttOf(report)] as const),
    ...named.map(({ report, way }) => [`blocks${way}`, report.sent.completion] as const),
    ...(exchange === null
      ? []
      : ([
          ['there and back', exchange.completion],
          ['there', exchange.forwardDelay],
          ['back', exchange.reverseDelay],
        ] as const)),
  ];
  const drawings = [
    ...named.map(({ report, way }) => barsDrawing(rttBars(report), 'round-trip time', `Round trips${way}`)),
    ...named.map(({ report, way }) =>
      barsDrawing(
        barsOf(report.sent.completionClasses),
        'completion time',
        `Blocks${way}, from the first byte written to the last acknowledged`,
      ),
    ),
    ...(exchange === null ? [] : [barsDrawing(exchange.histogram, 'completion time', 'Messages, there and back')]),
  ].filter((drawing) => drawing !== null);
  const table = tableOf(
    percentileColumns('what'),
    rows.filter(([, { count: samples }]) => samples > 0).map(([what, percentiles]) => ({ what, ...percentiles })),
  );
  const uncertaintyUs = exchange?.uncertaintyUs ?? null;
  const note =
    uncertaintyUs === null
      ? ''
      : `One way: each off by at most ${displayDuration(uncertaintyUs * 1e3)}, by the clocks.`;
  return { id: 'durations', title: 'Round trips and completion times', drawings, table, note };
}

function summaryTable({ result, goodputs, terms }: PageParts): TableData {
  const [report] = result.reports;
  const columns = [...SUMMARY_COLUMNS, ...backColumns(result), ...tcpColumns(result, goodputs)];
  return tableOf(columns, [{ report, flows: terms.request.flows }]);
}

interface Summarized {
  readonly report: PerfReport;
  readonly flows: number;
}

const SUMMARY_COLUMNS: readonly Column<Summarized>[] = [
  number('goodput', ({ report }) => displayRate(goodputBps(report.received))),
  number('arrived', ({ report }) => displaySize(report.received.bytes)),
  number('duration', ({ report }) => displayDuration(report.received.durationNs)),
  count('sent again, frames', ({ report }) => lostFrames(report)),
  count('ECN marks', ({ report }) => report.received.markedFrames),
  number('RTT, median', ({ report }) => durationOf(rttOf(report).p50)),
  number('RTT, 99 %', ({ report }) => durationOf(rttOf(report).p99)),
  count('flows', ({ flows }) => flows),
  number('Jain', ({ report }) => ratioOf(jainIndex(report.received.flowBytes))),
  text('algorithm', ({ report }) => report.algorithm),
];

function backColumns({ reports: [, back] }: ClientResult): Column<Summarized>[] {
  return back === undefined ? [] : [number('goodput to the client', () => displayRate(goodputBps(back.received)))];
}

function tcpColumns({ peer }: ClientResult, goodputs: Goodputs): Column<Summarized>[] {
  return peer === null ? [] : [number('xpass over TCP', () => ratioOf(compared(peer, goodputs).ratio))];
}

function durationOf(us: number): string {
  return Number.isFinite(us) ? displayDuration(us * 1e3) : '-';
}

function ratioOf(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}

interface StreamRow {
  readonly id: number;
  readonly way: string;
  readonly bytes: number;
  readonly rateBps: number;
  readonly lost: number | null;
}

const STREAM_COLUMNS: readonly Column<StreamRow>[] = [
  number('stream', ({ id }) => String(id)),
  text('way', ({ way }) => way),
  number('arrived', ({ bytes }) => displaySize(bytes)),
  number('goodput', ({ rateBps }) => displayRate(rateBps)),
  number('sent again, frames', ({ lost }) => (lost === null ? '-' : displayCount(lost))),
];

function streamTable({ result, terms }: PageParts): TableData {
  const rows = terms.streams.map((stream, at) => {
    const { report, index } = streamOf(result.reports, at);
    const bytes = report.received.flowBytes[index] ?? 0;
    const way = stream.isSender ? 'to the server' : 'to the client';
    const rateBps = (bytes * 8e9) / report.received.durationNs;
    return { id: stream.socket, way, bytes, rateBps, lost: lostOf(result, stream, at) };
  });
  return tableOf(STREAM_COLUMNS, rows);
}

const TCP_COLUMNS: readonly Column<Compared>[] = [
  number("TCP's goodput", ({ goodputBps: rateBps }) => displayRate(rateBps)),
  number('retransmits', ({ retransmits }) => (retransmits === null ? '-' : displayCount(retransmits))),
  text('algorithm', ({ congestion }) => congestion),
  text('by', ({ version }) => version),
  number('xpass over TCP', ({ ratio }) => ratioOf(ratio)),
];

function tcpSection({ result: { peer }, goodputs }: PageParts): Section[] {
  if (peer === null) return [];
  const table = tableOf(TCP_COLUMNS, [compared(peer, goodputs)]);
  return [{ id: 'tcp', title: 'TCP over the same path', drawings: [], table, note: `It ran before: ${peer.command}` }];
}

interface RunRow {
  readonly run: number;
  readonly rateBps: number;
  readonly peerBps: number | undefined;
}

/** Of --repeat. */
function runSection({ goodputs: { ours, peers } }: PageParts): Section[] {
  if (ours.length < 2) return [];
  const columns: Column<RunRow>[] = [
    count('run', ({ run }) => run),
    number('goodput', ({ rateBps }) => displayRate(rateBps)),
    ...(peers.length === 0 ? [] : [number<RunRow>('TCP', ({ peerBps }) => displayRate(peerBps ?? Number.NaN))]),
  ];
  const table = tableOf(
    columns,
    ours.map((rateBps, at) => ({ run: at + 1, rateBps, peerBps: peers[at] })),
  );
  const { meanBps, halfWidthBps } = summarize(ours);
  const note = `Mean ${displayRate(meanBps)}, +- ${displayRate(halfWidthBps)} (95 % confidence, Student's t). The page shows the last run.`;
  return [{ id: 'runs', title: 'Runs', drawings: [], table, note }];
}
