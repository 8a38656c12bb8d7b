import { ConfigError } from '../../base/config-error.js';
import { checkPositive, resolveParameters } from '../../base/setting.js';
import type { WindowAlgorithm, WindowAlgorithmDefinition, WindowLink, WindowParameters } from './algorithm.js';
import { cubic } from './cubic.js';
import { dctcp } from './dctcp.js';
import { dx } from './dx.js';
import { hull } from './hull.js';
import { swift } from './swift.js';
import { timely } from './timely.js';

/** Every window algorithm. */
export const WINDOW_ALGORITHMS: readonly WindowAlgorithmDefinition[] = [dctcp, swift, cubic, timely, hull, dx];

/** Whether a window algorithm has that name. */
export function isWindowAlgorithm(name: string): boolean {
  return WINDOW_ALGORITHMS.some((definition) => definition.name === name);
}

/** The algorithm of that name; throws a ConfigError that lists the names there are. */
export function findWindowAlgorithm(name: string): WindowAlgorithmDefinition {
  const found = WINDOW_ALGORITHMS.find((definition) => definition.name === name);
  if (found !== undefined) return found;
  const names = WINDOW_ALGORITHMS.map((definition) => definition.name).join(', ');
  throw new ConfigError(`there is no window algorithm '${name}'; allowed: ${names}`, ['algorithm']);
}

/** The defaults of an algorithm with the values that were given in their place; throws a ConfigError on a name or value that it does not take. */
export function resolveWindowParameters(
  definition: WindowAlgorithmDefinition,
  given: WindowParameters,
): WindowParameters {
  return resolveParameters(`window algorithm ${definition.name}`, definition.parameters, given);
}

/**
 * A new algorithm object for one flow. `parameters` need hold only what differs from the defaults.
 * Throws a ConfigError for an unknown name, an unknown parameter, a value out of its range, or a link without a finite rate.
 */
export function windowAlgorithm(name: string, link: WindowLink, parameters: WindowParameters = {}): WindowAlgorithm {
  const definition = findWindowAlgorithm(name);
  checkPositive(link.maxRateBps, 'maxRateBps', "a flow's link");
  checkPositive(link.frameWireBytes, 'frameWireBytes', "a flow's link");
  return definition.create(link, resolveWindowParameters(definition, parameters));
}
