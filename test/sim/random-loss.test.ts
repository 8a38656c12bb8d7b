import { describe, expect, it } from 'vitest';
import {
  jainOfArrivals,
  type Kind,
  lossyDumbbell,
} from '../../src/apps/figures/catalogue/real-networks/random-loss.js';
import { DEFAULT_CREDIT_ALGORITHM } from '../../src/core/credit/registry.js';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { simulate } from '../../src/sim/simulate.js';

/** Of what the loss of credits leaves of the data share, and of Jain's index without loss: the goals of the default law. */
const LEAST_PART = 0.95;
const MOST_JAIN_LOST = 0.02;

const known = new Map<string, ReturnType<typeof play>>();

/** The runs without loss are those of both rates. */
function played(...settings: Parameters<typeof play>) {
  const key = settings.join(' ');
  const figures = known.get(key) ?? play(...settings);
  known.set(key, figures);
  return figures;
}

function play(pairs: number, kind: Kind, loss: number) {
  const document = lossyDumbbell({ law: 'steady', rate: '10gbit', pairs, kind, loss });
  const run = simulate(parseScenario({ ...document, algorithm: DEFAULT_CREDIT_ALGORITHM }));
  return { utilisation: run.result.utilisation, jain: jainOfArrivals(run) };
}

describe.each([1, 16])('%d flows of the default law over 10 Gbit/s that lose frames at random', (pairs) => {
  it.each([
    ['uniform', 0.01],
    ['uniform', 0.1],
    ['bursts', 0.01],
    ['bursts', 0.1],
  ] as const)('use what loss leaves, in equal parts: %s, %d', (kind, loss) => {
    const { utilisation, jain } = played(pairs, kind, loss);
    expect(utilisation / (1 - loss)).toBeGreaterThan(LEAST_PART);
    expect(jain).toBeGreaterThan(played(pairs, kind, 0).jain - MOST_JAIN_LOST);
  });
});
