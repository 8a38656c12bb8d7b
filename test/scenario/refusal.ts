import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { refusal as refusalOf } from '../harness/refusal.js';

/** The sentence with which a document is refused as wrong usage. */
export function refusal(document: object): string {
  return refusalOf(() => parseScenario({ flows: ['pairs'], ...document }));
}
