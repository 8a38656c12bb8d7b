/** Bytes that may go at once after a rest (ours): two reads of a file. */
const BURST_BYTES = 131_072;

/** Spaces the reads of all files, so that together they go no faster than a rate: a bucket of tokens, which a read may overdraw. */
export class RateLimiter {
  private readonly rateBps: number;
  private readyNs = Number.NEGATIVE_INFINITY;

  /** Infinity: no bound. */
  constructor(rateBps: number) {
    this.rateBps = rateBps;
  }

  get isUnlimited(): boolean {
    return this.rateBps === Number.POSITIVE_INFINITY;
  }

  /** Books a read and returns how long it has to wait, ns. */
  take(bytes: number, nowNs: number): number {
    if (this.isUnlimited) return 0;
    const burstNs = (BURST_BYTES * 8e9) / this.rateBps;
    this.readyNs = Math.max(this.readyNs, nowNs - burstNs) + (bytes * 8e9) / this.rateBps;
    return Math.max(0, this.readyNs - nowNs);
  }
}
