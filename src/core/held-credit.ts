// Tested by test/core/explicit-rate.test.ts
import { creditExplicitRate, creditSequence, ecn, pathId } from '../wire/decode.js';
import type { DataFields } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { DataFlag, Ecn } = layout;

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

/** Filled anew for every data frame of whichever flow. */
const DATA_FIELDS = { creditSequence: 0, explicitRate: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };

/** Of a CREDIT; valid until the next one is read. */
export function readCredit({ bytes }: Frame): HeldCredit {
  const credit = ARRIVED;
  credit.sequence = creditSequence(bytes);
  credit.pathId = pathId(bytes);
  credit.isMarked = ecn(bytes) === Ecn.congestionExperienced;
  credit.explicitRate = creditExplicitRate(bytes);
  return credit;
}

/** The fields of the data frame with bytes from `offset` that `credit` releases; `unused`: credits that found no data so far. Filled anew by each call. */
export function echoOf(credit: HeldCredit, offset: number, unused: number, flagBits: number): DataFields {
  const fields = DATA_FIELDS;
  fields.creditSequence = credit.sequence;
  fields.explicitRate = credit.explicitRate;
  fields.pathId = credit.pathId;
  fields.offset = offset;
  fields.unused = unused;
  fields.flags = flagBits | (credit.isMarked ? DataFlag.creditCe : 0);
  return fields;
}
