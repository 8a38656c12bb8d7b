// Tested by test/switch/topology.test.ts and test/switch/control.test.ts

/** How many names an error lists before it says how many more there are (ours: one line of a terminal or two). */
const LISTED_NAMES = 12;

/** What the caller asked for cannot be had. The message is one sentence that names the thing and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Stable, for programs: commands end with the status of wrong usage. */
  readonly code = 'config';
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
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) {
      throw new ConfigError(`${what} has an unknown field '${key}'; allowed: ${allowed.join(', ')}`);
    }
  }
  return value as Record<string, unknown>;
}
