import { ConfigError, showValue } from './config-error.js';
import { type CheckedKind, constant, type NumberKind, type ValueKind } from './value-kind.js';

/**
 * One setting of a host, link, endpoint or algorithm. Command line, options of programs, files, their JSON Schema, checks and docs/SETTINGS.md follow
 * from it.
 */
export interface Setting<T = unknown> {
  /** As files and programs write it: `dataQueue`; the command line has `--data-queue`. Parameters of algorithms as in their papers: `w_max`. */
  readonly name: string;
  /** How it is written, its range and its unit. */
  readonly kind: ValueKind<T>;
  /** What holds without it; absent where the meaning says it. */
  readonly default?: T;
  /** One line without a full stop, for help and reference. */
  readonly meaning: string;
  /** Who says so: a section of the protocol or a paper, or our own measurement. */
  readonly source: string;
}

/** A number by which an algorithm can be set. */
export interface Parameter extends Setting<number> {
  readonly kind: NumberKind;
  readonly default: number;
}

/** A parameter with its default, lowest and highest value. */
export function parameter(
  name: string,
  [value, lowest, highest]: readonly [number, number, number],
  unit: string,
  words: { readonly meaning: string; readonly source: string },
): Parameter {
  return { name, kind: constant(lowest, highest, unit), default: value, ...words };
}

/** A setting by the field of the code that it sets, whose values are checked where code gives them. */
export interface FieldSetting<T = unknown> extends Setting<T> {
  readonly kind: CheckedKind<T>;
  readonly default: T;
  /** Its name in code, where the unit stands last: `dataQueueBytes`. */
  readonly field: string;
}

/** Settings of an object of code by its fields; the compiler asks for one of each. */
export type SettingTable<C> = { readonly [K in keyof C]-?: FieldSetting<C[K]> };

type Row<T> = Pick<FieldSetting<T>, 'name' | 'kind' | 'meaning' | 'source'>;

/** One row of a table. */
export function row<T>(name: string, kind: CheckedKind<T>, meaning: string, source: string): Row<T> {
  return { name, kind, meaning, source };
}

/** The table of the settings in `rows`, with the defaults of an object that has their fields. */
export function settingTable<C extends object>(
  defaults: C,
  rows: { readonly [K in keyof C]-?: Row<C[K]> },
): SettingTable<C> {
  const entries = Object.entries<Row<unknown>>(rows).map(([field, each]) => {
    return [field, { ...each, field, default: defaults[field as keyof C] }];
  });
  return Object.fromEntries(entries) as SettingTable<C>;
}

/** All entries of a table, in its order. */
export function settingsOf(table: object): readonly FieldSetting[] {
  return Object.values(table);
}

/** Throws a ConfigError unless `value` is of the kind; `what` names it in the sentence. */
export function checkValue<T>(kind: CheckedKind<T>, value: unknown, what: string, path?: ConfigError['path']): T {
  if (kind.accepts(value)) return value;
  throw new ConfigError(`${what} is ${showValue(value)}; allowed: ${kind.values}`, path);
}

/** The fields of a table that are given in `values`, each checked; `owner` says in the sentence whose they are. */
export function checkFields<C>(table: SettingTable<C>, values: object, owner?: string): Partial<C> {
  const given = settingsOf(table).filter(({ field }) => (values as Record<string, unknown>)[field] !== undefined);
  const checked = given.map(({ field, name, kind }) => {
    const what = owner === undefined ? field : `${field} of ${owner}`;
    return [field, checkValue(kind, (values as Record<string, unknown>)[field], what, [name])];
  });
  return Object.fromEntries(checked) as Partial<C>;
}

/** Values of all declared parameters, by name. */
export type ParameterValues = Readonly<Record<string, number>>;

/**
 * The defaults of `parameters`, replaced by the values `given`. Throws a ConfigError on a name or value that is not allowed; `owner` names whose they are:
 * `credit algorithm steady`.
 */
export function resolveParameters(
  owner: string,
  parameters: readonly Parameter[],
  given: ParameterValues,
): ParameterValues {
  const resolved: Record<string, number> = {};
  for (const parameter of parameters) resolved[parameter.name] = parameter.default;
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameters.find((declared) => declared.name === name);
    if (parameter === undefined) throw new ConfigError(unknownName(owner, parameters, name), [name]);
    resolved[name] = checkValue(parameter.kind, value, `parameter ${name}`, [name]);
  }
  return resolved;
}

function unknownName(owner: string, parameters: readonly Parameter[], name: string): string {
  const names = parameters.map((declared) => declared.name).join(', ');
  return `${owner} has no parameter '${name}'; allowed: ${names === '' ? 'none' : names}`;
}

/** Throws a ConfigError unless `value`, the `field` of `what`, is finite and above 0. */
export function checkPositive(value: number, field: string, what: string): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new ConfigError(`${field} of ${what} is ${value}; allowed: a finite number above 0`, [field]);
}
