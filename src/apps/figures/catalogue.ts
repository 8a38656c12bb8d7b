import { usageFailure } from '../../base/failure.js';
import { suggestion } from '../../scenario/nearest.js';
import { WORKLOAD_NAMES } from '../../sim/traffic/workloads.js';
import { buffers } from './catalogue/buffers.js';
import { convergence } from './catalogue/convergence.js';
import { creditQueue } from './catalogue/credit-queue.js';
import { creditQueue2016 } from './catalogue/credit-queue-2016.js';
import { ec4Arrival } from './catalogue/ec4/arrival.js';
import { ec4Convergence } from './catalogue/ec4/convergence.js';
import { ec4Dctcp } from './catalogue/ec4/dctcp.js';
import { ec4Fairness } from './catalogue/ec4/fairness.js';
import { ec4Peers } from './catalogue/ec4/peers.js';
import { ec4Queue } from './catalogue/ec4/queue.js';
import { ec4Shuffle } from './catalogue/ec4/shuffle.js';
import { ec4SwiftHost } from './catalogue/ec4/swift-host.js';
import { ec4SwiftIncast } from './catalogue/ec4/swift-incast.js';
import { ec4SwiftQueue } from './catalogue/ec4/swift-queue.js';
import { ec4Workloads } from './catalogue/ec4/workloads.js';
import { ec4WorkloadsQueue } from './catalogue/ec4/workloads-queue.js';
import { frontier } from './catalogue/frontier.js';
import { initialRate } from './catalogue/initial-rate.js';
import { jitter } from './catalogue/jitter.js';
import { joiningLeaving } from './catalogue/joining-leaving.js';
import { joiningPeers } from './catalogue/joining-peers.js';
import { manyFlows } from './catalogue/many-flows.js';
import { multiBottleneck } from './catalogue/multi-bottleneck.js';
import { oneBottleneck } from './catalogue/one-bottleneck.js';
import { pacing } from './catalogue/pacing.js';
import { parkingLot } from './catalogue/parking-lot.js';
import { parkingLot2016 } from './catalogue/parking-lot-2016.js';
import { queueBound } from './catalogue/queue-bound.js';
import { rampUp } from './catalogue/ramp-up.js';
import { classes } from './catalogue/real-networks/classes.js';
import { earlyStop } from './catalogue/real-networks/early-stop.js';
import { failures } from './catalogue/real-networks/failures.js';
import { incast } from './catalogue/real-networks/incast.js';
import { realNetworksMix } from './catalogue/real-networks/mix.js';
import { randomNetworks } from './catalogue/real-networks/random.js';
import { randomLoss } from './catalogue/real-networks/random-loss.js';
import { unequalLinks } from './catalogue/real-networks/unequal-links.js';
import { weights } from './catalogue/real-networks/weights.js';
import { shuffle } from './catalogue/shuffle.js';
import { asymmetry } from './catalogue/spraypass/asymmetry.js';
import { byteBudget } from './catalogue/spraypass/byte-budget.js';
import { convergence as sprayConvergence } from './catalogue/spraypass/convergence.js';
import { disorder } from './catalogue/spraypass/disorder.js';
import { marking } from './catalogue/spraypass/marking.js';
import { pathReturn } from './catalogue/spraypass/path-return.js';
import { permutation } from './catalogue/spraypass/permutation.js';
import { speculative } from './catalogue/spraypass/speculative.js';
import { speedBoard } from './catalogue/spraypass/speed-board.js';
import { sweeps } from './catalogue/spraypass/sweeps.js';
import { workloads as sprayWorkloads } from './catalogue/spraypass/workloads.js';
import { stability } from './catalogue/stability.js';
import { workloadFigure } from './catalogue/workloads.js';
import type { Figure, FigureGroup } from './figure.js';

/** A page, and the figures of it that are wanted. */
export interface FigureSelection {
  readonly group: FigureGroup;
  readonly figures: readonly Figure[];
}

const expresspassFigures: FigureGroup = {
  name: 'expresspass',
  title: 'The figures of the ExpressPass papers',
  figures: [
    oneBottleneck,
    convergence,
    joiningPeers,
    rampUp,
    joiningLeaving,
    initialRate,
    parkingLot,
    parkingLot2016,
    multiBottleneck,
    creditQueue,
    creditQueue2016,
    jitter,
    pacing,
    manyFlows,
    stability,
    queueBound,
    buffers,
    shuffle,
    ...WORKLOAD_NAMES.map(workloadFigure),
    frontier,
  ],
};

const spraypassFigures: FigureGroup = {
  name: 'spraypass',
  title: 'The figures of SprayPass',
  figures: [disorder, marking, speedBoard, permutation, sprayConvergence, asymmetry, sprayWorkloads, sweeps, pathReturn, speculative, byteBudget],
};

const ec4Figures: FigureGroup = {
  name: 'ec4',
  title: 'EC4: credits and DCTCP in one queue',
  figures: [
    ec4Arrival,
    ec4Fairness,
    ec4Queue,
    ec4Convergence,
    ec4Shuffle,
    ...ec4Workloads,
    ec4WorkloadsQueue,
    ec4Peers,
    ec4Dctcp,
    ec4SwiftQueue,
    ec4SwiftIncast,
    ec4SwiftHost,
  ],
};

const realNetworksFigures: FigureGroup = {
  name: 'real-networks',
  title: 'Credits on real networks',
  figures: [
    // One line a figure.
    randomNetworks,
    randomLoss,
    unequalLinks,
    incast,
    realNetworksMix,
    failures,
    earlyStop,
    weights,
    classes,
  ],
};

/** The first is the one that is meant where none is named. */
export const FIGURE_GROUPS: readonly FigureGroup[] = [expresspassFigures, spraypassFigures, ec4Figures, realNetworksFigures];

/**
 * What `words` ask for: a group's name first or none, then names of its figures, all of them without. In a group the group's name may be left out of theirs.
 * Figures come in the order of the page. Throws a usage Failure for a name that none has.
 */
export function selectFigures(words: readonly string[], groups: readonly FigureGroup[] = FIGURE_GROUPS): FigureSelection {
  const named = groups.find(({ name }) => name === words[0]);
  const group = named ?? groupOf(words, groups);
  const wanted = (named === undefined ? words : words.slice(1)).map((word) => figureName(word, group, groups));
  const figures = wanted.length === 0 ? group.figures : group.figures.filter(({ name }) => wanted.includes(name));
  return { group, figures };
}

/** The group of the first figure that is named without one. Without words it is the first group. */
function groupOf([first]: readonly string[], groups: readonly FigureGroup[]): FigureGroup {
  const group = first === undefined ? groups[0] : groups.find(({ figures }) => figures.some(({ name }) => name === first));
  return group ?? unknownFigure(first, groups, groups);
}

function figureName(word: string, group: FigureGroup, groups: readonly FigureGroup[]): string {
  const known = group.figures.map(({ name }) => name);
  const found = [word, `${group.name}-${word}`].find((name) => known.includes(name));
  if (found !== undefined) return found;
  return unknownFigure(word, groups, [group]);
}

/** Throws: no figure of the `searched` groups has that name. */
function unknownFigure(word: string, groups: readonly FigureGroup[], searched: readonly FigureGroup[]): never {
  const known = searched.flatMap(({ figures }) => figures.map(({ name }) => name));
  const allowed = ['list', ...groups.map(({ name }) => name), ...known];
  throw usageFailure(`unknown figure '${word}'${suggestion(word, allowed)}; allowed: ${allowed.join(', ')}`);
}
