// Tested by test/core/kept-credits.test.ts

import type { HeldCredit } from './held-credit.js';

/**
 * The sender's credit buffer (SprayPass §III-B2): credits that found no data wait here, in the order of their arrival, for data that comes soon. Bounded; memory
 * from the first credit on.
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
