import type { CreditParameter } from './algorithm.js';

/**
 * The parameters that ExpressPass 2017 names, shared by the algorithms that follow it.
 * Tested by test/core/credit/expresspass-literal.test.ts and test/core/credit/steady.test.ts.
 */

export const INITIAL_RATE: CreditParameter = {
  name: 'initial_rate',
  default: 1 / 16,
  min: 0.001,
  max: 1,
  unit: 'share of max rate',
  meaning: 'rate of a new flow',
  source: 'ExpressPass 2017 §3.3 (1 to 1/32; 1/16 for realistic workloads); docs/decisions/0003-credit-feedback.md',
};

export const W_INIT: CreditParameter = {
  name: 'w_init',
  default: 0.5,
  min: 0.0001,
  max: 1,
  unit: '1',
  meaning: 'aggressiveness of a new flow, at most w_max',
  source: 'ExpressPass 2017 §3.3',
};

export const W_MIN: CreditParameter = {
  name: 'w_min',
  default: 0.01,
  min: 0.0001,
  max: 0.1,
  unit: '1',
  meaning: 'lowest aggressiveness',
  source: 'ExpressPass 2017 §3.2',
};

export const W_MAX: CreditParameter = {
  name: 'w_max',
  default: 0.5,
  min: 0.1,
  max: 1,
  unit: '1',
  meaning: 'highest aggressiveness',
  source: 'ExpressPass 2017, Algorithm 1',
};

export const TARGET_LOSS: CreditParameter = {
  name: 'target_loss',
  default: 0.1,
  min: 0,
  max: 0.5,
  unit: 'share of credits',
  meaning:
    'credit loss that a flow aims at; the rate falls to its floor on a path that loses more at random (0.1: 5 % of all frames each way)',
  source: 'ExpressPass 2017 §3.3',
};

export const PERIOD_CREDITS: CreditParameter = {
  name: 'period_credits',
  default: 32,
  min: 1,
  max: 1024,
  unit: 'credits',
  meaning: 'credits at the maximum rate that an update period holds at least; it lasts an RTT where that is longer',
  source:
    'ours: 32 so that a loss is a number on a slow link, docs/decisions/0003-credit-feedback.md (both papers: every RTT)',
};

/** For the rules that are taken as they were published: every RTT, but for paths on which an RTT holds less than one credit. */
export const PERIOD_EVERY_RTT: CreditParameter = { ...PERIOD_CREDITS, default: 1, source: 'both papers: every RTT' };
