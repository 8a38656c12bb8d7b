// Tested by test/core/algorithms.test.ts
import type { ParameterValues } from '../base/setting.js';
import { constant } from '../base/value-kind.js';
import { DEFAULT_CONFIG, type EndpointConfig } from './config.js';
import { CREDIT_ALGORITHMS, findCreditAlgorithm, resolveCreditParameters } from './credit/registry.js';
import {
  findWindowAlgorithm,
  isWindowAlgorithm,
  resolveWindowParameters,
  WINDOW_ALGORITHMS,
} from './window/registry.js';

/** What an endpoint is told of its algorithms. */
type AlgorithmFields = Pick<
  EndpointConfig,
  'creditAlgorithm' | 'creditParameters' | 'windowAlgorithm' | 'windowParameters'
>;

/** Any number, as people write constants of algorithms; which ones an algorithm takes it says itself. */
export const ALGORITHM_CONSTANT = constant(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, '');

/** The names of all algorithms, those of credits first, the default at their head. No two share one. */
export const ALGORITHM_NAMES: readonly string[] = [...CREDIT_ALGORITHMS, ...WINDOW_ALGORITHMS].map(({ name }) => name);

/**
 * What it means to an endpoint to use the algorithm of that name: a credit algorithm is for the flows that it receives, a window algorithm for those
 * that it opens. `before` is what it was told earlier: who names a credit algorithm after a window algorithm opens flows with credits again.
 */
export function algorithmFields(
  name: string,
  parameters: ParameterValues = {},
  before: Partial<AlgorithmFields> = {},
): Partial<AlgorithmFields> {
  if (isWindowAlgorithm(name)) return { windowAlgorithm: name, windowParameters: parameters };
  const reset = before.windowAlgorithm === undefined ? {} : { windowAlgorithm: '', windowParameters: {} };
  return { creditAlgorithm: name, creditParameters: parameters, ...reset };
}

/** All parameters of the algorithms that an endpoint uses. Throws a ConfigError for an unknown name or a value out of its range. */
export function checkAlgorithms(fields: Partial<AlgorithmFields>): void {
  const { creditAlgorithm, creditParameters, windowAlgorithm, windowParameters } = { ...DEFAULT_CONFIG, ...fields };
  resolveCreditParameters(findCreditAlgorithm(creditAlgorithm), creditParameters);
  if (windowAlgorithm !== '') resolveWindowParameters(findWindowAlgorithm(windowAlgorithm), windowParameters);
}

/** The name of the algorithm that rules a flow between two hosts: its own window's, or else that of the sender's, or the receiver's for its credits. */
export function rulingAlgorithm(
  sender: Partial<AlgorithmFields>,
  receiver: Partial<AlgorithmFields>,
  ownWindow?: string,
): string {
  const { windowAlgorithm } = { ...DEFAULT_CONFIG, ...sender };
  return (ownWindow ?? windowAlgorithm) || { ...DEFAULT_CONFIG, ...receiver }.creditAlgorithm;
}
