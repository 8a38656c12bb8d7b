import { type FctResult, type FlowResult, SIZE_CLASSES, type SizeClass } from '../result.js';
import { quantile } from './quantile.js';

/** The classes from the smallest, and the size in bytes at which each ends. ExpressPass 2017, Section 6.3 */
const CLASS_ENDS: readonly (readonly [Exclude<SizeClass, 'all'>, number])[] = [
  ['S', 10_000],
  ['M', 100_000],
  ['L', 1_000_000],
  ['XL', Number.POSITIVE_INFINITY],
];

/** The class of a flow of this many bytes. */
export function sizeClass(bytes: number): Exclude<SizeClass, 'all'> {
  for (const [name, end] of CLASS_ENDS) if (bytes < end) return name;
  return 'XL';
}

/** What is read of a flow here. */
export type CompletedFlow = Pick<FlowResult, 'bytes' | 'fctNs' | 'slowdown'>;

/** Completion times by size class, in the order of SIZE_CLASSES. Flows that are not complete count nowhere, classes without flows are left out. */
export function completionTimes(flows: readonly CompletedFlow[]): Partial<Record<SizeClass, FctResult>> {
  const byClass = new Map<SizeClass, Durations>(SIZE_CLASSES.map((name) => [name, { fctsNs: [], slowdowns: [] }]));
  for (const flow of flows) {
    if (flow.bytes === null || flow.fctNs === null) continue;
    add(byClass.get('all'), flow.fctNs, flow.slowdown);
    add(byClass.get(sizeClass(flow.bytes)), flow.fctNs, flow.slowdown);
  }
  const some = [...byClass].filter(([, { fctsNs }]) => fctsNs.length > 0);
  return Object.fromEntries(some.map(([name, durations]) => [name, summarise(durations)]));
}

interface Durations {
  readonly fctsNs: number[];
  readonly slowdowns: number[];
}

function add(to: Durations | undefined, fctNs: number, slowdown: number | null): void {
  to?.fctsNs.push(fctNs);
  if (slowdown !== null) to?.slowdowns.push(slowdown);
}

function summarise({ fctsNs, slowdowns }: Durations): FctResult {
  const sorted = Float64Array.from(fctsNs).sort();
  const sumNs = sorted.reduce((sum, fctNs) => sum + fctNs, 0);
  return {
    count: sorted.length,
    meanNs: sumNs / sorted.length,
    p50Ns: quantile(sorted, 0.5),
    p99Ns: quantile(sorted, 0.99),
    maxNs: sorted[sorted.length - 1],
    slowdownP99: slowdowns.length === 0 ? null : quantile(Float64Array.from(slowdowns).sort(), 0.99),
  };
}
