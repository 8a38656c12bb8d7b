import type { CreditAlgorithmDefinition, CreditLink, CreditParameter, CreditParameters } from './algorithm.js';
import { CreditConfigError } from './errors.js';

/** The defaults of an algorithm with the values that were given in their place; throws `CreditConfigError` on a name or value that it does not take. */
export function resolveParameters(definition: CreditAlgorithmDefinition, given: CreditParameters): CreditParameters {
  const resolved: Record<string, number> = {};
  for (const parameter of definition.parameters) resolved[parameter.name] = parameter.default;
  for (const [name, value] of Object.entries(given)) {
    resolved[name] = checkValue(findParameter(definition, name), value);
  }
  return resolved;
}

/** Throws `CreditConfigError` unless an algorithm can work on the link. */
export function checkLink(link: CreditLink): void {
  checkPositive('maxRateBps', link.maxRateBps);
  checkPositive('bytesPerCredit', link.bytesPerCredit);
}

function findParameter(definition: CreditAlgorithmDefinition, name: string): CreditParameter {
  const parameter = definition.parameters.find((declared) => declared.name === name);
  if (parameter !== undefined) return parameter;
  const names = definition.parameters.map((declared) => declared.name).join(', ');
  const allowed = names === '' ? 'it has none' : `allowed are ${names}`;
  throw new CreditConfigError(name, `credit algorithm ${definition.name} has no parameter '${name}': ${allowed}`);
}

function checkValue({ name, min, max, unit }: CreditParameter, value: number): number {
  if (value >= min && value <= max) return value;
  throw new CreditConfigError(name, `parameter ${name} is ${value}: allowed is ${min} to ${max} (${unit})`);
}

function checkPositive(field: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new CreditConfigError(field, `${field} of a credited link is ${value}: allowed is a finite number above 0`);
}
