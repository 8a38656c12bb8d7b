/**
 * Numbers by which an algorithm can be set, as data: to list them, to set them by name and to refuse what they cannot be.
 * Tested by test/core/credit/parameters.test.ts.
 */

export interface Parameter {
  /** As the papers write it, in snake case: `w_max`. */
  readonly name: string;
  readonly default: number;
  /** Smallest and largest value allowed, both included. */
  readonly min: number;
  readonly max: number;
  /** What one is: `1` for a plain number, `share of max rate`, `credits`. */
  readonly unit: string;
  readonly meaning: string;
  /** Who says so: a paper's section, or our own measurement. */
  readonly source: string;
}

/** Values of all declared parameters, by name. */
export type ParameterValues = Readonly<Record<string, number>>;

/**
 * An algorithm that does not exist, or a parameter or link that it cannot take: the caller's mistake. The message names the field, the value
 * and what is allowed. The core hands it on as its own error with the same `code`.
 */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly code = 'config';
  /** What was wrong: `algorithm`, or the name of a parameter or of a field of the link. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * The defaults of `parameters` with the values that were given in their place; throws `ParameterError` on a name or value that is not allowed. `owner` says
 * in its sentence whose they are: `credit algorithm steady`.
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
    if (parameter === undefined) throw new ParameterError(name, unknownName(owner, parameters, name));
    resolved[name] = checkValue(parameter, value);
  }
  return resolved;
}

/** Throws `ParameterError` unless `value`, the `field` of `what`, is finite and above 0. */
export function checkPositive(value: number, field: string, what: string): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new ParameterError(field, `${field} of ${what} is ${value}: allowed is a finite number above 0`);
}

function unknownName(owner: string, parameters: readonly Parameter[], name: string): string {
  const names = parameters.map((declared) => declared.name).join(', ');
  const allowed = names === '' ? 'it has none' : `allowed are ${names}`;
  return `${owner} has no parameter '${name}': ${allowed}`;
}

function checkValue({ name, min, max, unit }: Parameter, value: number): number {
  if (value >= min && value <= max) return value;
  throw new ParameterError(name, `parameter ${name} is ${value}: allowed is ${min} to ${max} (${unit})`);
}
