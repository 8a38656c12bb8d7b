import { MICROSECOND_NS } from '../base/time.js';

/** After so short a time nothing is asked: to ask costs 0.1 us a time (measured), and busy loops look more often than this (ours). */
const SHORT_NS = 50 * MICROSECOND_NS;

/**
 * How long a datagram has waited in its socket, where the kernel does not say (`node:dgram`): what the process knows of its own lateness. A datagram came at some time
 * since the loop last looked, any moment as likely as another, so half of that is what it has waited on average. What the loop was idle does not count: it
 * looked then. What a core that others use or a busy kernel adds is not seen here.
 */
export class LookTimes {
  /** How long the loop has been idle in all, ns. */
  private readonly idleNs: () => number;
  private lastIdleNs = 0;
  private lookNs = 0;

  constructor(idleNs: () => number) {
    this.idleNs = idleNs;
  }

  /** The sockets were looked at by `nowNs`. */
  looked(nowNs: number): void {
    if (nowNs > this.lookNs) this.lookNs = nowNs;
  }

  /** The first datagram of those that are read together is there. */
  begin(nowNs: number): void {
    if (nowNs - this.lookNs < SHORT_NS) return;
    const idleNs = this.idleNs();
    this.lookNs = Math.min(nowNs, this.lookNs + idleNs - this.lastIdleNs);
    this.lastIdleNs = idleNs;
  }

  /** How long a datagram that is handled at `nowNs` has waited, ns. */
  waitedNs(nowNs: number): number {
    return Math.max(0, nowNs - this.lookNs) / 2;
  }
}
