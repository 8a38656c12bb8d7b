// Tested by test/apps/figures/catalogue.test.ts
import { CREDIT_ALGORITHMS } from '../../../core/credit/registry.js';
import type { FigureDocument } from '../figure.js';
import { portsOf, type System } from './peers.js';
import { BOTTLENECK } from './quantities.js';

/** How a new flow starts; a rule that has no such constant leaves it out. */
export interface Start {
  readonly initialRate: number;
  readonly wInit: number;
}

/** That of the authors' runs of one bottleneck. */
const HALF_START: Start = { initialRate: 0.5, wInit: 0.5 };
/** That of the papers for realistic workloads. */
export const SIXTEENTH_START: Start = { initialRate: 1 / 16, wInit: 1 / 16 };

/** The part of a scenario that says which rule its flows follow. Window algorithms have neither constant. */
export function ruleFields(rule: string, { initialRate, wInit }: Start = HALF_START): FigureDocument {
  const parametersOf = CREDIT_ALGORITHMS.find(({ name }) => name === rule)?.parameters ?? [];
  const known = new Set(parametersOf.map(({ name }) => name));
  // What w a flow of steady begins with belongs to the rule (decision 0008); the others have the papers' for the papers' figures.
  const constants = { initial_rate: initialRate, ...(rule !== 'steady' && { w_init: wInit }) };
  const parameters = Object.entries(constants).filter(([name]) => known.has(name));
  return { algorithm: rule, ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }) };
}

export interface Dumbbell {
  readonly rule: System;
  readonly pairs: number;
  readonly start?: Start;
  /** Of every link; 10 Gbit/s as in the authors' runs. */
  readonly rate?: string;
}

/**
 * The authors' one bottleneck: links of 10 Gbit/s, 10 us at the hosts and 30 us between the switches (RTT 100 us). Endless flows start together.
 * Runs last 60 ms and are measured from 20 ms. Credits are 84 to 92 B and their gaps vary by 2 % as in the paper (theirs: 76 to 92 B, 10 %).
 */
export function dumbbell({ rule, pairs, start = HALF_START, rate = '10gbit' }: Dumbbell): FigureDocument {
  return {
    ...ruleFields(rule, start),
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'dumbbell', pairs, rate, edge: { delay: '10us' }, core: { delay: '30us' }, ...portsOf(rule) },
    bottlenecks: [BOTTLENECK],
    flows: ['pairs'],
  };
}

/** The same with other settings of its links. */
export function withLinks(document: FigureDocument, settings: FigureDocument): FigureDocument {
  return { ...document, topology: { ...(document.topology as FigureDocument), ...settings } };
}
