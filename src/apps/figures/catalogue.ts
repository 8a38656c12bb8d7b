import { usageFailure } from '../shared/failure.js';
import { suggestion } from '../shared/nearest.js';
import { convergence } from './catalogue/convergence.js';
import { creditQueue } from './catalogue/credit-queue.js';
import { creditQueue2016 } from './catalogue/credit-queue-2016.js';
import { frontier } from './catalogue/frontier.js';
import { initialRate } from './catalogue/initial-rate.js';
import { jitter } from './catalogue/jitter.js';
import { manyFlows } from './catalogue/many-flows.js';
import { multiBottleneck } from './catalogue/multi-bottleneck.js';
import { oneBottleneck } from './catalogue/one-bottleneck.js';
import { pacing } from './catalogue/pacing.js';
import { parkingLot } from './catalogue/parking-lot.js';
import { parkingLot2016 } from './catalogue/parking-lot-2016.js';
import { queueBound } from './catalogue/queue-bound.js';
import { shuffle } from './catalogue/shuffle.js';
import { stability } from './catalogue/stability.js';
import { workloads } from './catalogue/workloads.js';
import type { Figure } from './figure.js';

/** In the order of the page. */
export const FIGURES: readonly Figure[] = [
  oneBottleneck,
  convergence,
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
  shuffle,
  workloads,
  frontier,
];

/** The figures of these names in the order of `all`; all of them without names. Throws a usage Failure for a name that none has. */
export function selectFigures(names: readonly string[], all: readonly Figure[] = FIGURES): readonly Figure[] {
  const known = all.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw usageFailure(`unknown figure '${name}'${suggestion(name, known)}; allowed: list, ${known.join(', ')}`);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
