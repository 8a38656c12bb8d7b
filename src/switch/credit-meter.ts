/**
 * A token bucket, kept as one time instead of a level: `emptyNs` is when the bucket would have been empty, had it filled without a
 * break since. The level at t is then `(t - emptyNs) * rate`, at most the depth. Spending moves `emptyNs` on by the time that the bytes take
 * to fill, so the long-run share is exact and no level is rounded on every frame (the virtual-scheduling form of the generic cell rate
 * algorithm, ITU-T I.371). PROTOCOL §9.1
 */
export class CreditMeter {
  private bytesPerNs: number;
  private depthBytes: number;
  private emptyNs: number;

  /** `rateBps` is the credits' own rate, Infinity for no metering; a bucket starts full. */
  constructor(rateBps: number, depthBytes: number) {
    this.bytesPerNs = rateBps / 8e9;
    this.depthBytes = depthBytes;
    this.emptyNs = -depthBytes / this.bytesPerNs;
  }

  /** From when on the bucket holds `bytes`, which are at most its depth. */
  eligibleNs(bytes: number): number {
    return this.emptyNs + bytes / this.bytesPerNs;
  }

  /** Takes `bytes` out at `nowNs`, which is not before `eligibleNs(bytes)`. */
  spend(bytes: number, nowNs: number): void {
    const fullNs = nowNs - this.depthBytes / this.bytesPerNs;
    this.emptyNs = Math.max(this.emptyNs, fullNs) + bytes / this.bytesPerNs;
  }

  /** Bytes in the bucket. */
  levelBytes(nowNs: number): number {
    if (this.bytesPerNs === Number.POSITIVE_INFINITY) return this.depthBytes;
    return Math.min(this.depthBytes, (nowNs - this.emptyNs) * this.bytesPerNs);
  }

  /** Another rate or depth from `nowNs` on; what the bucket holds stays in it. */
  configure(rateBps: number, depthBytes: number, nowNs: number): void {
    const levelBytes = this.levelBytes(nowNs);
    this.bytesPerNs = rateBps / 8e9;
    this.depthBytes = depthBytes;
    this.emptyNs = nowNs - levelBytes / this.bytesPerNs;
  }
}
