/** The language of the catalogue: a figure is a table of cases (scenarios), quantities that are read from their runs, charts, and rows that claim something. */

import { assert } from '../../base/assert.js';
import type { FigureRow } from '../../report/figures-page.js';
import type { Chart, LineSeries } from '../../report/plot/chart.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Cell, Figure, FigureDocument, FigureOutcome, FigureTable, Profile, Runs } from './figure.js';
import { mean } from './statistics.js';
import { BAND, type Beside, type Bound, bandText, type Limits, type Values, verdictOf } from './verdict.js';

/** A number that is read from each run of a case, and how seeds are taken together: their mean by default. */
export interface Quantity<P = unknown> {
  /** In the head of a table: `goodput_mean_gbps`. */
  readonly title: string;
  /** After the point, in tables. */
  readonly digits: number;
  of(run: SimulationRun, setting: P): number | null;
  readonly over?: (bySeed: readonly number[]) => number;
}

/** A quantity in one line. */
export function quantity<P = unknown>(title: string, digits: number, of: Quantity<P>['of'], over?: Quantity['over']): Quantity<P> {
  return { title, digits, of, ...(over && { over }) };
}

/** Columns of a table: settings and quantities under their own titles; under another one either of them, or any value of a case. */
export type Columns<P extends object> = readonly ((keyof P & string) | Quantity<P> | Readonly<Record<string, Column<P>>>)[];
type Column<P extends object> = (keyof P & string) | Quantity<P> | ((setting: P, results: Results<P>) => Cell);

/**
 * One quantity of the page. With `note` nothing is claimed, which no row with a paper's value may say. Else every value of `ours` has to be within `least`
 * and `most`, `met` has to hold, and the paper's value says the rest (verdict.ts).
 */
export interface Row {
  readonly quantity: string;
  /** The paper's value and that of the authors' code; lists are written with `digits`. A number, or one for each of ours, is what the band is around. */
  readonly paper?: Value | undefined;
  readonly code?: Value | undefined;
  readonly ours: Value;
  readonly digits?: number;
  readonly least?: Bound;
  readonly most?: Bound;
  readonly met?: boolean;
  /** Numbers for the band where `paper` or `ours` is a text: ours, then the paper's, value by value. A bound or a word of the paper has no band. */
  readonly beside?: readonly [Values, Values];
  /** Which side of the paper's value is the good one. */
  readonly better?: 'less' | 'more';
  /** What it is held to, without a full stop; `Held to <bound>` by default. */
  readonly held?: string;
  /** Why it misses, or lies outside the band, where it does: found by experiment. */
  readonly why?: string;
  readonly note?: string;
}

/** A row: its quantity, our value, the digits shown, and the paper's value with its limits. */
export function row(what: string, ours: Value, digits: number, rest: Omit<Row, 'quantity' | 'ours' | 'digits'> = {}): Row {
  return { quantity: what, ours, digits, ...rest };
}

export type Value = string | number | Values;
export type { Values };

export type Heading = Pick<Figure, 'name' | 'title' | 'source' | 'about'>;

/** A figure, or a part of one, with cases of the settings `P`. */
export interface Part<P extends object> {
  cases(profile: Profile): readonly P[];
  /** Of a case within its figure; its values with dashes between them by default. */
  key?(setting: P): string;
  document(setting: P, profile: Profile): FigureDocument;
  /** Seeds 1 to this number; one by default. */
  seeds?: Readonly<Record<Profile, number>> | ((setting: P, profile: Profile) => number | readonly number[]);
  /** By key; '' for the only one. */
  charts?(results: Results<P>): Readonly<Record<string, Chart>>;
  rows(results: Results<P>): readonly Row[];
  /** One table with a row for each case. */
  readonly table?: Columns<P>;
  tables?(results: Results<P>): readonly FigureTable[];
}

/** What the runs of a figure gave. */
export class Results<P extends object> {
  readonly profile: Profile;
  readonly cases: readonly P[];
  private readonly key: (setting: P) => string;
  private readonly runs: Runs;
  private readonly all: ReadonlySet<Partial<P>>;
  private readonly known = new Map<Quantity<P>, Map<P, number | null>>();

  constructor(plan: Part<P>, runs: Runs, profile: Profile) {
    this.profile = profile;
    this.cases = plan.cases(profile);
    this.all = new Set(this.cases);
    this.key = keyOf(plan);
    this.runs = runs;
  }

  /** The cases with these settings, in order. */
  where(some: Partial<P>): readonly P[] {
    const wanted = Object.entries(some) as [keyof P, unknown][];
    return this.cases.filter((setting) => wanted.every(([name, value]) => setting[name] === value));
  }

  /** The only case with these settings. */
  one(some: Partial<P>): P {
    if (this.all.has(some)) return some as P;
    const found = this.where(some);
    assert(found.length === 1, `${found.length} cases have ${JSON.stringify(some)}`);
    return found[0];
  }

  /** One run for each seed. */
  runsOf(some: Partial<P>): readonly SimulationRun[] {
    return this.runs.of(this.key(this.one(some)));
  }

