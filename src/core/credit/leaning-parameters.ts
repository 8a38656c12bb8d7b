import type { CreditParameter } from './algorithm.js';
import { INITIAL_RATE, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';

/**
 * The parameters of `leaning`.
 * Tested by test/core/credit/leaning.test.ts.
 */

const DECISION = 'docs/decisions/0008-leaning.md';

const LEANING_W_MIN: CreditParameter = {
  ...W_MIN,
  default: 0.02,
  source: `ours: ${DECISION} (0.01 in ExpressPass 2017)`,
};

const LEANING_W_INIT: CreditParameter = {
  ...W_INIT,
  default: 0.6,
  source: `ours: ${DECISION} (0.5 in ExpressPass 2017)`,
};

const LEANING_W_MAX: CreditParameter = {
  ...W_MAX,
  default: 0.6,
  source: `ours: ${DECISION} (0.5 in ExpressPass 2017)`,
};

const W_DECREASE: CreditParameter = {
  name: 'w_decrease',
  default: 0.92,
  min: 0.1,
  max: 1,
  unit: '1',
  meaning: 'what w is multiplied by at each update of a flow that shares, or has climbed to the top',
  source: `ours: ${DECISION} (0.5 an RTT in ExpressPass 2017)`,
};

const W_FALL: CreditParameter = {
  name: 'w_fall',
  default: 0.025,
  min: 0.001,
  max: 0.6,
  unit: '1',
  meaning: 'what w loses at the least at each such update',
  source: `ours: ${DECISION}`,
};

const W_STEP: CreditParameter = {
  name: 'w_step',
  default: 0.02,
  min: 0,
  max: 0.5,
  unit: '1',
  meaning: 'what is added to w in each RTT of a climb',
  source: `ours: ${DECISION} (halfway to w_max in ExpressPass 2017; 0.05 in its authors' code)`,
};

const MEMORY: CreditParameter = {
  name: 'memory',
  default: 20,
  min: 0,
  max: 1000,
  unit: 'credits',
  meaning:
    'how many credits the share that is remembered weighs against those of a new sample; of a settled flow, how many delivered ones',
  source: `ours: ${DECISION}`,
};

const RECENT_MEMORY: CreditParameter = {
  name: 'recent_memory',
  default: 10,
  min: 0,
  max: 1000,
  unit: 'credits',
  meaning: 'the same for what a flow got lately, which a settled flow makes up for',
  source: `ours: ${DECISION}`,
};

const MAKE_UP: CreditParameter = {
  name: 'make_up',
  default: 3,
  min: 0,
  max: 10,
  unit: '1',
  meaning: 'how far a settled flow makes up for getting more or less than its share, times the square of its loss',
  source: `ours: ${DECISION}`,
};

const THIN_SHARE: CreditParameter = {
  name: 'thin_share',
  default: 1 / 256,
  min: 0.0001,
  max: 1,
  unit: 'share of max rate',
  meaning:
    'what a settled flow gets in the long run below which its w_min shrinks, by the root; 0.0001 for next to never',
  source: `ours: ${DECISION}`,
};

const LONG_MEMORY: CreditParameter = {
  name: 'long_memory',
  default: 200,
  min: 20,
  max: 100_000,
  unit: 'delivered credits',
  meaning: 'over how many that long run is',
  source: `ours: ${DECISION}`,
};

const UNHEARD_CREDITS: CreditParameter = {
  name: 'unheard_credits',
  default: 88,
  min: 20,
  max: 1_000_000,
  unit: 'credits',
  meaning:
    'credits sent at an initial rate of 1 before the first echo, half as many at 1/2 and below; with every tenth more the rate halves',
  source: `ours: ${DECISION}`,
};

const LEANING_TARGET_LOSS: CreditParameter = {
  ...TARGET_LOSS,
  default: 0,
  meaning: 'credit loss that a flow bears without yielding: what a path loses by itself, not for congestion',
  source: `ours: ${DECISION} (0.1 in ExpressPass 2017)`,
};

const QUIET_CREDITS: CreditParameter = {
  name: 'quiet_credits',
  default: 300,
  min: 1,
  max: 100_000,
  unit: 'credits',
  meaning: 'credits delivered in a row after which a flow climbs again',
  source: `ours: ${DECISION}`,
};

const CLIMB_END: CreditParameter = {
  name: 'climb_end',
  default: 0.9,
  min: 0.1,
  max: 1,
  unit: 'share of max rate',
  meaning: 'rate from which a climbing flow gives up its w again',
  source: `ours: ${DECISION}`,
};

const CEILING: CreditParameter = {
  name: 'ceiling',
  default: 0.99,
  min: 0.5,
  max: 1,
  unit: 'share of max rate',
  meaning: 'highest rate',
  source: `ours: ${DECISION}`,
};

const PERIOD_RTTS: CreditParameter = {
  name: 'period_rtts',
  default: 0.5,
  min: 0.25,
  max: 4,
  unit: 'RTTs',
  meaning: 'length of an update period, where period_credits do not make it longer',
  source: `ours: ${DECISION} (1 in ExpressPass 2017)`,
};

export const LEANING_PARAMETERS: readonly CreditParameter[] = [
  INITIAL_RATE,
  LEANING_W_INIT,
  LEANING_W_MIN,
  LEANING_W_MAX,
  W_DECREASE,
  W_FALL,
  W_STEP,
  LEANING_TARGET_LOSS,
  MEMORY,
  RECENT_MEMORY,
  MAKE_UP,
  THIN_SHARE,
  LONG_MEMORY,
  UNHEARD_CREDITS,
  QUIET_CREDITS,
  CLIMB_END,
  CEILING,
  PERIOD_RTTS,
  PERIOD_CREDITS,
];
