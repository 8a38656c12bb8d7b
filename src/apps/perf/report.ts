import { displayCount, displayDuration, displayPercent, displayRate, displaySize } from '../../base/display.js';
import { counter, gauge, group, label, list, nullable, summary } from '../../base/metric.js';
import { type CreditTotals, withoutLostData } from '../../core/credit-totals.js';
import { tableLines } from '../../report/table.js';
import { PERCENTILE_METRICS, type Percentiles, unlimitedLossWarning } from '../../services/perf/histogram.js';
import type { PerfRequest } from '../../services/perf/messages.js';
import {
  CPU_METRICS,
  type CpuUse,
  DRIVER_FIGURES,
  type DriverFigures,
  RECEIVED_RESULTS,
  type ReceivedResults,
  SENT_RESULTS,
  type SentResults,
} from '../../services/perf/results.js';
import { jainIndex } from '../../sim/measure/jain.js';
import { type Column, metric, tableOf, text } from '../../telemetry/columns.js';
import { type Document, documentOf } from '../../telemetry/document.js';
import { INTERVAL_METRICS, type Interval } from './intervals.js';

/** Everything that a test brought to light, from both sides. */
export interface PerfReport {
  readonly request: PerfRequest;
  /** Credit algorithm of the data's receiver. */
  readonly algorithm: string;
  readonly frameBytes: number;
  readonly datapath: { readonly client: string; readonly server: string };
  /** Neither side's link has a rate. */
  readonly isUnlimited: boolean;
  readonly received: ReceivedResults;
  readonly sent: SentResults;
  readonly intervals: readonly Interval[];
  /** Intervals that are not in the list, since it has a bound. */
  readonly intervalsOmitted: number;
  readonly cpu: { readonly client: CpuUse; readonly server: CpuUse };
  readonly driver: { readonly client: DriverFigures | null; readonly server: DriverFigures | null };
}

/** Goodput in bit/s: of the bytes that arrived, between the first and the last. NaN when there were none. */
export function goodputBps({ bytes, durationNs }: ReceivedResults): number {
  return (bytes * 8e9) / durationNs;
}

const { durationNs, bytes, speculativeFrames, repairedFrames, filledFrames, chunks, markedFrames } = RECEIVED_RESULTS;
const driver = nullable(group('What its driver counted; null: unknown', DRIVER_FIGURES));
const cpu = group('Processor time', CPU_METRICS);

/** What `--json` prints. docs/APPLICATIONS.md, "Output of perf" */
export const PERF_DOCUMENT = {
  algorithm: label('Algorithm of the flows'),
  direction: label('forward: the client sends; reverse: the server'),
  flows: gauge('flows', 'Flows of data'),
  frameBytes: gauge('bytes', "The sender's frames, at most"),
  datapath: group('How each side moves datagrams', { client: label('The client'), server: label('The server') }),
  durationNs,
  bytes,
  goodputBps: gauge('bit/s', 'Payload over the duration'),
  framesPerS: gauge('frames/s', 'Data frames over the duration'),
  speculativeFrames,
  repairedFrames,
  filledFrames,
  chunks,
  jain: gauge('share', "Jain's fairness index of the flows' bytes"),
  intervals: list('Intervals, by time', INTERVAL_METRICS),
  intervalsOmitted: counter('intervals', 'Intervals left out of the list, which has a bound'),
  rttUs: summary('Round-trip time: of credits, without them of acknowledgements', PERCENTILE_METRICS),
  creditGapUs: SENT_RESULTS.creditGap,
  creditSendGapUs: RECEIVED_RESULTS.creditGap,
  markedFrames,
  dataLostFrames: counter('frames', 'Data frames lost and sent again'),
  credits: RECEIVED_RESULTS.credits,
  cpu: group('By side', { client: cpu, server: cpu }),
  driver: group('By side', { client: driver, server: driver }),
};

export function jsonReport(report: PerfReport): Document {
  const { request, received, sent } = report;
  return documentOf(PERF_DOCUMENT, {
    ...report,
    ...received,
    direction: request.direction,
    flows: request.flows,
    goodputBps: goodputBps(received),
    framesPerS: framesPerS(received),
    jain: jainIndex(received.flowBytes),
    rttUs: rttOf(report),
    creditGapUs: sent.creditGap,
    creditSendGapUs: received.creditGap,
    dataLostFrames: lostFrames(report),
    credits: creditsOf(report),
  });
}

function framesPerS({ frames, durationNs: lastedNs }: ReceivedResults): number {
  return (frames * 1e9) / lastedNs;
}

/** `999.9 Mbit/s`, `999.9 KiB`. */
const RATE_COLUMNS = 12;
const SIZE_COLUMNS = 9;

