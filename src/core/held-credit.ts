// Tested by test/core/held-credit.test.ts and test/core/explicit-rate.test.ts

import { creditExplicitRate, creditSequence, ecn, pathId } from '../wire/decode.js';
import type { DataFields } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { DataFlag, Ecn } from '../wire/layout.js';

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

/** Reads a CREDIT; valid until the next one is read. */
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

/**
 * The sender's credit buffer (SprayPass §III-B2): credits that found no data wait here, in the order of their arrival, for data that comes soon.
 * Bounded; memory from the first credit on.
 */
export class KeptCredits implements HeldCredit {
  /** The oldest, once `shift` was true. */
  sequence = 0;
  pathId = 0;
  isMarked = false;
  explicitRate = 0;
  private readonly capacity: number;
  private sequences: Uint32Array | null = null;
  /** The path id, and 256 if marked. */
  private paths: Uint16Array | null = null;
  private rates: Uint16Array | null = null;
  private first = 0;
  private count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.count;
  }

  /** False when as many wait as may. */
  push({ sequence, pathId, isMarked, explicitRate }: HeldCredit): boolean {
    if (this.count >= this.capacity) return false;
    this.sequences ??= new Uint32Array(this.capacity);
    this.paths ??= new Uint16Array(this.capacity);
    this.rates ??= new Uint16Array(this.capacity);
    const slot = (this.first + this.count) % this.capacity;
    this.sequences[slot] = sequence;
    this.paths[slot] = isMarked ? pathId | MARKED : pathId;
    this.rates[slot] = explicitRate;
    this.count++;
    return true;
  }

  /** Takes the oldest out, into the fields above; false when there is none. */
  shift(): boolean {
    if (this.count === 0 || this.sequences === null || this.paths === null || this.rates === null) return false;
    this.sequence = this.sequences[this.first];
    this.pathId = this.paths[this.first] & 0xff;
    this.isMarked = (this.paths[this.first] & MARKED) !== 0;
    this.explicitRate = this.rates[this.first];
    this.first = (this.first + 1) % this.capacity;
    this.count--;
    return true;
  }

  /** Lets all go; returns how many. */
  clear(): number {
    const { count } = this;
    this.count = 0;
    return count;
  }
}

const MARKED = 0x100;
