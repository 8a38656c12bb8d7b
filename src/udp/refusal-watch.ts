import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER, SECOND_NS } = time;

/** A peer that refuses for this long and does nothing else is given up (ours): a process that is started again is back sooner, as a rule. */
const GIVE_UP_NS = 1 * SECOND_NS;
/** Refusals that it takes at the least (ours): a single one may be from a moment before the peer was there. */
const LEAST_REFUSALS = 2;

/** Watches a connected socket for a peer at whose port nobody listens, which the kernel knows from ICMP: ECONNREFUSED. */
export class RefusalWatch {
  private refusals = 0;
  private sinceNs = 0;
  private isKnown = false;

  /** Nothing but refusals has come since the latest datagram, if any. */
  get isRefused(): boolean {
    return this.refusals > 0;
  }

  /** The peer has said something once. */
  get wasHeard(): boolean {
    return this.isKnown;
  }

  /** A datagram has come. */
  heard(): void {
    this.refusals = 0;
    this.isKnown = true;
  }

  /** A frame was refused. */
  refused(nowNs: number): void {
    if (this.refusals++ === 0) this.sinceNs = nowNs;
  }

  /** When the peer is given up unless something comes; NEVER while there is no reason to. */
  nextTimeout(): number {
    return this.refusals >= LEAST_REFUSALS ? this.sinceNs + GIVE_UP_NS : NEVER;
  }

  /** True once that time has come; then the watch begins anew. */
  isOver(nowNs: number): boolean {
    if (nowNs < this.nextTimeout()) return false;
    this.refusals = 1;
    this.sinceNs = nowNs;
    return true;
  }
}
