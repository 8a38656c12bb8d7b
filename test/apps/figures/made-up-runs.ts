import type { Figure, FigureOutcome, Profile } from '../../../src/apps/figures/figure.js';
import type { FigureRow } from '../../../src/report/figures-page.js';
import type { FlowResult, LinkResult, SimulationResult, SimulationRun } from '../../../src/sim/result.js';

/** What a made-up run says; the rest is that of a run in which nothing was wrong. */
export function madeUpRun(says: Partial<SimulationResult> = {}): SimulationRun {
  const result: SimulationResult = {
    scenario: 'made up',
    seed: 1,
    algorithm: 'steady',
    durationNs: 60e6,
    measuredNs: 40e6,
    flows: [],
    links: [madeUpLink()],
    jain: 1,
    jainByWindow: [],
    utilisation: 1,
    creditDropShare: 0,
    disorderP99: null,
    disorderMax: null,
    fct: {},
    events: 1,
    ...says,
  };
  return { result, series: null };
}

export function madeUpLink(says: Partial<LinkResult> = {}): LinkResult {
  return {
    name: 'left->right',
    rateBps: 10e9,
    utilisation: 1,
    dataQueueBytesMaxEver: 0,
    dataQueueBytesMax: 0,
    dataQueueBytesMean: 0,
    creditsOffered: 0,
    creditDrops: 0,
    dataDrops: 0,
    speculativeDrops: 0,
    lost: 0,
    ecnMarks: 0,
    ...says,
  };
}

export function madeUpFlow(says: Partial<FlowResult> = {}): FlowResult {
  return {
    id: 0,
    group: 'flow',
    src: 'h1',
    dst: 'h2',
    bytes: 1e6,
    startNs: 0,
    fctNs: 1e6,
    slowdown: null,
    goodputBps: 8e9,
    deliveredBytes: 1e6,
    credits: { sent: 10, used: 10, unused: 0, dropped: 0 },
    error: null,
    ...says,
  };
}

/** Jain's index over windows by their length, ns. */
export function jainByWindow(values: Readonly<Record<number, number>>): SimulationResult['jainByWindow'] {
  return Object.entries(values).map(([windowNs, jain]) => ({ windowNs: Number(windowNs), jain }));
}

/** The figure that comes of a made-up run for each of its jobs. */
export function evaluated(figure: Figure, made: (key: string) => SimulationRun, profile: Profile): FigureOutcome {
  const seeds = new Map(figure.jobs(profile).map((job) => [job.key, job.seeds]));
  const of = (key: string): readonly SimulationRun[] => {
    const found = seeds.get(key);
    if (found === undefined) throw new Error(`${figure.name} has no job ${key}`);
    return found.map(() => made(key));
  };
  return figure.evaluate({ of }, profile);
}

/** The row whose quantity is these words, or else has them. */
export function rowOf({ rows }: FigureOutcome, words: string): FigureRow {
  const exact = rows.filter(({ quantity }) => quantity === words);
  const found = exact.length > 0 ? exact : rows.filter(({ quantity }) => quantity.includes(words));
  if (found.length !== 1) throw new Error(`${found.length} rows have '${words}': ${rows.map((row) => row.quantity)}`);
  return found[0];
}
