import type { CreditParameter } from './algorithm.js';
import { INITIAL_RATE } from './paper-parameters.js';

/**
 * The parameters of `steady`.
 * Tested by test/core/credit/steady.test.ts.
 */

const DECISION = 'docs/decisions/0020-explicit-rate.md';

const PERIOD_RTTS: CreditParameter = {
  name: 'period_rtts',
  default: 0.25,
  min: 0.1,
  max: 4,
  unit: 'RTTs',
  meaning: 'length of an update period, where period_credits do not make it longer',
  source: `ours: ${DECISION} (1 in ExpressPass 2017)`,
};

const PERIOD_CREDITS: CreditParameter = {
  name: 'period_credits',
  default: 4,
  min: 1,
  max: 1000,
  unit: 'credits at max rate',
  meaning: 'shortest update period: the time of as many credits of the whole link',
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

const TOLERATED_LOSS: CreditParameter = {
  name: 'tolerated_loss',
  default: 0.4,
  min: 0,
  max: 0.9,
  unit: '1',
  meaning: 'part of the credits that a path without a queue may lose; more is congestion of a link that offers no rate',
  source: `ours: ${DECISION}; 10 % of all frames each way are 0.19`,
};

const QUEUED_LOSS: CreditParameter = {
  name: 'queued_loss',
  default: 0.1,
  min: 0,
  max: 0.9,
  unit: '1',
  meaning: 'the same for a path whose RTT shows a queue',
  source: `ours: ${DECISION}`,
};

const MEMORY: CreditParameter = {
  name: 'memory',
  default: 200,
  min: 1,
  max: 100_000,
  unit: 'credits',
  meaning: 'credits over which the loss is remembered',
  source: `ours: ${DECISION}; bursts of 8 frames at 10 % pass for less than tolerated_loss`,
};

const LEAN: CreditParameter = {
  name: 'lean',
  default: 0.05,
  min: 0.001,
  max: 0.5,
  unit: '1',
  meaning: 'part of the way to the maximum rate that a limit found by loss climbs in an RTT',
  source: `ours: ${DECISION}`,
};

export const STEADY_PARAMETERS: readonly CreditParameter[] = [
  INITIAL_RATE,
  PERIOD_RTTS,
  PERIOD_CREDITS,
  UNHEARD_CREDITS,
  TOLERATED_LOSS,
  QUEUED_LOSS,
  MEMORY,
  LEAN,
];
