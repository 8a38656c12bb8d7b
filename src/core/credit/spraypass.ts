// Tested by test/core/credit/spraypass.test.ts

import { parameter } from '../../base/setting.js';
import type {
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
  CreditSpray,
} from './algorithm.js';
import { sentBps } from './algorithm.js';
import { INITIAL_RATE, Listing, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './expresspass.js';

/** Of SprayPass's topologies: four spines. */
const PAPER_PATHS = 4;
/** SprayPass §III-C: N_b is given for four paths and data frames of 1538 B on the wire; credits take 88 B more. */
const PAPER_BYTES_PER_CREDIT = 1626;
const MILLISECOND_NS = 1e6;

const UNIFORM = parameter('uniform', [1, 0, 1], '0 or 1', {
  meaning: 'draw path ids without replacement, round after round, instead of independently',
  source: 'SprayPass §III-C and Table II: bound to path probing',
});

const PROBING = parameter('probing', [1, 0, 1], '0 or 1', {
  meaning: 'leave slow paths out',
  source: 'SprayPass Table II',
});

/** What says how credits are spread, by default as the paper's third configuration. */
const SPRAY_PARAMETERS: readonly CreditParameter[] = [
  parameter('paths', [PAPER_PATHS, 1, 255], 'path ids', {
    meaning: 'path ids that credits are spread over: as many as there are equal paths, or a multiple',
    source: 'SprayPass §III-A; 4 as in its topologies',
  }),
  UNIFORM,
  PROBING,
  parameter('theta', [0.1, 0, 0.99], 'share of the fastest path', {
    meaning: 'a path whose data arrives slower than this is left out',
    source: "SprayPass §III-C (its authors' code: 0)",
  }),
  parameter('n_b', [6e5, 1e4, 1e9], 'bits of data', {
    meaning:
      'data from one look at the speed board to the next, for 4 paths and frames of 1538 B; more of either, more data',
    source: 'SprayPass §III-C; the scaling is ours, so that each path has as many frames to be judged by',
  }),
  parameter('return_wait', [5, 0.001, 1e4], 'ms', {
    meaning: 'time before a path that was left out is probed by one credit, at least',
    source: 'ours: docs/decisions/0012-paths-that-return.md',
  }),
  parameter('return_rtts', [128, 1, 1e4], 'RTTs', {
    meaning: 'the same in round trips, where that is longer',
    source: 'ours: docs/decisions/0012-paths-that-return.md',
  }),
  parameter('return_longest', [500, 0.001, 1e5], 'ms', {
    meaning: 'the longest wait of a path that disappoints again and again',
    source: 'ours: docs/decisions/0012-paths-that-return.md',
  }),
];

/** The same without what the second configuration leaves out. */
const RANDOM_SPRAY_PARAMETERS = SPRAY_PARAMETERS.map((parameter) =>
  parameter === UNIFORM || parameter === PROBING ? { ...parameter, default: 0 } : parameter,
);

function sprayOf(link: CreditLink, parameters: CreditParameters): CreditSpray {
  const { paths } = parameters;
  return {
    paths: Math.round(paths),
    uniform: parameters.uniform >= 0.5,
    probing: parameters.probing >= 0.5,
    slowest: parameters.theta,
    boardBits: (parameters.n_b * paths * link.bytesPerCredit) / (PAPER_PATHS * PAPER_BYTES_PER_CREDIT),
    returns: {
      waitNs: parameters.return_wait * MILLISECOND_NS,
      waitRtts: parameters.return_rtts,
      longestNs: parameters.return_longest * MILLISECOND_NS,
    },
  };
}

/** SprayPass-1 of Table II: credits are sprayed, and their loss is read from gaps in their sequence, which disorder looks like too. */
class SequenceBased extends Listing {
  readonly name = 'spraypass-1';
  readonly spray: CreditSpray;
  private readonly lateIsLost: boolean;

  constructor(link: CreditLink, parameters: CreditParameters) {
    super(link, parameters);
    this.lateIsLost = parameters.late_lost >= 0.5;
    this.spray = sprayOf(link, parameters);
  }

  protected override lossOf(sample: CreditSample): number {
    if (!this.lateIsLost || sample.known === 0) return super.lossOf(sample);
    return Math.min(1, (sample.dropped + sample.takenBack) / sample.known);
  }

  protected lossyBps(sample: CreditSample): number {
    return sentBps(this.link, sample, this.rateBps);
  }
}

/**
 * Algorithm 1 of SprayPass: ExpressPass 2017 by the share of marked data instead of the loss of credits, so order does not matter. Ports mark credits as often
 * as they drop them. A period without data changes nothing.
 */
class SequenceFree extends Listing {
  readonly name: string;
  readonly spray: CreditSpray;
  private readonly isFromSent: boolean;

  constructor(name: string, link: CreditLink, parameters: CreditParameters) {
    super(link, { ...parameters, target_loss: parameters.aim_ratio });
    this.name = name;
    this.isFromSent = parameters.sent_rate >= 0.5;
    this.spray = sprayOf(link, parameters);
  }

  protected override lossOf({ dataFrames, creditMarked }: CreditSample): number {
    return dataFrames === 0 ? -1 : creditMarked / dataFrames;
  }

  protected lossyBps(sample: CreditSample): number {
    return this.isFromSent ? sentBps(this.link, sample, this.rateBps) : this.rateBps;
  }
}

const W_SMALL = { ...W_INIT, default: 1 / 16, source: 'SprayPass Algorithm 1: the initial rate over the maximum' };
const MARKED = [
  {
    ...TARGET_LOSS,
    name: 'aim_ratio',
    kind: { ...TARGET_LOSS.kind, unit: 'share of data' },
    meaning: 'share of data with a marked credit that a flow aims at',
    source: "SprayPass Algorithm 1, which gives no number: ExpressPass 2017 §3.3 (its authors' code: 0.125)",
  },
  parameter('sent_rate', [1, 0, 1], '0 or 1', {
    meaning:
      'take a decrease off the rate at which the credits of the period were sent (1) or, as the listing has it, off the rate in force (0)',
    source:
      'ours: 0 is fairer (Jain 0.99 instead of 0.95 over 1 ms) and loses 9 % of full links; xpass figures spraypass convergence',
  }),
];
const RATES = [INITIAL_RATE, W_SMALL, W_MIN, W_MAX, PERIOD_CREDITS];

export const spraypass1: CreditAlgorithmDefinition = {
  name: 'spraypass-1',
  summary: 'credits sprayed over equal paths at random, ExpressPass feedback by credit sequence',
  parameters: [
    ...RATES,
    TARGET_LOSS,
    parameter('late_lost', [0, 0, 1], '0 or 1', {
      meaning:
        'a credit that was overtaken counts as lost (1), as in the paper, or as used once its data is there after all (0), as in our other algorithms',
      source: 'ours: 1 loses a seventh of four paths; xpass figures spraypass disorder',
    }),
    ...RANDOM_SPRAY_PARAMETERS,
  ],
  create: (link, parameters) => new SequenceBased(link, parameters),
};

export const spraypass2: CreditAlgorithmDefinition = {
  name: 'spraypass-2',
  summary: 'credits sprayed over equal paths at random, feedback by marks instead of sequence',
  parameters: [...RATES, ...MARKED, ...RANDOM_SPRAY_PARAMETERS],
  create: (link, parameters) => new SequenceFree('spraypass-2', link, parameters),
};

export const spraypass: CreditAlgorithmDefinition = {
  name: 'spraypass',
  summary: 'credits sprayed evenly over equal paths, feedback by marks, slow paths left out and probed',
  parameters: [...RATES, ...MARKED, ...SPRAY_PARAMETERS],
  create: (link, parameters) => new SequenceFree('spraypass', link, parameters),
};
