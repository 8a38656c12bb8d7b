// Tested by test/apps/figures/catalogue.test.ts
import { CREDIT_ALGORITHMS } from '../../../core/credit/registry.js';
import type { FigureDocument } from '../figure.js';

/** The credit algorithms that stand side by side, ours first. */
export const RULES = [
  'steady',
  'expresspass',
  'expresspass-literal',
  'expresspass-ns2',
  'expresspass-2016',
  'naive',
] as const;
export type Rule = (typeof RULES)[number];

/** How a new flow starts; a rule that has no such constant leaves it out. */
export interface Start {
  readonly initialRate: number;
  readonly wInit: number;
}

/** That of the authors' runs of one bottleneck. */
export const HALF_START: Start = { initialRate: 0.5, wInit: 0.5 };

/** The part of a scenario that says which rule its flows follow. Window algorithms have neither constant. */
export function ruleFields(rule: string, { initialRate, wInit }: Start = HALF_START): FigureDocument {
  const parametersOf = CREDIT_ALGORITHMS.find(({ name }) => name === rule)?.parameters ?? [];
  const known = new Set(parametersOf.map(({ name }) => name));
  // What w a flow of steady begins with belongs to the rule (decision 0008); the others have the papers' for the papers' figures.
  const constants = { initial_rate: initialRate, ...(rule !== 'steady' && { w_init: wInit }) };
  const parameters = Object.entries(constants).filter(([name]) => known.has(name));
  return { algorithm: rule, ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }) };
}
