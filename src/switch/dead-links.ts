import { NEVER } from '../base/time.js';

/** Links without traffic: dead for the failover delay, and not yet live again for as long. Numbered as in the topology, trunks behind them. */
export class DeadLinks {
  /** Left out now; for reading. */
  readonly leftOut = new Set<number>();
  private readonly delayNs: number;
  /** By link whose state differs from what is acted on: when it is acted on. */
  private readonly dueNs = new Map<number, number>();
  /** The earliest of them; NEVER for none. */
  nextNs = NEVER;

  /** `delayNs`: NEVER to act on nothing. */
  constructor(delayNs: number) {
    this.delayNs = delayNs;
  }

  /** `link` is dead, or live, at `nowNs`. */
  note(link: number, isDead: boolean, nowNs: number): void {
    const { dueNs } = this;
    if (isDead !== this.leftOut.has(link)) {
      if (dueNs.has(link)) return;
      dueNs.set(link, nowNs + this.delayNs);
      this.nextNs = Math.min(this.nextNs, nowNs + this.delayNs);
    } else if (dueNs.delete(link)) this.findNext();
  }

  /** Acts on what is due at `nowNs`. */
  advance(nowNs: number): void {
    for (const [link, dueNs] of this.dueNs) {
      if (dueNs > nowNs) continue;
      this.dueNs.delete(link);
      if (!this.leftOut.delete(link)) this.leftOut.add(link);
    }
    this.findNext();
  }

  private findNext(): void {
    this.nextNs = NEVER;
    for (const dueNs of this.dueNs.values()) if (dueNs < this.nextNs) this.nextNs = dueNs;
  }
}
