import { jainIndex } from '../../sim/measure/jain.js';
import { displayCount, displayDuration, displayPercent, displayRate, displaySize } from '../shared/display.js';
import { snakeCase } from '../shared/json-names.js';
import { unlimitedLossWarning } from '../shared/loss-warning.js';
import type { Percentiles } from '../shared/perf/histogram.js';
import type { PerfRequest } from '../shared/perf/messages.js';
import type { CpuUse, DriverFigures, ReceivedResults, SentResults } from '../shared/perf/results.js';
import { tableLines } from '../shared/table.js';
import type { Interval } from './intervals.js';

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

/** What `--json` prints. docs/APPLICATIONS.md, "Output of perf" */
export function jsonReport(report: PerfReport): unknown {
  const { request, algorithm, frameBytes, received, sent, cpu, driver } = report;
  return snakeCase({
    algorithm,
    direction: request.direction,
    flows: request.flows,
    frameBytes,
    datapath: report.datapath,
    durationS: received.durationNs / 1e9,
    bytes: received.bytes,
    goodputBps: goodputBps(received),
    framesPerS: (received.frames * 1e9) / received.durationNs,
    speculativeFrames: received.speculativeFrames,
    repairedFrames: received.repairedFrames,
    filledFrames: received.filledFrames,
    chunks: received.chunks,
    jain: jainIndex(received.flowBytes),
    intervals: report.intervals,
    intervalsOmitted: report.intervalsOmitted,
    rttUs: rttOf(report),
    creditGapUs: sent.creditGap,
    creditSendGapUs: received.creditGap,
    markedFrames: received.markedFrames,
    dataLostFrames: lostFrames(report),
    credits: { ...received.credits, dropped: creditsDropped(report) },
    cpu,
    driver,
  });
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
    `frames   ${displayCount((received.frames * 1e9) / received.durationNs)} a second of ${report.frameBytes} B, ` +
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

function percentileLines(report: PerfReport): string[] {
  const { received, sent } = report;
  const columns = ['', 'min', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max', 'count'].map((title, at) => ({
    title,
    align: at === 0 ? ('left' as const) : ('right' as const),
  }));
  return tableLines(columns, [
    ['RTT', ...percentileCells(rttOf(report))],
    ['gap between credits, arriving', ...percentileCells(sent.creditGap)],
    ['gap between credits, sent', ...percentileCells(received.creditGap)],
  ]);
}

function percentileCells({ min, mean, p50, p90, p99, p999, max, count }: Percentiles): string[] {
  return [
    ...[min, mean, p50, p90, p99, p999, max].map((valueUs) => displayDuration(valueUs * 1e3)),
    displayCount(count),
  ];
}

/** By the word of the data's sender, who sent them again; an older one does not say. */
function lostFrames({ sent, received }: PerfReport): number {
  return sent.lostFrames ?? received.repairedFrames;
}

/** A credit whose data was lost has no answer either, and was not dropped. */
function creditsDropped(report: PerfReport): number {
  return Math.max(0, report.received.credits.dropped - lostFrames(report));
}

function creditLine(report: PerfReport): string {
  const { sent, used, wasted } = report.received.credits;
  const part = (count: number): string => `${displayCount(count)} (${displayPercent(count / sent)})`;
  return `credits  ${displayCount(sent)} sent, ${part(used)} used, ${part(wasted)} wasted, ${part(creditsDropped(report))} dropped`;
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
