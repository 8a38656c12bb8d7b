// Tested by test/apps/figures/catalogue.test.ts
import type { FigureDocument } from '../figure.js';
import { HALF_START, type Rule, ruleFields, type Start } from './rules.js';

/** The direction that the flows of a dumbbell share. */
export const BOTTLENECK = 'left->right';

export interface Dumbbell {
  readonly rule: Rule;
  readonly pairs: number;
  readonly start?: Start;
  /** Of every link; 10 Gbit/s as in the authors' runs. */
  readonly rate?: string;
}

/**
 * The authors' one bottleneck: every link 10 Gbit/s, 10 us at the hosts and 30 us between the switches, which is an RTT of 100 us; endless flows that start together;
 * 60 ms, measured from 20 to 60 ms. Credits are 84 to 92 B and their gaps vary by 2 % as in the paper (theirs: 76 to 92 B, 10 %).
 */
export function dumbbell({ rule, pairs, start = HALF_START, rate = '10gbit' }: Dumbbell): FigureDocument {
  return {
    ...ruleFields(rule, start),
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'dumbbell', pairs, rate, edge: { delay: '10us' }, core: { delay: '30us' } },
    bottlenecks: [BOTTLENECK],
    flows: ['pairs'],
  };
}
