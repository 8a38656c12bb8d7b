// Tested by test/apps/sim/sweep.test.ts
import { createHash } from 'node:crypto';
import { usageFailure } from '../../base/failure.js';
import { commandLine } from '../../report/output/command-line.js';
import { MAX_SEED } from '../../scenario/kinds.js';
import type { ScenarioText } from '../../scenario/scenario-text.js';
import type { Scenario } from '../../sim/scenario.js';

/** One run of a sweep. */
export interface PlannedRun {
  /** What was swept, by path; the same paths in every run. */
  readonly values: Readonly<Record<string, string>>;
  readonly scenario: Scenario;
  /** Names the run: of everything that decides its result. */
  readonly hash: string;
  /** The command that plays it alone. */
  readonly command: string;
}

export interface SweepPlan {
  /** The scenario's own name. */
  readonly name: string;
  /** Of the scenario without what is swept: two sweeps of one base may share a directory. */
  readonly baseHash: string;
  readonly paths: readonly string[];
  readonly runs: readonly PlannedRun[];
}

export interface SweepChanges {
  readonly sets: readonly string[];
  /** `algorithm=naive,steady`. */
  readonly sweeps: readonly string[];
  /** How many seeds from the first one on; one by default. */
  readonly seeds?: number | undefined;
  readonly seed?: number | undefined;
}

/** What is swept and with which values, as somebody wrote them. */
interface Axis {
  readonly path: string;
  readonly values: readonly string[];
}

/** Runs of one sweep (ours): the files of a directory that can still be listed. */
const MAX_RUNS = 100_000;

/**
 * Every run of a sweep: the values of the first `--sweep` change slowest, seeds fastest. All scenarios are read before the first one is played. Throws a usage
 * Failure for a sweep or scenario that cannot be.
 */
export async function planSweep(file: ScenarioText, changes: SweepChanges): Promise<SweepPlan> {
  const { sets, seeds = 1 } = changes;
  const axes = changes.sweeps.map(parseAxis);
  const paths = axes.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw usageFailure(`--sweep gives '${twice}' more than once; once is allowed`);
  const count = axes.reduce((product, { values }) => product * values.length, seeds);
  if (count > MAX_RUNS) throw usageFailure(`the sweep has ${count} runs; allowed: at most ${MAX_RUNS}`);
  const ownSeed = changes.seed === undefined ? {} : { seed: changes.seed };
  const base = await file.scenario({ sets, ...ownSeed });
  const runs: PlannedRun[] = [];
  for (const values of combinations(axes)) {
    const swept = [...sets, ...Object.entries(values).map(([path, value]) => `${path}=${value}`)];
    const first = await file.scenario({ sets: swept, ...ownSeed });
    for (let at = 0; at < seeds; at++) runs.push(plannedRun(file, { values, swept, first, at }));
  }
  return { name: base.name, baseHash: hashOf({ ...base, seed: 0 }), paths, runs };
}

interface RunParts {
  readonly values: Readonly<Record<string, string>>;
  readonly swept: readonly string[];
  readonly first: Scenario;
  readonly at: number;
}

function plannedRun(file: ScenarioText, { values, swept, first, at }: RunParts): PlannedRun {
  const seed = first.seed + at;
  if (seed > MAX_SEED) throw usageFailure(`seed ${seed} is too large; allowed: at most ${MAX_SEED}`);
  const scenario = { ...first, seed };
  return { values, scenario, hash: hashOf(scenario), command: commandLine(file.path, { sets: swept, seed }) };
}

function* combinations(axes: readonly Axis[]): Iterable<Readonly<Record<string, string>>> {
  if (axes.length === 0) return yield {};
  const [{ path, values }, ...others] = axes;
  for (const value of values) {
    for (const rest of combinations(others)) yield { [path]: value, ...rest };
  }
}

const ALLOWED = 'PATH=VALUE,VALUE... with different values, as topology.pairs=2,4,8';

function parseAxis(text: string): Axis {
  const at = text.indexOf('=');
  const values = splitValues(text.slice(at + 1));
  const isFit = at > 0 && values.every((value) => value !== '') && new Set(values).size === values.length;
  if (!isFit) throw usageFailure(`--sweep '${text}' is not allowed; allowed: ${ALLOWED}`);
  return { path: text.slice(0, at), values };
}

/** At commas, but not inside brackets: `jainWindows=[1ms,10ms],[2ms]` has two values. */
function splitValues(text: string): string[] {
  const values: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if ('[{'.includes(text[at])) depth++;
    else if (']}'.includes(text[at])) depth--;
    else if (text[at] === ',' && depth === 0) {
      values.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...values, text.slice(start).trim()];
}

/** Of everything that a scenario says, in whatever order of its keys. 64 bits are enough for a hundred thousand names. */
function hashOf(scenario: Scenario): string {
  return createHash('sha256').update(canonical(scenario)).digest('hex').slice(0, 16);
}

/** JSON with sorted keys; Infinity, which JSON does not have, is a word. */
function canonical(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
