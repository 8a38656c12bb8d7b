// Tested by test/core/credit/spraypass.test.ts
import type { CreditLink, CreditParameter, CreditParameters, CreditSpray } from './algorithm.js';

/** Of SprayPass's topologies: four spines. */
const PAPER_PATHS = 4;
/** SprayPass §III-C: N_b is given for four paths and data frames of 1538 B on the wire; credits take 88 B more. */
const PAPER_BYTES_PER_CREDIT = 1626;
const MILLISECOND_NS = 1e6;

const PATHS: CreditParameter = {
  name: 'paths',
  default: PAPER_PATHS,
  min: 1,
  max: 255,
  unit: 'path ids',
  meaning: 'path ids that credits are spread over: as many as there are equal paths, or a multiple',
  source: 'SprayPass §III-A; 4 as in its topologies',
};

const UNIFORM: CreditParameter = {
  name: 'uniform',
  default: 1,
  min: 0,
  max: 1,
  unit: '0 or 1',
  meaning: 'draw path ids without replacement, round after round, instead of independently',
  source: 'SprayPass §III-C and Table II: bound to path probing',
};

const PROBING: CreditParameter = {
  name: 'probing',
  default: 1,
  min: 0,
  max: 1,
  unit: '0 or 1',
  meaning: 'leave slow paths out',
  source: 'SprayPass Table II',
};

const THETA: CreditParameter = {
  name: 'theta',
  default: 0.1,
  min: 0,
  max: 0.99,
  unit: 'share of the fastest path',
  meaning: 'a path whose data arrives slower than this is left out',
  source: "SprayPass §III-C (its authors' code: 0)",
};

const N_B: CreditParameter = {
  name: 'n_b',
  default: 6e5,
  min: 1e4,
  max: 1e9,
  unit: 'bits of data',
  meaning:
    'data from one look at the speed board to the next, for 4 paths and frames of 1538 B; more of either, more data',
  source: 'SprayPass §III-C; the scaling is ours, so that each path has as many frames to be judged by',
};

const RETURN_WAIT: CreditParameter = {
  name: 'return_wait',
  default: 5,
  min: 0.001,
  max: 1e4,
  unit: 'ms',
  meaning: 'time before a path that was left out is probed by one credit, at least',
  source: 'ours: docs/decisions/0012-paths-that-return.md',
};

const RETURN_RTTS: CreditParameter = {
  name: 'return_rtts',
  default: 128,
  min: 1,
  max: 1e4,
  unit: 'RTTs',
  meaning: 'the same in round trips, where that is longer',
  source: 'ours: docs/decisions/0012-paths-that-return.md',
};

const RETURN_LONGEST: CreditParameter = {
  name: 'return_longest',
  default: 500,
  min: 0.001,
  max: 1e5,
  unit: 'ms',
  meaning: 'the longest wait of a path that disappoints again and again',
  source: 'ours: docs/decisions/0012-paths-that-return.md',
};

/** What says how credits are spread, by default as the paper's third configuration. */
export const SPRAY_PARAMETERS: readonly CreditParameter[] = [
  PATHS,
  UNIFORM,
  PROBING,
  THETA,
  N_B,
  RETURN_WAIT,
  RETURN_RTTS,
  RETURN_LONGEST,
];

/** The same without what the second configuration leaves out. */
export const RANDOM_SPRAY_PARAMETERS = SPRAY_PARAMETERS.map((parameter) =>
  parameter === UNIFORM || parameter === PROBING ? { ...parameter, default: 0 } : parameter,
);

export function sprayOf(link: CreditLink, parameters: CreditParameters): CreditSpray {
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
