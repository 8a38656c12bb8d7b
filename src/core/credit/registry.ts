import { ConfigError } from '../../base/config-error.js';
import { RecordArena } from '../../base/record-arena.js';
import { checkPositive, resolveParameters } from '../../base/setting.js';
import {
  ALGORITHM_NUMBERS,
  type CreditAlgorithm,
  type CreditAlgorithmDefinition,
  type CreditLink,
  type CreditParameters,
} from './algorithm.js';
import { ec4, ec4Literal } from './ec4.js';
import { expresspass, expresspass2016, expresspassLiteral, expresspassNs2, naive } from './expresspass.js';
import { leaning } from './leaning.js';
import { spraypass, spraypass1, spraypass2 } from './spraypass.js';
import { steady } from './steady.js';

/** Every credit algorithm, the default first. */
export const CREDIT_ALGORITHMS: readonly CreditAlgorithmDefinition[] = [
  steady,
  leaning,
  expresspass,
  expresspassLiteral,
  expresspassNs2,
  expresspass2016,
  ec4,
  ec4Literal,
  naive,
  spraypass,
  spraypass1,
  spraypass2,
];

export const DEFAULT_CREDIT_ALGORITHM = steady.name;

/** The algorithm of that name; throws a ConfigError that lists the names there are. */
export function findCreditAlgorithm(name: string): CreditAlgorithmDefinition {
  const found = CREDIT_ALGORITHMS.find((definition) => definition.name === name);
  if (found !== undefined) return found;
  const names = CREDIT_ALGORITHMS.map((definition) => definition.name).join(', ');
  throw new ConfigError(`there is no credit algorithm '${name}'; allowed: ${names}`, ['algorithm']);
}

/** The defaults of an algorithm with the values that were given in their place; throws a ConfigError on a name or value that it does not take. */
export function resolveCreditParameters(
  definition: CreditAlgorithmDefinition,
  given: CreditParameters,
): CreditParameters {
  return resolveParameters(`credit algorithm ${definition.name}`, definition.parameters, given);
}

/** Throws a ConfigError unless an algorithm can work on the link. */
export function checkLink(link: CreditLink): void {
  checkPositive(link.maxRateBps, 'maxRateBps', 'a credited link');
  checkPositive(link.bytesPerCredit, 'bytesPerCredit', 'a credited link');
}

/**
 * A new algorithm object for one flow. `parameters` need hold only what differs from the defaults.
 * Throws a ConfigError for an unknown name, an unknown parameter, a value out of its range, or a link without a finite rate.
 */
export function creditAlgorithm(name: string, link: CreditLink, parameters: CreditParameters = {}): CreditAlgorithm {
  return creditAlgorithmMaker(name, link, parameters, new RecordArena(ALGORITHM_NUMBERS))();
}

/** Whether a flow gets the share of its weight by the algorithm of that name; throws as above. */
export function takesWeights(name: string): boolean {
  return findCreditAlgorithm(name).takesWeights === true;
}

/** `weight`: of the flow; 1 if absent. */
export type CreditAlgorithmMaker = (weight?: number) => CreditAlgorithm;

/**
 * Makes the algorithm objects of many flows, which share one set of parameters: of their own they would be half a KiB for each flow. `records` are of
 * ALGORITHM_NUMBERS each. Throws as above.
 */
export function creditAlgorithmMaker(
  name: string,
  link: CreditLink,
  parameters: CreditParameters,
  records: RecordArena,
): CreditAlgorithmMaker {
  const definition = findCreditAlgorithm(name);
  checkLink(link);
  const resolved = resolveCreditParameters(definition, parameters);
  return (weight = 1) => definition.create(link, resolved, records, weight);
}
