import { ConfigError } from '../../base/config-error.js';
import type { Setting } from '../../base/setting.js';
import type { ValueKind } from '../../base/value-kind.js';
import { longName } from '../../base/value-kind.js';

/** The texts that somebody gave for one option, none when it was left out, and what to call it: `--link-rate`, `link-rate (lab.yaml, line 3)`. */
export interface Given {
  readonly texts: readonly string[];
  readonly label: string;
}

/** What a configuration file says, by long option name. */
export type ConfigEntries = ReadonlyMap<string, Given>;

/** One option of a command, on the command line and as a key of the configuration file alike. */
export interface OptionSpec<T> {
  /** One line of help, without what `defaultText` and `allowed` say. */
  readonly describe: string;
  /** The one-letter name. */
  readonly alias?: string;
  /** Help leaves it out: it is there for who knows it from another program. */
  readonly isHidden?: boolean;
  /** Written without a value: true when it is there, false as `--no-name`. */
  readonly isFlag: boolean;
  readonly isRequired: boolean;
  /** What may be written, for help. */
  readonly allowed: string;
  /** All that may be written, where that is a list of words. */
  readonly words?: readonly string[];
  /** What holds when nothing is given, as it would be written. */
  readonly defaultText?: string;
  /** Reads what was given; throws a ConfigError that names the option, the value and what is allowed. */
  resolve(given: Given): T;
}

/** Options by their names in camelCase: `linkRate` is `--link-rate`. */
export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;

/** What a command gets. */
export type OptionValues<S extends OptionSpecs> = {
  readonly [K in keyof S]: S[K] extends OptionSpec<infer T> ? T : never;
};

interface About {
  readonly describe: string;
  readonly alias?: string;
}

/** `--json`, `--no-json`; `usual` when not given. */
export function flag(about: About, usual = false): OptionSpec<boolean> {
  return {
    ...about,
    ...(usual && { defaultText: 'true' }),
    isFlag: true,
    isRequired: false,
    allowed: 'true, false',
    resolve: (given) => {
      if (given.texts.length === 0) return usual;
      const text = only(given);
      if (text === 'true' || text === 'false') return text === 'true';
      throw refusal(given.label, text, 'true, false');
    },
  };
}

/** An option with a value that holds when none is given; `defaultText` is written as a person would. */
export function option<T>(kind: ValueKind<T>, about: About & { defaultText: string }): OptionSpec<T> {
  const texts = [about.defaultText];
  return {
    ...valued(kind, about),
    resolve: (given) => parseText(kind, given.texts.length === 0 ? { texts, label: given.label } : given),
  };
}

/** An option that may be left out. */
export function optionalOption<T>(kind: ValueKind<T>, about: About): OptionSpec<T | undefined> {
  return {
    ...valued(kind, about),
    resolve: (given) => (given.texts.length === 0 ? undefined : parseText(kind, given)),
  };
}

/** The option of a setting: with its default, or one that may be left out. */
export function settingOption<T>(
  { kind, meaning, default: usual }: Setting<T>,
  alias?: string,
): OptionSpec<T | undefined> {
  const about = { describe: meaning, ...(alias !== undefined && { alias }) };
  return usual === undefined
    ? optionalOption(kind, about)
    : option(kind, { ...about, defaultText: kind.format(usual) });
}

/** An option that has to be given, on the command line or in the configuration file. */
export function requiredOption<T>(kind: ValueKind<T>, about: About): OptionSpec<T> {
  return {
    ...valued(kind, about),
    isRequired: true,
    resolve: (given) => {
      if (given.texts.length === 0) throw new ConfigError(`${given.label} is missing; allowed: ${kind.allowed}`);
      return parseText(kind, given);
    },
  };
}

/** An option that may be repeated; a list in the configuration file. Empty when not given. */
export function listOption<T>(kind: ValueKind<T>, about: About): OptionSpec<readonly T[]> {
  return {
    ...valued(kind, about),
    resolve: ({ texts, label }) => texts.map((text) => parseText(kind, { texts: [text], label })),
  };
}

/** NAME=VALUE that may be repeated; a mapping in the configuration file. A name that comes twice is an error. */
export function mapOption<T>(kind: ValueKind<T>, about: About): OptionSpec<Readonly<Record<string, T>>> {
  return {
    ...valued(kind, about),
    allowed: `NAME=VALUE with ${kind.allowed}`,
    resolve: ({ texts, label }) => {
      const values = new Map<string, T>();
      for (const text of texts) addPair(values, text, { kind, label });
      return Object.fromEntries(values);
    },
  };
}

function addPair<T>(
  values: Map<string, T>,
  text: string,
  { kind, label }: { kind: ValueKind<T>; label: string },
): void {
  const at = text.indexOf('=');
  if (at < 1) throw refusal(label, text, `NAME=VALUE with ${kind.allowed}`);
  const name = text.slice(0, at);
  if (values.has(name)) throw new ConfigError(`${label} gives '${name}' more than once; once is allowed`);
  values.set(name, parseText(kind, { texts: [text.slice(at + 1)], label: `${label} ${name}` }));
}

function valued<T>(kind: ValueKind<T>, about: About & { defaultText?: string }) {
  const { allowed, words } = kind;
  return { ...about, isFlag: false, isRequired: false, allowed, ...(words !== undefined && { words }) };
}

/** The one value that was given; throws a ConfigError. */
function parseText<T>(kind: ValueKind<T>, given: Given): T {
  const text = only(given);
  const value = kind.parse(text);
  if (value === undefined) throw refusal(given.label, text, kind.allowed);
  return value;
}

function only({ texts, label }: Given): string {
  if (texts.length !== 1) throw new ConfigError(`${label} is given ${texts.length} times; once is allowed`);
  return texts[0];
}

function refusal(label: string, text: string, allowed: string): Error {
  return new ConfigError(
    text === ''
      ? `${label} has no value; allowed: ${allowed}`
      : `${label} '${text}' is not allowed; allowed: ${allowed}`,
  );
}

/** The values of all options. What the command line says wins over the file, the file over the defaults. */
export function resolveOptions<S extends OptionSpecs>(
  specs: S,
  commandLine: ReadonlyMap<string, readonly string[]>,
  file: ConfigEntries = new Map(),
): OptionValues<S> {
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(specs)) {
    const name = longName(key);
    const texts = commandLine.get(name);
    const label = `--${name}`;
    values[key] = spec.resolve(texts === undefined ? (file.get(name) ?? { texts: [], label }) : { texts, label });
  }
  return values as OptionValues<S>;
}
