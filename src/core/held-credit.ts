// Tested by test/core/explicit-rate.test.ts
import { creditExplicitRate, creditSequence, ecn, pathId } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Ecn } = layout;

/** What a credit brought that its data echoes. */
export interface HeldCredit {
  readonly sequence: number;
  readonly pathId: number;
  readonly isMarked: boolean;
  /** Rate code and hop; 0 for none. PROTOCOL §9.7 */
  readonly explicitRate: number;
}

/** Filled anew for every credit that arrives, at whichever flow. */
const ARRIVED = { sequence: 0, pathId: 0, isMarked: false, explicitRate: 0 };

/** Of a CREDIT; valid until the next one is read. */
export function readCredit({ bytes }: Frame): HeldCredit {
  const credit = ARRIVED;
  credit.sequence = creditSequence(bytes);
  credit.pathId = pathId(bytes);
  credit.isMarked = ecn(bytes) === Ecn.congestionExperienced;
  credit.explicitRate = creditExplicitRate(bytes);
  return credit;
}
