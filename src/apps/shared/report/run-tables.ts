/** The tables of a report. */
import { type FlowResult, type LinkResult, SIZE_CLASSES, type SimulationResult } from '../../../sim/result.js';
import { displayCount, displayDuration, displayPercent, displayRate } from '../display.js';
import type { TableColumn, TableData } from './html.js';
import { largestOf } from './units.js';

export interface NamedResult {
  readonly name: string;
  readonly result: SimulationResult;
}

const text = (title: string): TableColumn => ({ title });
const number = (title: string): TableColumn => ({ title, align: 'right' });

/** One row a run. */
export function summaryTable(runs: readonly NamedResult[]): TableData {
  const titles = [
    'seed',
    'duration',
    'flows',
    'complete',
    'failed',
    'utilisation',
    'Jain',
    'credits dropped',
    'largest queue, B',
  ];
  return {
    columns: [...['run', 'algorithm'].map(text), ...[...titles, 'data drops', 'lost frames'].map(number)],
    rows: runs.map(({ name, result }) => [
      name,
      result.algorithm,
      String(result.seed),
      displayDuration(result.durationNs),
      ...flowCounts(result.flows),
      ratio(result.utilisation),
      ratio(result.jain),
      displayPercent(result.creditDropShare),
      displayCount(largestOf(result.links.map(({ dataQueueBytesMax }) => dataQueueBytesMax))),
      ...[total(result.links, 'dataDrops'), total(result.links, 'lost')].map(displayCount),
    ]),
  };
}

function flowCounts(flows: readonly FlowResult[]): string[] {
  const complete = flows.filter(({ fctNs }) => fctNs !== null).length;
  const failed = flows.filter(({ error }) => error !== null).length;
  return [flows.length, complete, failed].map(displayCount);
}

function total(links: readonly LinkResult[], field: 'dataDrops' | 'lost'): number {
  return links.reduce((sum, link) => sum + link[field], 0);
}

/** One row for each size class that has flows. */
export function completionTable(fct: SimulationResult['fct']): TableData {
  const rows = SIZE_CLASSES.flatMap((name) => {
    const times = fct[name];
    if (times === undefined) return [];
    const { count, meanNs, p50Ns, p99Ns, maxNs, slowdownP99 } = times;
    return [[name, displayCount(count), ...[meanNs, p50Ns, p99Ns, maxNs].map(displayDuration), factor(slowdownP99)]];
  });
  const titles = ['flows', 'mean', 'median', '99 %', 'largest', 'slowdown, 99 %'];
  return { columns: [text('size class'), ...titles.map(number)], rows };
}

/** The busiest first. */
export function linkTable(links: readonly LinkResult[], limit: number): TableData {
  const titles = [
    'rate',
    'utilisation',
    'largest queue, B',
    'mean queue, B',
    'credits offered',
    'dropped',
    'data drops',
    'lost frames',
    'marks',
  ];
  const busiest = [...links].sort((a, b) => b.utilisation - a.utilisation).slice(0, limit);
  return {
    columns: [text('link'), ...titles.map(number)],
    rows: busiest.map((link) => [
      link.name,
      displayRate(link.rateBps ?? Number.POSITIVE_INFINITY),
      ratio(link.utilisation),
      displayCount(link.dataQueueBytesMax),
      displayCount(link.dataQueueBytesMean),
      displayCount(link.creditsOffered),
      displayPercent(link.creditsOffered === 0 ? 0 : link.creditDrops / link.creditsOffered),
      ...[link.dataDrops, link.lost, link.ecnMarks].map(displayCount),
    ]),
  };
}

/** In the order of their ids. */
export function flowTable(flows: readonly FlowResult[], limit: number): TableData {
  const titles = [
    'bytes',
    'start',
    'completion time',
    'slowdown',
    'goodput',
    'credits sent',
    'used',
    'wasted',
    'dropped',
  ];
  return {
    columns: [number('flow'), ...['group', 'from', 'to'].map(text), ...titles.map(number), text('error')],
    rows: flows
      .slice(0, limit)
      .map((flow) => [
        String(flow.id),
        flow.group,
        flow.src,
        flow.dst,
        flow.bytes === null ? 'endless' : displayCount(flow.bytes),
        displayDuration(flow.startNs),
        displayDuration(flow.fctNs ?? Number.NaN),
        factor(flow.slowdown),
        displayRate(flow.goodputBps),
        ...[flow.credits.sent, flow.credits.used, flow.credits.wasted, flow.credits.dropped].map(displayCount),
        flow.error ?? '',
      ]),
  };
}

function ratio(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}

function factor(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}
