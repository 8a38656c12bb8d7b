// Tested by test/apps/figures/catalogue/shuffle.test.ts

import { assert } from '../../../base/assert.js';
import { cdfSeries, type LineChart } from '../../../report/plot/chart.js';
import type { FlowResult, LinkResult, SimulationResult, SimulationRun, SizeClass } from '../../../sim/result.js';
import { type Quantity, quantity } from '../plan.js';
import { largest, mean, sum } from '../statistics.js';
import { lines } from './charts.js';
import { dataBps, wireBps } from './payload.js';

/** Quantities that several figures read from their runs. */

/** The direction that the flows of a dumbbell share. */
export const BOTTLENECK = 'left->right';

/** One direction of a link, by its name. */
function linkOf({ result }: SimulationRun, name: string): LinkResult {
  const found = result.links.find((link) => link.name === name);
  assert(found !== undefined, `there is a direction ${name}`);
  return found;
}

/** Frames that found a data queue full anywhere. */
export function dataDrops({ result }: SimulationRun): number {
  return sum(result.links.map((link) => link.dataDrops));
}

export const unfinished = ({ result }: SimulationRun): number => result.flows.filter(({ fctNs }) => fctNs === null).length;

const ofResult = (title: string, digits: number, of: (result: SimulationResult) => number | null): Quantity =>
  quantity(title, digits, ({ result }) => of(result));

export const UTILISATION = ofResult('utilisation', 4, ({ utilisation }) => utilisation);
/** Data on the wire over what the whole link carries, as papers count it. */
export const LINK_SHARE = ofResult('link_share', 4, ({ utilisation }) => utilisation * dataBps(1));
export const CREDITS_DROPPED = ofResult('credits_dropped', 4, ({ creditDropShare }) => creditDropShare);
export const JAIN = ofResult('jain', 4, ({ jain }) => jain);
export const DISORDER_P99 = ofResult('disorder_p99', 0, ({ disorderP99 }) => disorderP99);
export const DISORDER_MAX = ofResult('disorder_max', 0, ({ disorderMax }) => disorderMax);
/** Summed over seeds. */
export const DATA_DROPS = quantity('data_drops', 0, dataDrops, sum);
export const UNFINISHED = quantity('unfinished', 0, unfinished);
/** Wire rate of flow 0, Gbit/s. */
export const FLOW_0 = ofResult('flow_0_gbps', 3, ({ flows }) => wireBps(flows[0].goodputBps) / 1e9);

/** Jain's index over windows of this length, averaged; NaN where no two flows ran at a time. */
export function jainOver(windowMs: number): Quantity {
  return quantity(`jain_${windowMs}ms`, 4, ({ result }) => {
    const found = result.jainByWindow.find(({ windowNs }) => windowNs === windowMs * 1e6);
    assert(found !== undefined, `Jain's index is taken over ${windowMs} ms`);
    return found.jain ?? Number.NaN;
  });
}

/** Data queues of one direction in bytes: in the measured time the mean and the largest (of all seeds), and the largest since the start. */
export const queueOf = (link: string) => ({
  mean: quantity('queue_bytes_mean', 0, (run) => linkOf(run, link).dataQueueBytesMean) as Quantity,
  max: queue('queue_bytes_max', link, 'dataQueueBytesMax'),
  ever: queue('queue_bytes_max_ever', link, 'dataQueueBytesMaxEver'),
});

function queue(title: string, link: string, of: 'dataQueueBytesMax' | 'dataQueueBytesMaxEver'): Quantity {
  return quantity(title, 0, (run) => linkOf(run, link)[of], largest);
}

export const QUEUE = queueOf(BOTTLENECK);

/** Of all ports and NICs, since the start. */
export const LARGEST_QUEUE = ofResult('queue_bytes_max', 0, ({ links }) => Math.max(...links.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)));
/** Of the ports that carried data, over the measured time. */
export const MEAN_QUEUE = ofResult('queue_bytes_mean', 1, ({ links }) =>
  mean(links.filter(({ utilisation }) => utilisation > 0).map(({ dataQueueBytesMean }) => dataQueueBytesMean)),
);

const goodputs = ({ flows }: SimulationResult): number[] => flows.map(({ goodputBps }) => goodputBps / 1e9);
export const MEAN_GOODPUT = ofResult('goodput_mean_gbps', 3, (result) => mean(goodputs(result)));
export const LEAST_GOODPUT = ofResult('goodput_least_gbps', 3, (result) => Math.min(...goodputs(result)));

/** Wire rate of a mean flow of the group, Gbit/s. */
export function groupRate(group: string): Quantity {
  return ofResult(`${group}_gbps`, 3, ({ flows }) => {
    const those = flows.filter((flow) => flow.group === group);
    return mean(those.map(({ goodputBps }) => wireBps(goodputBps))) / 1e9;
  });
}

type Time = 'meanNs' | 'p50Ns' | 'p99Ns' | 'maxNs';

/** Nanoseconds of a unit, and the digits that a table has. */
const UNITS = { s: [1e9, 6], ms: [1e6, 4], us: [1e3, 2], ns: [1, 0] } as const;

/** Completion time of a size class; null where no flow is of it. */
export function time(title: string, of: Time, unit: keyof typeof UNITS, size: SizeClass = 'all'): Quantity {
  const [unitNs, digits] = UNITS[unit];
  return ofResult(title, digits, ({ fct }) => {
    const times = fct[size];
    return times === undefined ? null : times[of] / unitNs;
  });
}

/** Size classes of flows below 1 MB, and the rest. */
export const CLASSES = ['S', 'M', 'L', 'XL'] as const satisfies readonly SizeClass[];

/** Mean completion times, us. */
export const MEAN_US: Readonly<Record<SizeClass, Quantity>> = { all: meanUs('all'), S: meanUs('S'), M: meanUs('M'), L: meanUs('L'), XL: meanUs('XL') };

function meanUs(size: SizeClass): Quantity {
  return time(`fct_${size.toLowerCase()}_mean_us`, 'meanNs', 'us', size);
}

const credits = (kind: keyof FlowResult['credits'], { flows }: SimulationResult): number => sum(flows.map((flow) => flow.credits[kind]));

export const CREDITS_SENT = ofResult('credits_sent', 0, (result) => credits('sent', result));
/** Credits that found no data. */
export const CREDITS_WASTED = ofResult('credits_wasted', 0, (result) => credits('unused', result));
export const WASTED_SHARE = ofResult('credits_wasted_share', 4, (result) => credits('unused', result) / credits('sent', result));
export const DROPPED_SHARE = ofResult('credits_dropped_share', 4, (result) => credits('dropped', result) / credits('sent', result));
export const WASTED_PER_FLOW = ofResult('credits_wasted_per_flow', 2, (result) => credits('unused', result) / result.flows.length);

/** Completion times of the flows of a group in seconds, or of all; NaN where one did not end. */
export function timesS({ result }: SimulationRun, group?: string): Float64Array {
  const flows = group === undefined ? result.flows : result.flows.filter((flow) => flow.group === group);
  return Float64Array.from(flows, ({ fctNs }) => (fctNs ?? Number.NaN) / 1e9);
}

/** Completion times of several runs, in seconds, as the shares of flows that had ended by then. */
export function completionCdf(all: readonly { name: string; timesS: ArrayLike<number> }[]): LineChart {
  return lines(
    { x: 'completion time (s)', y: { name: 'share of the flows', max: 1 } },
    all.map(({ name, timesS }) => cdfSeries(name, timesS)),
  );
}
