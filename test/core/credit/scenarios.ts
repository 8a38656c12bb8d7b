import { SeededRandom } from '../../../src/base/random.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { Model } from './model.js';
import type { ModelFlow } from './model-flow.js';
import type { FlowSpec, LinkSpec, ModelSpec } from './model-spec.js';
import { creditLink } from './model-spec.js';

/** The scenarios of the ExpressPass papers in the model, and what is measured in them. */

export type MakeAlgorithm = FlowSpec['makeAlgorithm'];

/** An algorithm of the registry with some of its parameters changed. */
export function registered(name: string, parameters: Record<string, number> = {}): MakeAlgorithm {
  return (link) => creditAlgorithm(name, link, parameters);
}

export interface Span {
  fromNs: number;
  toNs: number;
}

export interface DumbbellOptions extends Partial<ModelSpec> {
  makeAlgorithm: MakeAlgorithm;
  rateBps: number;
  rttNs: number;
  flowCount: number;
  durationNs: number;
  binNs: number;
  seed: number;
  /** When the last flow starts; all others start at 0. */
  joinNs?: number;
  /** One for each flow, where they differ. */
  makers?: readonly MakeAlgorithm[];
  rttsNs?: readonly number[];
  nicsBps?: readonly number[];
  /** What the shared link does besides carrying credits at `rateBps`. */
  shared?: Partial<LinkSpec>;
}

/** Receivers with a NIC each behind one shared link. A run of it, from 0 to `durationNs`. */
export function runDumbbell(options: DumbbellOptions): Model {
  const { makeAlgorithm, rateBps, rttNs, flowCount, joinNs = 0 } = options;
  const flows = Array.from({ length: flowCount }, (_, i) => ({
    makeAlgorithm: options.makers?.[i] ?? makeAlgorithm,
    path: [1 + i, 0],
    hopNs: 0.1 * rttNs,
    returnNs: (options.rttsNs?.[i] ?? rttNs) - 0.1 * rttNs,
    startNs: i === flowCount - 1 ? joinNs : 0,
  }));
  const nics = Array.from({ length: flowCount }, (_, i) => ({ rateBps: options.nicsBps?.[i] ?? rateBps }));
  const spec = { flows, links: [{ rateBps, ...options.shared }, ...nics], ...options };
  return new Model(spec, new SeededRandom(options.seed)).run(options.durationNs);
}

export interface ParkingLotOptions {
  makeAlgorithm: MakeAlgorithm;
  rateBps: number;
  linkDelayNs: number;
  /** Links that flow 0 crosses; each has a flow of its own besides. */
  linkCount: number;
  durationNs: number;
  seed: number;
}

/** A chain of links: flow 0 crosses all of them, flow i only link i - 1 (ExpressPass 2017, Figure 10). Bins of 1 % of the run. */
export function runParkingLot(options: ParkingLotOptions): Model {
  const { makeAlgorithm, rateBps, linkDelayNs: hopNs, linkCount, durationNs } = options;
  const chain = Array.from({ length: linkCount }, (_, i) => i);
  const nic = (flow: number) => linkCount + flow;
  const across = { path: [nic(0), ...chain.toReversed()], returnNs: (linkCount + 3) * hopNs };
  const cross = chain.map((link) => ({ path: [nic(link + 1), link], returnNs: 5 * hopNs }));
  const flows = [across, ...cross].map((flow) => ({ ...flow, makeAlgorithm, hopNs, startNs: 0 }));
  const links = Array.from({ length: 2 * linkCount + 1 }, () => ({ rateBps }));
  return new Model({ links, flows, binNs: durationNs / 100 }, new SeededRandom(options.seed)).run(durationNs);
}

/** Data that the flows got over a time, as a part of what one link of `rateBps` carries. */
export function utilisation(flows: readonly ModelFlow[], rateBps: number, { fromNs, toNs }: Span): number {
  const frames = flows.reduce((sum, flow) => sum + flow.deliveredIn(fromNs, toNs), 0);
  return (frames * creditLink(rateBps).bytesPerCredit * 8e9) / (rateBps * (toNs - fromNs));
}

/** The least used link of a parking lot. */
export function lowestUtilisation(flows: readonly ModelFlow[], rateBps: number, span: Span): number {
  const [across, ...cross] = flows;
  return Math.min(...cross.map((flow) => utilisation([across, flow], rateBps, span)));
}

/** Jain's index over windows of `windowNs`, mean over the span. */
export function jain(flows: readonly ModelFlow[], windowNs: number, { fromNs, toNs }: Span): number {
  const windows: number[] = [];
  for (let startNs = fromNs; startNs + windowNs <= toNs; startNs += windowNs) {
    const frames = flows.map((flow) => flow.deliveredIn(startNs, startNs + windowNs));
    const total = frames.reduce((sum, count) => sum + count, 0);
    windows.push(total ** 2 / (frames.length * frames.reduce((sum, count) => sum + count ** 2, 0)));
  }
  return mean(windows);
}

/** Credits lost of those sent. */
export function droppedShare(flows: readonly ModelFlow[]): number {
  const dropped = flows.reduce((sum, flow) => sum + flow.totalDropped, 0);
  return dropped / flows.reduce((sum, flow) => sum + flow.lastSequence + 1, 0);
}

export interface JoinOptions {
  makeAlgorithm: MakeAlgorithm;
  rateBps: number;
  rttNs: number;
  flowCount: number;
  seed: number;
  /** Windows of this length are compared with the fair share, each a bin after the one before. */
  windowNs: number;
  binNs: number;
  /** The last flow joins around here. */
  joinNs: number;
  durationNs: number;
}

/** From the moment the last flow joins to the end of the first window in which it is within 10 % of its fair share, ns. */
export function joiningTimeNs(options: JoinOptions): number {
  const { rateBps, flowCount, windowNs, binNs, durationNs } = options;
  const joinNs = options.joinNs + ((options.seed * 0.37) % 1) * binNs;
  const flows = runDumbbell({ ...options, joinNs }).flows;
  const joining = flows[flowCount - 1];
  for (let fromNs = Math.ceil(joinNs / binNs) * binNs; fromNs + windowNs <= durationNs; fromNs += binNs) {
    const share = utilisation([joining], rateBps, { fromNs, toNs: fromNs + windowNs });
    if (Math.abs(share * flowCount - 1) <= 0.1) return fromNs + windowNs - joinNs;
  }
  return Number.POSITIVE_INFINITY;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle, the lowest and the highest value, as text. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index].toFixed(digits);
  return `${at(sorted.length >> 1)} (${at(0)}-${at(sorted.length - 1)})`;
}

export function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Rows of cells as columns that a reader can compare. */
export function table(title: string, rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return `${[title, '', ...rows.map(line)].join('\n')}\n`;
}