  /** NaN where a run has no such value. */
  of(quantity: Quantity<P>, some: Partial<P>): number {
    return this.read(quantity, this.one(some)) ?? Number.NaN;
  }

  /** Of all cases with these settings. */
  list(quantity: Quantity<P>, some: Partial<P>): number[] {
    return this.where(some).map((setting) => this.read(quantity, setting) ?? Number.NaN);
  }

  /** Of each seed. */
  bySeed(quantity: Quantity<P>, some: Partial<P>): number[] {
    const setting = this.one(some);
    return this.runs.of(this.key(setting)).map((run) => quantity.of(run, setting) ?? Number.NaN);
  }

  /** One case's value over another's. */
  ratio(quantity: Quantity<P>, some: Partial<P>, over: Partial<P>): number {
    return this.of(quantity, some) / this.of(quantity, over);
  }

  /** A quantity over a setting, as a line of a chart. */
  line(name: string, x: keyof P, quantity: Quantity<P>, some: Partial<P>): LineSeries {
    return { name, x: this.where(some).map((setting) => Number(setting[x])), y: this.list(quantity, some) };
  }

  /** Bars of a quantity, one for each case. */
  bars(quantity: Quantity<P>, axis: string): Chart {
    return {
      kind: 'bars',
      x: { name: '' },
      y: { name: axis },
      groups: this.cases.map(this.key),
      series: [{ name: axis, values: this.cases.map((setting) => this.read(quantity, setting)) }],
    };
  }

  /** A table with a row for each case. */
  table(key: string, columns: Columns<P>): FigureTable {
    return tableOf(key, this.cases, caseColumns(columns, this));
  }

  /** null where a run has no such value. */
  read(quantity: Quantity<P>, setting: P): number | null {
    const known = this.known.get(quantity) ?? new Map<P, number | null>();
    this.known.set(quantity, known);
    if (!known.has(setting)) known.set(setting, this.reduce(quantity, setting));
    return known.get(setting) as number | null;
  }

  private reduce(quantity: Quantity<P>, setting: P): number | null {
    const found = this.runs.of(this.key(setting)).map((run) => quantity.of(run, setting));
    const values = found.filter((value) => value !== null);
    return values.length < found.length ? null : (quantity.over ?? mean)(values);
  }
}

export function figure<P extends object>(name: string, title: string, plan: Pick<Figure, 'source' | 'about'> & Part<P>): Figure {
  return figureOfParts({ ...plan, name, title }, [part(plan)]);
}

/** A figure whose parts have cases of different kinds. */
export function figureOfParts(heading: Heading, parts: readonly Pick<Figure, 'jobs' | 'evaluate'>[]): Figure {
  const { name, title, source } = heading;
  return {
    name,
    title,
    source,
    about: (profile) => heading.about(profile),
    jobs: (profile) => parts.flatMap((each) => each.jobs(profile)),
    evaluate: (runs, profile) => {
      const outcomes = parts.map((each) => each.evaluate(runs, profile));
      return { charts: outcomes.flatMap(({ charts }) => charts), rows: outcomes.flatMap(({ rows }) => rows), tables: outcomes.flatMap(({ tables }) => tables) };
    },
  };
}

export function part<P extends object>(plan: Part<P>): Pick<Figure, 'jobs' | 'evaluate'> {
  const key = keyOf(plan);
  return {
    jobs: (profile) =>
      plan.cases(profile).map((setting) => ({ key: key(setting), document: plan.document(setting, profile), seeds: seedsOf(plan, setting, profile) })),
    evaluate: (runs, profile) => evaluate(plan, new Results(plan, runs, profile)),
  };
}

function keyOf<P extends object>({ key }: Part<P>): (setting: P) => string {
  return key ?? dashed;
}

function seedsOf<P extends object>({ seeds }: Part<P>, setting: P, profile: Profile): readonly number[] {
  const wanted = typeof seeds === 'function' ? seeds(setting, profile) : (seeds?.[profile] ?? 1);
  return typeof wanted === 'number' ? Array.from({ length: wanted }, (_, at) => at + 1) : wanted;
}

function evaluate<P extends object>(plan: Part<P>, results: Results<P>): FigureOutcome {
  const { table } = plan;
  return {
    charts: Object.entries(plan.charts?.(results) ?? {}).map(([key, chart]) => ({ key, chart })),
    rows: plan.rows(results).map(figureRow),
    tables: [...(table === undefined ? [] : [results.table('', table)]), ...(plan.tables?.(results) ?? [])],
  };
}

function caseColumns<P extends object>(columns: Columns<P>, results: Results<P>) {
  const read = (column: Column<P>, setting: P): Cell => {
    if (typeof column === 'function') return column(setting, results);
    if (typeof column === 'string') return setting[column] as Cell;
    return rounded(results.read(column, setting), column.digits);
  };
  return Object.fromEntries(columns.flatMap(titled).map(([title, column]) => [title, (setting: P) => read(column, setting)]));
}

