import type { Scenario } from '../../sim/scenario.js';
import { usageFailure } from '../shared/failure.js';

/** JSON has no word for it. */
const INFINITE = 'Infinity';
const FORMAT = 'xpass-fuzz-1';

/** A scenario to the last bit, as text that people can read and change. */
export function scenarioToJson(scenario: Scenario): string {
  const spell = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? INFINITE : value);
  return `${JSON.stringify({ format: FORMAT, scenario }, spell, 2)}\n`;
}

/** What `scenarioToJson` wrote. Throws a usage Failure for anything else. */
export function scenarioFromJson(text: string, name: string): Scenario {
  const read = (_: string, value: unknown) => (value === INFINITE ? Number.POSITIVE_INFINITY : value);
  let document: { format?: unknown; scenario?: Scenario };
  try {
    document = JSON.parse(text, read) as typeof document;
  } catch (error) {
    throw usageFailure(`'${name}' is not JSON: ${(error as Error).message}`);
  }
  if (document?.format === FORMAT && document.scenario !== undefined) return document.scenario;
  throw usageFailure(`'${name}' is not a world of this command; allowed: a file with the format ${FORMAT}`);
}
