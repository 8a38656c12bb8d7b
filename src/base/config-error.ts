// Tested by test/base/setting.test.ts, test/switch/topology.test.ts and test/switch/control.test.ts
import { XpassError } from './errors.js';

/** Names that an error lists before it says how many more there are (ours: a line or two of a terminal). */
const LISTED_NAMES = 12;

/** Keys and list indices from the top of a document, or of an object, down to a value. */
export type Path = readonly (string | number)[];

/** A setting, file or argument of the caller that is not allowed: an XpassError `config` whose message names the thing, its value and what is allowed. */
export class ConfigError extends XpassError {
  /** Where the value stands, for who knows its line; empty for the whole. */
  readonly path: Path;

  constructor(message: string, path: Path = []) {
    super('config', message);
    this.path = path;
  }
}

/** What is wrong at one place of a document. `predicate` follows the name of the path: `is 'h9'; allowed: h1, h2`. `place`: where to look, if elsewhere. */
export function misfit(path: Path, predicate: string, place: Path = path): ConfigError {
  return new ConfigError(`${pathText(path)} ${predicate}`, place);
}

/** What `make` gives. A ConfigError of it gets `path` before its own; with a `predicate`, as `cannot be taken`, its sentence begins with the whole path. */
export function within<T>(path: Path, make: () => T, predicate?: string): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const whole = [...path, ...error.path];
    throw predicate === undefined
      ? new ConfigError(error.message, whole)
      : misfit(whole, `${predicate}: ${error.message}`);
  }
}

/** A path as people write it, in `--set` and in errors: `hosts.0.parameters.initial_rate`. */
function pathText(path: Path): string {
  return path.join('.');
}

/** Names for the end of an error's sentence: "a, b, c", or the first dozen "and 20 more". */
export function listNames(names: readonly (string | number)[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, LISTED_NAMES).join(', ');
  return names.length > LISTED_NAMES ? `${shown} and ${names.length - LISTED_NAMES} more` : shown;
}

/** A value as an error shows it, short whatever it is. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}...` : value}'`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** What the caller gave as an object with named fields, of which no others than `allowed` may be there. */
export function checkObject(value: unknown, what: string, allowed: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${what} is ${showValue(value)}; it has to be an object with any of ${allowed.join(', ')}`);
  }
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown === undefined) return value as Record<string, unknown>;
  throw new ConfigError(`${what} has an unknown field '${unknown}'; allowed: ${allowed.join(', ')}`, [unknown]);
}
