/**
 * A host's own clock: it runs faster than the world's by `driftPpm` and never jumps. While it has never drifted both show the same, without a
 * computation that could round.
 */
export class HostClock {
  /** The world's time and the clock's own when it last changed its speed. */
  private worldNs = 0;
  private ownNs = 0;
  private speed: number;
  /** It shows the world's time. */
  isExact: boolean;

  constructor(driftPpm = 0) {
    this.speed = 1 + driftPpm / 1e6;
    this.isExact = this.speed === 1;
  }

  /** Runs at another speed from `nowNs` of the world on. */
  setDrift(driftPpm: number, nowNs: number): void {
    this.ownNs = this.toOwn(nowNs);
    this.worldNs = nowNs;
    this.speed = 1 + driftPpm / 1e6;
    this.isExact = this.speed === 1 && this.ownNs === this.worldNs;
  }

  toOwn(worldNs: number): number {
    return this.isExact ? worldNs : this.ownNs + (worldNs - this.worldNs) * this.speed;
  }

  /** NEVER stays NEVER. */
  toWorld(ownNs: number): number {
    return this.isExact ? ownNs : this.worldNs + (ownNs - this.ownNs) / this.speed;
  }
}
