import { displayCount, displayPercent, displayRate } from '../../base/display.js';
import { counter, gauge, group, histogram, label, nullable, summary } from '../../base/metric.js';
import { type CreditTotals, withoutLostData } from '../../core/credit-totals.js';
import { tableLines } from '../../report/table.js';
import { unlimitedLossWarning } from '../../services/loss-warning.js';
import { type Bar, barsOf, PERCENTILE_METRICS, type Percentiles } from '../../services/perf/histogram.js';
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

/** Everything that a test brought to light of the data of one direction, from both sides. */
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

/** What stands under `xpass` at the end of the document. docs/PERF.md */
export const PERF_DOCUMENT = {
  algorithm: label('Algorithm of the flows'),
  direction: label('forward: the client sends; reverse: the server; both; exchange'),
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
  rttUs: summary('Round-trip time: of credits, without them of acknowledgements', PERCENTILE_METRICS),
  rttHistogram: histogram('us', 'Round-trip times: how many up to each power of two'),
  completionUs: SENT_RESULTS.completion,
  completionHistogram: histogram('us', 'Completion times of blocks: how many up to each power of two'),
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
    rttHistogram: rttBars(report),
    completionUs: sent.completion,
    completionHistogram: barsOf(sent.completionClasses),
    creditGapUs: sent.creditGap,
    creditSendGapUs: received.creditGap,
    dataLostFrames: lostFrames(report),
    credits: creditsOf(report),
  });
}

function framesPerS({ frames, durationNs: lastedNs }: ReceivedResults): number {
  return (frames * 1e9) / lastedNs;
}

/** What xpass adds to iperf3's summary for people, within 80 columns. */
export function summaryLines(report: PerfReport): string[] {
  const { request, received } = report;
  const fairness = request.flows === 1 ? '' : `, Jain ${ratio(jainIndex(received.flowBytes))}`;
  return [
    `goodput  ${displayRate(goodputBps(received))}, ${displayCount(framesPerS(received))} frames/s of ${report.frameBytes} B${fairness}`,
    `run      ${report.algorithm}, datapath ${datapathText(report)}, ${displayCount(received.markedFrames)} ECN marks`,
    `credits  ${creditText(report)}`,
    ...percentileLines([
      ['RTT', rttOf(report)],
      ...(areBlocksTold(request) ? ([[`blocks`, report.sent.completion]] as const) : []),
      ['credits in', report.sent.creditGap],
      ['credits out', report.received.creditGap],
    ]),
  ];
}

/** With -n, -k or -l people want to know what became of a message. */
function areBlocksTold({ bytes, lengthBytes, direction }: PerfRequest): boolean {
  return direction !== 'exchange' && (bytes !== null || lengthBytes !== undefined);
}

/** And with --verbose. */
export function verboseLines(report: PerfReport): string[] {
  return [
    `data     ${displayCount(lostFrames(report))} frames lost and sent again`,
    `cpu      client ${cores(report.cpu.client)}, server ${cores(report.cpu.server)}`,
    ...troubleLines(report.driver),
  ];
}

/** A line for each distribution, or what there is of them. */
export function percentileLines(rows: readonly (readonly [what: string, Percentiles])[]): string[] {
  const { columns, rows: cells } = tableOf(
    percentileColumns(''),
    rows.map(([what, percentiles]) => ({ what, ...percentiles })),
  );
  return tableLines(columns, cells);
}

/** Whoever paces a flow measures it: its receiver by credits, its sender by acknowledgements. */
export function rttOf({ received, sent }: PerfReport): Percentiles {
  return sent.rtt.count > 0 ? sent.rtt : received.rtt;
}

const SHOWN = { min: 'min', p50: 'p50', p90: 'p90', p99: 'p99', max: 'max' } as const;

/** `title`: of what the rows are. */
export function percentileColumns(title: string): readonly Column<NamedPercentiles>[] {
  return [
    text(title, ({ what }) => what),
    ...Object.entries(SHOWN).map(([field, shown]) => metric(PERCENTILE_METRICS, field as keyof Percentiles, shown)),
  ];
}

type NamedPercentiles = Percentiles & { readonly what: string };

export function rttBars({ received, sent }: PerfReport): Bar[] {
  return barsOf(sent.rtt.count > 0 ? sent.rttClasses : received.rttClasses);
}

/** By the word of the data's sender, who sent them again; an older one does not say. */
export function lostFrames({ sent, received }: PerfReport): number {
  return sent.lostFrames ?? received.repairedFrames;
}

function creditsOf(report: PerfReport): CreditTotals {
  return withoutLostData(report.received.credits, lostFrames(report));
}

function creditText(report: PerfReport): string {
  const { sent, used, unused, dropped } = creditsOf(report);
  const part = (count: number): string => displayPercent(count / sent);
  return `${displayCount(sent)} sent: ${part(used)} used, ${part(unused)} wasted, ${part(dropped)} dropped`;
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

function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-';
}
