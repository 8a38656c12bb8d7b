const SLOTS = 256;

/**
 * Bounds how often strangers are answered, in fixed memory: peers share 256 slots by their number, and a slot gives one answer an interval. So no peer gets
 * more than one an interval, and all together no more than 256.
 */
export class AnswerLimiter {
  private readonly intervalNs: number;
  private readonly nextNs = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

  constructor(intervalNs: number) {
    this.intervalNs = intervalNs;
  }

  /** Whether `peer` may be answered at `nowNs`; if so, that counts as its answer. */
  allow(peer: number, nowNs: number): boolean {
    const slot = peer & (SLOTS - 1);
    if (nowNs < this.nextNs[slot]) return false;
    this.nextNs[slot] = nowNs + this.intervalNs;
    return true;
  }
}
