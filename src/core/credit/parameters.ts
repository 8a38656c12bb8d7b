import { checkPositive, resolveParameters as resolve } from '../../base/parameters.js';
import type { CreditAlgorithmDefinition, CreditLink, CreditParameters } from './algorithm.js';

/** The defaults of an algorithm with the values that were given in their place; throws `ParameterError` on a name or value that it does not take. */
export function resolveParameters(definition: CreditAlgorithmDefinition, given: CreditParameters): CreditParameters {
  return resolve(`credit algorithm ${definition.name}`, definition.parameters, given);
}

/** Throws `ParameterError` unless an algorithm can work on the link. */
export function checkLink(link: CreditLink): void {
  checkPositive(link.maxRateBps, 'maxRateBps', 'a credited link');
  checkPositive(link.bytesPerCredit, 'bytesPerCredit', 'a credited link');
}
