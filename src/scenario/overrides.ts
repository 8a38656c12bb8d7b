// Tested by test/scenario/scenario-file.test.ts

import { ConfigError, type Path } from '../base/config-error.js';

/** One value in a document's place: `topology.pairs=64`. */
export interface Override {
  readonly path: Path;
  /** Plain data: a text, or lists and mappings of texts. */
  readonly value: unknown;
  /** What errors call it: `--set topology.pairs=64`. */
  readonly label: string;
}

const ALLOWED =
  'PATH=VALUE with keys and list indices from 0 between dots, such as hosts.0.parameters.initial_rate=0.3';

/**
 * Reads `topology.pairs=64`; the value is YAML, so `jainWindows=[1ms, 10ms]` sets a list. `option` is what it was given to, for errors. Throws a
 * ConfigError.
 */
export async function parseOverride(text: string, option: string): Promise<Override> {
  const at = text.indexOf('=');
  const steps = text.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || steps.some((step) => !/^[\w$-]+$/.test(step) || step === '__proto__')) {
    throw new ConfigError(`${option} '${text}' is not allowed; allowed: ${ALLOWED}`);
  }
  const path = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return { path, value: await parseValue(text.slice(at + 1), `${option} '${text}'`), label: `${option} ${text}` };
}

async function parseValue(text: string, what: string): Promise<unknown> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { schema: 'failsafe', prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw new ConfigError(`${what} has no YAML after the equals sign: ${error.message}`);
  return document.toJS();
}

/**
 * A copy of a document with values in their places; later ones win. Mappings and lists that are not there are made, so that a short file can be given
 * anything. Throws a ConfigError that names the override.
 */
export function override(document: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce((before, each) => placed(before, each, 0), document);
}

function placed(before: unknown, each: Override, depth: number): unknown {
  if (depth === each.path.length) return each.value;
  const step = each.path[depth];
  return typeof step === 'number' ? inList(before, each, depth) : inMapping(before, each, depth);
}

function inList(before: unknown, each: Override, depth: number): unknown {
  const index = each.path[depth] as number;
  const items = isAbsent(before) ? [] : before;
  if (!Array.isArray(items)) throw problem(each, depth, `is no list: ${index} cannot be set in it`);
  if (index > items.length) throw problem(each, depth, `has ${items.length} items; allowed: 0 to ${items.length}`);
  const copy = [...items];
  copy[index] = placed(items[index], each, depth + 1);
  return copy;
}

/** A name alone, as `topology: star`, is the mapping with that name. */
function inMapping(before: unknown, each: Override, depth: number): unknown {
  const key = each.path[depth] as string;
  const fields = isAbsent(before)
    ? {}
    : each.path[0] === 'topology' && typeof before === 'string'
      ? { name: before }
      : before;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw problem(each, depth, `is no mapping: ${key} cannot be set in it`);
  }
  const inner = Object.hasOwn(fields, key) ? (fields as Record<string, unknown>)[key] : undefined;
  return { ...fields, [key]: placed(inner, each, depth + 1) };
}

/** An empty value in a file is an empty text. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function problem({ label, path }: Override, depth: number, predicate: string): Error {
  const name = depth === 0 ? 'the scenario' : path.slice(0, depth).join('.');
  return new ConfigError(`${label}: ${name} ${predicate}`);
}

/** The override that a value comes from: the last one that set it, or something around it. */
export function overrideOf(path: Path, overrides: readonly Override[]): Override | undefined {
  return overrides.findLast((each) => each.path.every((step, at) => step === path[at]));
}
