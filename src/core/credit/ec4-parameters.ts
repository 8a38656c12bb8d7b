import type { CreditParameter } from './algorithm.js';
import { INITIAL_RATE, TARGET_LOSS } from './paper-parameters.js';

/**
 * The parameters that EC4 names, shared by the two forms of it.
 * Tested by test/core/credit/ec4.test.ts and test/core/credit/ec4-literal.test.ts.
 */

export const EC4_INITIAL_RATE: CreditParameter = {
  ...INITIAL_RATE,
  default: 1,
  source: 'EC4 §III.C: "initially injected at the maximum link capacity", so that other traffic is found soon',
};

export const W_MID: CreditParameter = {
  name: 'w_mid',
  default: 0.05,
  min: 0.0001,
  max: 1,
  unit: '1',
  meaning:
    'what w goes to in LOW mode while no credit is lost: how far the flow leans towards the link against reactive ones',
  source: 'EC4 §III.C and Figure 5 (0.04 to 0.06)',
};

export const G: CreditParameter = {
  name: 'g',
  default: 1 / 16,
  min: 0.0001,
  max: 1,
  unit: '1',
  meaning: 'weight of a new share of marked frames in alpha',
  source: 'EC4 §III.C, below 1.386 / sqrt(2 * (C * RTT + K))',
};

export const TARGET_ECN_RATIO: CreditParameter = {
  name: 'target_ecn_ratio',
  default: 0,
  min: 0,
  max: 1,
  unit: 'share of data frames',
  meaning: 'share of marked frames up to which the rate grows; higher ones use more of the buffer',
  source: 'EC4 §III.C',
};

export const MODE_THRESHOLD: CreditParameter = {
  name: 'mode_threshold',
  default: 3,
  min: 0,
  max: 1000,
  unit: 'updates',
  meaning: 'updates without marks beyond which the flow takes the network for its own kind (HIGH mode)',
  source: 'EC4 §III.C',
};

export const LOW_TARGET_LOSS: CreditParameter = {
  ...TARGET_LOSS,
  name: 'low_target_loss',
  default: 0,
  meaning: 'credit loss up to which the flow leans towards the link in LOW mode; target_loss is that of HIGH mode',
  source: 'EC4 §III.C',
};
