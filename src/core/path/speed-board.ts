/**
 * How fast data arrives by each path of a flow (SprayPass §III-C): what came by each since the board was renewed, which is after every N_b bits of all paths
 * together and not after a time, so that a flow that has only begun is not judged by its first frames. All paths are counted over the same time, so the
 * ratio of their bits is the ratio of their speeds.
 */
export class SpeedBoard {
  private readonly periodBits: number;
  /** Bits of the period under way, by path id; that of id 0 is not used. */
  private readonly bits: Float64Array;
  private totalBits = 0;
  /** When the period under way began, ns. */
  startNs: number;

  /** `periodBits`: N_b. */
  constructor(paths: number, periodBits: number, nowNs: number) {
    this.bits = new Float64Array(paths + 1);
    this.periodBits = periodBits;
    this.startNs = nowNs;
  }

  /** Data of `bits` came by `path`. True when that completes a period: look at `share`, then `renew`. */
  add(path: number, bits: number): boolean {
    this.bits[path] += bits;
    this.totalBits += bits;
    return this.totalBits >= this.periodBits;
  }

  /** The speed of `path` as a part of the fastest path's, 0 to 1. */
  share(path: number): number {
    const fastest = this.fastestBits;
    return fastest > 0 ? this.bits[path] / fastest : 1;
  }

  renew(nowNs: number): void {
    this.bits.fill(0);
    this.totalBits = 0;
    this.startNs = nowNs;
  }

  private get fastestBits(): number {
    let fastest = 0;
    for (let path = 1; path < this.bits.length; path++) if (this.bits[path] > fastest) fastest = this.bits[path];
    return fastest;
  }
}
