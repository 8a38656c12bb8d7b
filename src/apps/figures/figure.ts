// Tested by test/apps/figures/catalogue.test.ts
/** What a figure of the papers is made of: runs of the simulator, and what is read from them. */

import type { FigureRow } from '../../report/figures-page.js';
import type { Chart } from '../../report/plot/chart.js';
import type { SimulationRun } from '../../sim/result.js';

/** `quick`: all figures in minutes, with fewer seeds, flows and times. `paper`: at the papers' own scale. */
export type Profile = 'quick' | 'paper';
export const PROFILES: readonly Profile[] = ['quick', 'paper'];

export interface Figure {
  /** On the command line, in file names and as an anchor: small letters, digits and dashes. */
  readonly name: string;
  readonly title: string;
  /** Paper and figure, or where else it comes from. */
  readonly source: string;
  /** What is shown and how it was measured; paragraphs of plain text with an empty line between two. */
  about(profile: Profile): string;
  jobs(profile: Profile): readonly FigureJob[];
  /** Reads the figure from its runs: nothing else, so that the same runs give the same bytes. */
  evaluate(runs: Runs, profile: Profile): FigureOutcome;
}

/** The figures of one system: one page. */
export interface FigureGroup {
  /** On the command line. */
  readonly name: string;
  /** Of the page. */
  readonly title: string;
  /** In the order of the page. Where there is more than one group, names of figures begin with their group's but for the first's. */
  readonly figures: readonly Figure[];
}

/** A scenario as a scenario file holds it: plain data, quantities as texts or numbers. It has neither name nor seed. */
export type FigureDocument = Readonly<Record<string, unknown>>;

/** One scenario, played once for each seed. */
export interface FigureJob {
  /** Within its figure, as in a file name: `steady-2`. */
  readonly key: string;
  readonly document: FigureDocument;
  readonly seeds: readonly number[];
}

/** What a figure's jobs gave. */
export interface Runs {
  /** One run for each seed, in the order of the seeds. */
  of(key: string): readonly SimulationRun[];
}

export interface FigureOutcome {
  readonly charts: readonly FigureChart[];
  readonly rows: readonly FigureRow[];
  readonly tables: readonly FigureTable[];
}

export interface FigureChart {
  /** Empty for the only one: `<figure>.svg`; else `<figure>-<key>.svg`. */
  readonly key: string;
  readonly chart: Chart;
}

/** The numbers behind a figure, as a CSV file; null: there is none. */
export interface FigureTable {
  /** Empty for the only one: `<figure>.csv`; else `<figure>-<key>.csv`. */
  readonly key: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export type Cell = string | number | null;
