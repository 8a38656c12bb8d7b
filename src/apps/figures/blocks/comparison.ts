// Tested by test/apps/figures/blocks/comparison.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import type { Figure, FigureDocument, FigureOutcome, Profile, Runs } from '../figure.js';
import { rounded } from './rows.js';

/** One run of a figure that sets systems side by side. */
export interface Case {
  /** Within the figure: `spraypass-0.6`. */
  readonly key: string;
  readonly document: FigureDocument;
}

/** A number that is read from each run. */
export interface Quantity {
  /** In the table's head: `goodput_mean_gbps`. */
  readonly title: string;
  readonly digits: number;
  of(run: SimulationRun): number | null;
}

/** The quantity `title` of the run `key`. */
export type Measured = (key: string, title: string) => number;

export interface Comparison {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly quantities: readonly Quantity[];
  /** The quantity that is drawn, and what its axis is called. */
  readonly drawn: { readonly title: string; readonly axis: string };
  about(profile: Profile): string;
  cases(profile: Profile): readonly Case[];
  rows(measured: Measured, profile: Profile): readonly FigureRow[];
}

/** A figure of runs side by side: bars of one quantity, a table of all, one seed. */
export function comparison(plan: Comparison): Figure {
  const { name, title, source, about } = plan;
  return {
    name,
    title,
    source,
    about,
    jobs: (profile) => plan.cases(profile).map(({ key, document }) => ({ key, document, seeds: [1] })),
    evaluate: (runs, profile) => evaluate(plan, runs, profile),
  };
}

function evaluate(plan: Comparison, runs: Runs, profile: Profile): FigureOutcome {
  const { quantities, drawn } = plan;
  const keys = plan.cases(profile).map(({ key }) => key);
  const read = new Map(keys.map((key) => [key, quantities.map(({ of }) => of(runs.one(key)))]));
  const numberOf = (key: string, wanted: string): number | null =>
    read.get(key)?.[quantities.findIndex((each) => each.title === wanted)] ?? null;
  const values = keys.map((key) => numberOf(key, drawn.title));
  const rows = keys.map((key) => [key, ...quantities.map((each) => rounded(numberOf(key, each.title), each.digits))]);
  return {
    charts: [
      {
        key: '',
        chart: {
          kind: 'bars',
          x: { name: '' },
          y: { name: drawn.axis },
          groups: keys,
          series: [{ name: drawn.axis, values }],
        },
      },
    ],
    rows: plan.rows((key, wanted) => numberOf(key, wanted) ?? Number.NaN, profile),
    tables: [{ key: '', titles: ['run', ...quantities.map((each) => each.title)], rows }],
  };
}
