import { assert } from '../../base/assert.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { parseScenario } from '../shared/scenario/parse-scenario.js';
import { expectedEvents } from './expected-events.js';
import type { Figure, FigureDocument, FigureJob, Profile, Runs } from './figure.js';

/** One scenario with its seed, for every figure that wants it. */
export interface DistinctRun {
  readonly scenario: Scenario;
  /** About how many events it takes. */
  readonly events: number;
  /** Figures that still need it. */
  readonly figures: Set<string>;
}

/** The runs of some figures, each different one once, the longest first so that no core waits for another at the end. */
export class JobList {
  readonly runs: readonly DistinctRun[];
  /** About how many events all runs take. */
  readonly events: number;
  private readonly byKey = new Map<string, DistinctRun>();
  /** By document: its scenario with a seed of its own, and about how many events that takes. */
  private readonly parsed = new Map<string, { scenario: Scenario; events: number }>();
  private readonly jobs: ReadonlyMap<string, readonly FigureJob[]>;
  /** By figure: its runs, and how many of them there is no result of yet. */
  private readonly needed = new Map<string, Set<DistinctRun>>();
  private readonly missing = new Map<string, number>();
  private readonly found = new Map<DistinctRun, SimulationRun>();

  constructor(figures: readonly Figure[], profile: Profile) {
    this.jobs = new Map(figures.map((figure) => [figure.name, figure.jobs(profile)]));
    for (const [name, jobs] of this.jobs) {
      checkKeys(name, jobs);
      const runs = jobs.flatMap(({ document, seeds }) => seeds.map((seed) => this.add(name, document, seed)));
      this.needed.set(name, new Set(runs));
      this.missing.set(name, new Set(runs).size);
    }
    this.runs = [...this.byKey.values()].sort((one, other) => other.events - one.events);
    this.events = this.runs.reduce((sum, { events }) => sum + events, 0);
  }

  jobsOf(figure: string): readonly FigureJob[] {
    return this.jobs.get(figure) ?? [];
  }

  /** Takes what a run gave; the names of the figures that have all of theirs now. */
  take(run: DistinctRun, result: SimulationRun): string[] {
    this.found.set(run, result);
    return [...run.figures].filter((name) => {
      const left = (this.missing.get(name) as number) - 1;
      this.missing.set(name, left);
      return left === 0;
    });
  }

  /** The runs of a figure that has all of them. */
  runsOf(figure: string): Runs {
    const of = (key: string): readonly SimulationRun[] => {
      const job = this.jobsOf(figure).find((each) => each.key === key);
      assert(job !== undefined, `figure ${figure} has a job ${key}`);
      return job.seeds.map((seed) => this.found.get(this.distinct(job.document, seed)) as SimulationRun);
    };
    return { of, one: (key) => only(of(key)) };
  }

  /** Forgets the runs that no other figure needs. */
  release(figure: string): void {
    for (const run of this.needed.get(figure) ?? []) {
      run.figures.delete(figure);
      if (run.figures.size === 0) this.found.delete(run);
    }
  }

  private add(figure: string, document: FigureDocument, seed: number): DistinctRun {
    const key = keyOf(document, seed);
    const known = this.byKey.get(key);
    if (known !== undefined) {
      known.figures.add(figure);
      return known;
    }
    const { scenario, events } = this.parse(figure, document);
    const run = { scenario: { ...scenario, seed }, events, figures: new Set([figure]) };
    this.byKey.set(key, run);
    return run;
  }

  private parse(figure: string, document: FigureDocument): { scenario: Scenario; events: number } {
    const key = JSON.stringify(document);
    const known = this.parsed.get(key);
    if (known !== undefined) return known;
    const scenario = parseScenario(document, { name: figure });
    const parsed = { scenario, events: expectedEvents(scenario) };
    this.parsed.set(key, parsed);
    return parsed;
  }

  private distinct(document: FigureDocument, seed: number): DistinctRun {
    return this.byKey.get(keyOf(document, seed)) as DistinctRun;
  }
}

function keyOf(document: FigureDocument, seed: number): string {
  return JSON.stringify([document, seed]);
}

function only(runs: readonly SimulationRun[]): SimulationRun {
  assert(runs.length === 1, 'a job with one seed has one run');
  return runs[0];
}

function checkKeys(figure: string, jobs: readonly FigureJob[]): void {
  const keys = new Set(jobs.map(({ key }) => key));
  assert(keys.size === jobs.length, `jobs of figure ${figure} have keys of their own`);
  assert(
    [...keys].every((key) => /^[a-z0-9.-]+$/.test(key)),
    'the key of a job is part of a file name',
  );
}
