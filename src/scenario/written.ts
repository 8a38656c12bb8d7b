// Tested by test/scenario/parse-scenario.test.ts
import { z } from 'zod';
import { ConfigError, misfit, type Path } from '../base/config-error.js';
import type { ValueKind } from '../base/value-kind.js';
import { suggestion } from './nearest.js';

/** What is said of a field, in the JSON Schema and in the documents. */
export interface About {
  /** Names what stands in several places, for the JSON Schema to have it once. */
  readonly id?: string;
  readonly describe: string;
  /** What holds when the field is left out, as it would be written. */
  readonly fallback?: string;
  /** Every text that may be written, where these are a few words: editors offer them. */
  readonly words?: readonly string[];
}

const SCALAR = [z.string(), z.number()] as const;
const SWITCHED = [z.string(), z.boolean()] as const;

/** One value of a kind, as text or as a number: `10gbit`, `5%`, `8`. */
export function written<T>(kind: ValueKind<T>, about: About): z.ZodType<T> {
  return parsed(z.union(SCALAR, { error: (issue) => refusal(issue.input, kind.allowed) }), kind, about);
}

/** The same for kinds with the words `true` and `false`. */
export function writtenFlag<T>(kind: ValueKind<T>, about: About): z.ZodType<T> {
  return parsed(z.union(SWITCHED, { error: (issue) => refusal(issue.input, kind.allowed) }), kind, about);
}

/** A word or number, or several of them: `all`, `3`, `[1, 5-9]`. Gives the texts, split at commas as well. */
export function writtenList(allowed: string, about: About): z.ZodType<string[]> {
  const words = z.union([...SCALAR, z.array(z.union(SCALAR)).min(1)], {
    error: (issue) => refusal(issue.input, allowed),
  });
  return words
    .transform((value, context) => {
      const texts = [value].flat().flatMap((each) => String(each).split(','));
      const trimmed = texts.map((text) => text.trim());
      if (!trimmed.includes('')) return trimmed;
      context.addIssue({ code: 'custom', message: refusal(value, allowed) });
      return z.NEVER;
    })
    .meta(metaOf(about, allowed));
}

/** A mapping with these keys and no others. */
export function mapping<S extends z.core.$ZodLooseShape>(shape: S, describe?: string): z.ZodObject<S, z.core.$strict> {
  const keys = Object.keys(shape);
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' && Array.isArray(issue.keys)
      ? unknownKey(String(issue.keys[0]), keys)
      : refusal(issue.input, `a mapping with any of ${keys.join(', ')}`);
  const object = z.strictObject(shape, { error });
  return describe === undefined ? object : object.meta({ description: describe });
}

function unknownKey(key: string, keys: readonly string[]): string {
  return `has the unknown key '${key}'${suggestion(key, keys)}; allowed: ${keys.join(', ')}`;
}

/** A list; `most` bounds it. */
export function list<T extends z.core.SomeType>(
  element: T,
  { describe, most }: { describe: string; most: number },
): z.ZodArray<T> {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'too_big'
      ? `has ${(issue.input as unknown[]).length} items; allowed: at most ${most}`
      : refusal(issue.input, 'a list, one item a line, each after a dash');
  return z.array(element, { error }).max(most, { error }).meta({ description: describe });
}

/** What a document means by a shape. Throws a ConfigError that names the place by its path; `whole` names the document itself. */
export function shaped<T>(shape: z.ZodType<T>, document: unknown, whole: string): T {
  const { data, error } = shape.safeParse(document);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const path = issue.path as Path;
  // A key that nobody knows has no path of its own, but a line.
  const place = issue.code === 'unrecognized_keys' ? [...path, issue.keys[0]] : path;
  throw path.length === 0 ? new ConfigError(`${whole} ${issue.message}`, place) : misfit(path, issue.message, place);
}

/** What stands after the name of a value that cannot be taken. */
export function refusal(value: unknown, allowed: string): string {
  if (value === undefined) return `is missing; allowed: ${allowed}`;
  if (value === null || value === '') return `is empty; allowed: ${allowed}`;
  if (Array.isArray(value)) return `is a list; allowed: ${allowed}`;
  if (typeof value === 'object') return `is a mapping; allowed: ${allowed}`;
  return `is '${shortened(String(value))}'; allowed: ${allowed}`;
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

function parsed<T>(scalar: z.ZodType<string | number | boolean>, kind: ValueKind<T>, about: About): z.ZodType<T> {
  return scalar
    .transform((value, context) => {
      const result = kind.parse(String(value));
      if (result !== undefined) return result;
      context.addIssue({ code: 'custom', message: refusal(value, kind.allowed) });
      return z.NEVER;
    })
    .meta(metaOf(about, kind.allowed));
}

function metaOf({ id, describe, fallback, words }: About, allowed: string): Record<string, unknown> {
  const otherwise = fallback === undefined ? '' : ` Default: ${fallback}.`;
  return {
    ...(id !== undefined && { id }),
    description: `${describe[0].toUpperCase()}${describe.slice(1)}. Allowed: ${allowed}.${otherwise}`,
    ...(words !== undefined && { enum: words }),
  };
}
