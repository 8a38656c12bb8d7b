import type { CreditAlgorithm, CreditLink, CreditSample } from '../../../core/credit/algorithm.js';
import { creditAlgorithm } from '../../../core/credit/registry.js';
import { DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../../wire/layout.js';
import { RTT_NS } from './joining.js';
import type { Rule } from './rules.js';

const LINK: CreditLink = { maxRateBps: 10e9, bytesPerCredit: MEAN_CREDIT_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES) };
/** Credits of a sample: so many that the share dropped is as exact as the analysis has it. */
const KNOWN = 1e9;

export interface Synchronised {
  readonly rule: Rule;
  readonly flows: number;
  readonly periods: number;
  /** Of the first flow, as a part of the link; the others start at the same rate. */
  readonly initialRate: number;
}

/**
 * The discrete model in which section 4 of the paper (2017) proves its rule stable: N flows of one link update at the same instants, each learns at once which part
 * of all credits the link dropped, and knows it exactly. The rule itself is the code that runs in hosts. Gives the rate of the first flow after each period, bit/s.
 */
export function synchronisedRates({ rule, flows, periods, initialRate }: Synchronised): number[] {
  const algorithms = Array.from({ length: flows }, () =>
    creditAlgorithm(rule, LINK, { initial_rate: initialRate, w_init: 0.5 }),
  );
  return Array.from({ length: periods }, () => {
    const total = algorithms.reduce((sum, { rateBps }) => sum + rateBps, 0);
    const loss = Math.max(0, 1 - LINK.maxRateBps / total);
    for (const algorithm of algorithms) algorithm.update(sampleOf(algorithm, loss));
    return algorithms[0].rateBps;
  });
}

function sampleOf({ rateBps }: CreditAlgorithm, loss: number): CreditSample {
  const dropped = loss * KNOWN;
  return {
    nowNs: 0,
    elapsedNs: RTT_NS,
    heldBack: false,
    rttNs: RTT_NS,
    minRttNs: RTT_NS,
    rttVariationNs: 0,
    latestRttNs: RTT_NS,
    spanNs: (KNOWN * LINK.bytesPerCredit * 8e9) / rateBps,
    known: KNOWN,
    used: KNOWN - dropped,
    unused: 0,
    dropped,
    takenBack: 0,
    dataFrames: KNOWN - dropped,
    marked: 0,
    creditMarked: 0,
    explicitBps: 0,
    hop: 0,
    rateBps: rateBps * (1 - loss),
  };
}

/** Means of the rates that followed a lower one, and of those that followed a higher one. */
export interface Phases {
  readonly afterIncrease: number;
  readonly afterDecrease: number;
}

export function phasesOf(rates: readonly (readonly number[])[]): Phases {
  const sums = { up: 0, ups: 0, down: 0, downs: 0 };
  for (const each of rates) {
    for (let at = 1; at < each.length; at++) {
      if (each[at] > each[at - 1]) {
        sums.up += each[at];
        sums.ups++;
      } else if (each[at] < each[at - 1]) {
        sums.down += each[at];
        sums.downs++;
      }
    }
  }
  return { afterIncrease: sums.up / sums.ups, afterDecrease: sums.down / sums.downs };
}
