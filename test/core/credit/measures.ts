import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import type { CreditAlgorithm } from '../../../src/core/credit/algorithm.js';
import {
  type DumbbellOptions,
  droppedShare,
  jain,
  joiningTimeNs,
  lowestUtilisation,
  type MakeAlgorithm,
  mean,
  runDumbbell,
  runParkingLot,
  utilisation,
} from './scenarios.js';

/** What the tables show of a rule: the scenarios run over some seeds, and their figures. */

export const FAST = { rateBps: 1e10, rttNs: 100 * MICROSECOND_NS, windowNs: MILLISECOND_NS };
export const SLOW = { rateBps: 1e8, rttNs: 300 * MICROSECOND_NS, windowNs: 100 * MILLISECOND_NS };
export const SLOW_AND_FAR = { ...SLOW, rttNs: 3 * MILLISECOND_NS };

export type Link = typeof FAST;

export interface Sharing {
  /** Mean over the seeds. */
  utilisation: number;
  /** Lowest over the seeds of Jain's index over windows of `windowNs`, and of ten times that. */
  jain: number;
  jainLong: number;
  dropped: number;
}

interface SharingOptions
  extends Partial<Pick<DumbbellOptions, 'wakeNs' | 'lateInto' | 'shared' | 'rttsNs' | 'nicsBps'>> {
  link: Link;
  flowCount: number;
  seeds: readonly number[];
  /** Length of the run in windows; the first third is left out. */
  windows?: number;
}

/** Flows that start together and never end, on one bottleneck. */
export function measureSharing(makeAlgorithm: MakeAlgorithm, options: SharingOptions): Sharing {
  const { link, windows = 60 } = options;
  const { rateBps, windowNs } = link;
  const span = { fromNs: (windows / 3) * windowNs, toNs: windows * windowNs };
  const runs = options.seeds.map((seed) =>
    runDumbbell({ ...options, ...link, makeAlgorithm, durationNs: span.toNs, binNs: windowNs, seed }),
  );
  return {
    utilisation: mean(runs.map(({ flows }) => utilisation(flows, rateBps, span))),
    jain: Math.min(...runs.map(({ flows }) => jain(flows, windowNs, span))),
    jainLong: Math.min(...runs.map(({ flows }) => jain(flows, 10 * windowNs, span))),
    dropped: mean(runs.map(({ flows }) => droppedShare(flows))),
  };
}

export interface ParkingLot {
  /** Of the least used link, lowest over the seeds. */
  lowest: number;
  /** What the flow that crosses all links gets of one, mean over the seeds. */
  across: number;
}

interface ParkingLotMeasure {
  rateBps: number;
  linkDelayNs: number;
  linkCount: number;
  seeds: readonly number[];
  durationNs: number;
}

export function measureParkingLot(makeAlgorithm: MakeAlgorithm, options: ParkingLotMeasure): ParkingLot {
  const { rateBps, durationNs } = options;
  const span = { fromNs: durationNs / 4, toNs: durationNs };
  const runs = options.seeds.map((seed) => runParkingLot({ ...options, makeAlgorithm, seed }).flows);
  return {
    lowest: Math.min(...runs.map((flows) => lowestUtilisation(flows, rateBps, span))),
    across: mean(runs.map((flows) => utilisation([flows[0]], rateBps, span))),
  };
}

/** How many RTTs a flow that joins one other takes to get within 10 % of half the link, over 3 RTTs, for each seed. */
export function joiningRtts(makeAlgorithm: MakeAlgorithm, seeds: readonly number[], rateBps = FAST.rateBps): number[] {
  const { rttNs } = FAST;
  const window = { windowNs: 3 * rttNs, binNs: rttNs, joinNs: 50 * rttNs, durationNs: 150 * rttNs };
  return seeds.map((seed) => joiningTimeNs({ ...FAST, ...window, makeAlgorithm, rateBps, flowCount: 2, seed }) / rttNs);
}

export interface JoiningMeasure {
  link: Link;
  flowCount: number;
  seeds: readonly number[];
}

/** How many ms the last of some flows takes on a slow link, over 100 ms, for each seed. */
export function joiningMs(makeAlgorithm: MakeAlgorithm, { link, ...options }: JoiningMeasure): number[] {
  const window = { binNs: 10 * MILLISECOND_NS, joinNs: SECOND_NS, durationNs: 2 * SECOND_NS };
  return options.seeds.map(
    (seed) => joiningTimeNs({ ...link, ...options, ...window, makeAlgorithm, seed }) / MILLISECOND_NS,
  );
}

/** Flows on one bottleneck of which all but the first stop at 20 ms: RTTs until that one has 95 % of the link. */
export function measureLeaving(makeAlgorithm: MakeAlgorithm, flowCount = 8): number {
  const { rateBps, rttNs } = FAST;
  const leaveNs = 200 * rttNs;
  const makers = [makeAlgorithm, ...Array.from({ length: flowCount - 1 }, () => stopsAt(makeAlgorithm, leaveNs))];
  const run = { rateBps, rttNs, flowCount, makers, binNs: rttNs, durationNs: 3 * leaveNs, seed: 1 };
  const [first] = runDumbbell({ ...run, makeAlgorithm }).flows;
  for (let fromNs = leaveNs; fromNs < 3 * leaveNs; fromNs += rttNs) {
    if (utilisation([first], rateBps, { fromNs, toNs: fromNs + rttNs }) >= 0.95) return fromNs / rttNs + 1 - 200;
  }
  return Number.POSITIVE_INFINITY;
}

/** An algorithm that issues next to nothing from some time on. */
function stopsAt(makeAlgorithm: MakeAlgorithm, atNs: number): MakeAlgorithm {
  return (link) => {
    const algorithm = makeAlgorithm(link);
    let isOver = false;
    const stopping: CreditAlgorithm = {
      name: algorithm.name,
      get rateBps() {
        return isOver ? 1 : algorithm.rateBps;
      },
      updatePeriodNs: (rttNs) => algorithm.updatePeriodNs(rttNs),
      update: (sample) => {
        isOver ||= sample.nowNs >= atNs;
        algorithm.update(sample);
      },
      state: () => algorithm.state(),
    };
    if (algorithm.hop === undefined) return stopping;
    return Object.defineProperty(stopping, 'hop', { get: () => algorithm.hop });
  };
}