function titled<P extends object>(column: Columns<P>[number]): [string, Column<P>][] {
  if (typeof column === 'string') return [[column, column]];
  return 'of' in column ? [[(column as Quantity<P>).title, column as Quantity<P>]] : Object.entries(column);
}

/** A row for each item, with a cell for each column. */
export function tableOf<T>(key: string, items: readonly T[], columns: Readonly<Record<string, (item: T) => Cell>>): FigureTable {
  const cells = Object.values(columns);
  return { key, titles: Object.keys(columns), rows: items.map((item) => cells.map((cell) => cell(item))) };
}

/** Every combination of settings; the first changes slowest. */
export function cross<A extends Readonly<Record<string, readonly unknown[]>>>(axes: A): { readonly [K in keyof A]: A[K][number] }[] {
  const all = Object.entries(axes).reduce<Record<string, unknown>[]>(
    (found, [name, values]) => found.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
  return all as { readonly [K in keyof A]: A[K][number] }[];
}

/** A count that is held to none. */
export function noneOf(quantity: string, ours: number, references: Pick<Row, 'paper' | 'code'> = {}): Row {
  return { quantity, ...references, ours, most: 0, held: 'Held to none' };
}

export function figureRow(row: Row): FigureRow {
  const { quantity, digits = 0, ours, note, why = '' } = row;
  const written = {
    quantity,
    paper: reference(row.paper, digits),
    authorsCode: reference(row.code, digits),
    ours: typeof ours === 'number' ? fixed(ours, digits) : valueText(ours, digits),
  };
  if (note !== undefined) return { ...written, verdict: 'no claim', reason: note };
  const [limits, beside] = [limitsOf(row), besideOf(row)];
  assert(beside.paper.length > 0 || hasLimits(row), `${quantity} is held to something, or has a note`);
  const verdict = verdictOf(limits, beside);
  const strays = bandText(beside);
  const reasons = [heldText(row), ...(verdict === 'met' ? [] : [strays === '' ? '' : `Ours is ${strays}.`, why])];
  return { ...written, verdict, reason: reasons.filter((text) => text !== '').join(' ') };
}

function hasLimits({ least, most, met }: Row): boolean {
  return least !== undefined || most !== undefined || met !== undefined;
}

function limitsOf({ quantity, ours, least, most, met }: Row): Limits {
  const isBound = least !== undefined || most !== undefined;
  assert(!isBound || typeof ours !== 'string', `${quantity} has numbers to compare`);
  return { values: numbersOf(ours), least, most, met };
}

/** The paper's numbers beside ours: those of the row, or those that it gives for its texts. One number stands beside each of ours. */
function besideOf({ quantity, ours, paper, beside, better }: Row): Beside {
  const values = beside?.[0] ?? numbersOf(ours);
  const wanted = beside?.[1] ?? (typeof paper === 'number' ? values.map(() => paper) : numbersOf(paper));
  assert(wanted.length === 0 || wanted.length === values.length, `${quantity}: ${values.length} values stand beside ${wanted.length} of the paper`);
  return { ours: values, paper: wanted, better };
}

function numbersOf(value: Value | undefined): Values {
  if (value === undefined || typeof value === 'string') return [];
  return typeof value === 'number' ? [value] : value;
}

function heldText(row: Row): string {
  if (row.held !== undefined) return `${row.held}.`;
  return `Held to ${hasLimits(row) ? (row.least ?? row.most) : `within ${BAND * 100} % of the paper's value`}.`;
}

function reference(value: Value | undefined, digits: number): string | null {
  if (value === undefined) return null;
  return typeof value === 'number' ? String(value) : valueText(value, digits);
}

function valueText(value: string | Values, digits: number): string {
  return typeof value === 'string' ? value : valueList(value, digits);
}

/** `0.998, 0.911`: one value for each case. A dash where there is none. */
export function valueList(values: Values, digits: number): string {
  return values.map((value) => fixed(value, digits)).join(', ');
}

/** The value with `digits` decimals; a dash for a missing one. */
export function fixed(value: number | null, digits: number): string {
  return value === null || !Number.isFinite(value) ? '-' : value.toFixed(digits);
}

/** The number for a table; null where there is none. */
export function rounded(value: number | null, digits: number): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toFixed(digits));
}

/** `2,000`. */
export function counted(value: number): string {
  return value.toLocaleString('en-US');
}

/** Whether each value is within `tolerance` of the wanted one of its place; of all of them, or of the first `count`. */
export function isNear(values: readonly number[], wanted: readonly number[], tolerance: number, count = values.length) {
  return values.slice(0, count).every((value, at) => Math.abs(value - wanted[at]) <= tolerance);
}

/** One chart for each key, or for each case. */
export function chartsOf<K extends string | object>(keys: readonly K[], of: (key: K) => Chart) {
  return Object.fromEntries(keys.map((key) => [typeof key === 'string' ? key : dashed(key), of(key)]));
}

function dashed(setting: object): string {
  return Object.values(setting).join('-');
}
