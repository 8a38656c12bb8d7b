import { keyedHash } from './keyed-hash.js';
import { SECOND_NS } from './time.js';

export interface SourceLimitOptions {
  /** What one source gets in a second, and at once after a second of silence. */
  readonly perSecond: number;
  /** The same for all sources together, with what they left in a quarter of a second. Above four times `perSecond`. */
  readonly perSecondInAll: number;
  /** Unpredictable on real sockets: who knows it finds sources that share the buckets of another. */
  readonly seed: number;
}

/** A flood from 100 sources leaves an honest one without a bucket with a probability below 1 in 100; two rows take 16 KiB (ours). */
const BUCKETS = 1_024;
const SECOND_ROW = 0x9e3779b9;
/** Of all sources. Ours: what a flood causes at once delays other work for less than what it causes in a second. */
const BURST_IN_ALL_NS = SECOND_NS / 4;

/**
 * A rate limit by source in fixed memory, as WireGuard's `ratelimiter.c` is one by address: hashed token buckets. A source has a bucket in each of two rows and
 * takes from the fuller one, so one bucket that it shares with a flood does not starve it.
 */
export class SourceLimit {
  private readonly seed: number;
  /** Each half of a source's tokens comes from one row. */
  private readonly tokenNs: number;
  private readonly tokenInAllNs: number;
  /** When each bucket will be full again: the generic cell rate algorithm. */
  private readonly fullNs = [new Float64Array(BUCKETS), new Float64Array(BUCKETS)] as const;
  private fullInAllNs = 0;

  constructor({ perSecond, perSecondInAll, seed }: SourceLimitOptions) {
    this.seed = seed;
    this.tokenNs = (2 * SECOND_NS) / perSecond;
    this.tokenInAllNs = SECOND_NS / perSecondInAll;
  }

  /** Whether `source`, any number, may have one more at `nowNs`; if so, that counts. */
  allow(source: number, nowNs: number): boolean {
    const [first, second] = this.fullNs;
    const inFirst = this.bucket(source, 0);
    const inSecond = this.bucket(source, SECOND_ROW);
    const isFirst = first[inFirst] <= second[inSecond];
    const row = isFirst ? first : second;
    const at = isFirst ? inFirst : inSecond;
    const fullNs = Math.max(row[at], nowNs) + this.tokenNs;
    const fullInAllNs = Math.max(this.fullInAllNs, nowNs) + this.tokenInAllNs;
    if (fullNs > nowNs + SECOND_NS || fullInAllNs > nowNs + BURST_IN_ALL_NS) return false;
    row[at] = fullNs;
    this.fullInAllNs = fullInAllNs;
    return true;
  }

  private bucket(source: number, row: number): number {
    return keyedHash(source, this.seed ^ row) & (BUCKETS - 1);
  }
}