/** `  0.00-  1.00 s   1.021 Gbit/s  121.7 MiB`, with a line for each flow before it and Jain's index when there are several. */
export function intervalLines(interval: Interval): string[] {
  const { startS, endS, bytes, goodputBps: rateBps, flows, jain } = interval;
  const span = `${seconds(startS)}-${seconds(endS)} s`;
  if (flows.length === 1)
    return [`${span}  ${displayRate(rateBps).padStart(RATE_COLUMNS)}  ${displaySize(bytes).padStart(SIZE_COLUMNS)}`];
  const each = flows.map((flowBps, at) => `${span}  ${displayRate(flowBps).padStart(RATE_COLUMNS)}  flow ${at}`);
  const sum = `${span}  ${displayRate(rateBps).padStart(RATE_COLUMNS)}  ${displaySize(bytes).padStart(SIZE_COLUMNS)}  Jain ${ratio(jain)}`;
  return [...each, sum];
}

/** The summary for people. */
export function summaryLines(report: PerfReport): string[] {
  const { request, received } = report;
  const flows = request.flows === 1 ? '1 flow' : `${request.flows} flows, Jain ${ratio(jainIndex(received.flowBytes))}`;
  return [
    '',
    `goodput  ${displayRate(goodputBps(received))} (${displaySize(received.bytes)} in ${displayDuration(received.durationNs)}), ${flows}`,
    `frames   ${displayCount(framesPerS(received))} a second of ${report.frameBytes} B, ` +
      `${displayCount(received.frames)} in all, ${displayCount(received.repairedFrames)} repaired`,
    `run      ${report.algorithm}, datapath ${datapathText(report)}, ${displayCount(received.markedFrames)} frames with an ECN mark`,
    ...percentileLines(report),
    creditLine(report),
    `data     ${displayCount(lostFrames(report))} frames lost and sent again`,
    `cpu      client ${cores(report.cpu.client)}, server ${cores(report.cpu.server)}`,
    ...troubleLines(report.driver),
  ];
}

/** Whoever paces a flow measures it: its receiver by credits, its sender by acknowledgements. */
function rttOf({ received, sent }: PerfReport): Percentiles {
  return sent.rtt.count > 0 ? sent.rtt : received.rtt;
}

const PERCENTILE_COLUMNS: readonly Column<NamedPercentiles>[] = [
  text('', ({ what }) => what),
  ...Object.keys(PERCENTILE_METRICS).map((field) =>
    metric(PERCENTILE_METRICS, field as keyof Percentiles, field === 'p999' ? 'p99.9' : field),
  ),
];

type NamedPercentiles = Percentiles & { readonly what: string };

function percentileLines(report: PerfReport): string[] {
  const { columns, rows } = tableOf(PERCENTILE_COLUMNS, [
    { what: 'RTT', ...rttOf(report) },
    { what: 'gap between credits, arriving', ...report.sent.creditGap },
    { what: 'gap between credits, sent', ...report.received.creditGap },
  ]);
  return tableLines(columns, rows);
}

/** By the word of the data's sender, who sent them again; an older one does not say. */
function lostFrames({ sent, received }: PerfReport): number {
  return sent.lostFrames ?? received.repairedFrames;
}

function creditsOf(report: PerfReport): CreditTotals {
  return withoutLostData(report.received.credits, lostFrames(report));
}

function creditLine(report: PerfReport): string {
  const { sent, used, unused, dropped } = creditsOf(report);
  const part = (count: number): string => `${displayCount(count)} (${displayPercent(count / sent)})`;
  return `credits  ${displayCount(sent)} sent, ${part(used)} used, ${part(unused)} wasted, ${part(dropped)} dropped`;
}

function datapathText({ datapath: { client, server } }: PerfReport): string {
  return client === server || server === '' ? client : `${client} (client) and ${server} (server)`;
}

/** One sentence for whoever has lost data and set no rate; null for others. */
export function lossWarning(report: PerfReport): string | null {
  return report.isUnlimited ? unlimitedLossWarning(lostFrames(report)) : null;
}

function cores({ user, system }: CpuUse): string {
  return `${user.toFixed(2)} s user + ${system.toFixed(2)} s system`;
}

/** Only what is not as it should be. */
function troubleLines(driver: PerfReport['driver']): string[] {
  return Object.entries(driver).flatMap(([side, figures]) => {
    if (figures === null || figures === undefined) return [];
    const { kernelDrops, holdOverflows, contentions } = figures as DriverFigures;
    const troubles = [
      [kernelDrops ?? 0, 'datagrams dropped by the kernel'],
      [holdOverflows, 'frames dropped before their time'],
      [contentions, 'times without a core of its own'],
    ] as const;
    const found = troubles.filter(([count]) => count > 0).map(([count, what]) => `${displayCount(count)} ${what}`);
    return found.length === 0 ? [] : [`${side.padEnd(7)}  ${found.join(', ')}`];
  });
}

function seconds(value: number): string {
  return value.toFixed(2).padStart(6);
}

function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}
