import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER, SECOND_NS } = time;

/** Time from the first refusal until the peer is given up (ours): a process that is started again is back sooner, as a rule. */
const GIVE_UP_NS = 1 * SECOND_NS;
/** Refusals needed (ours): the first ones may be from a moment before the peer was there. */
const LEAST_REFUSALS = 3;
/** Refusals further apart than this are of two occasions (ours): the longest backoff of a sender is as long. */
const MAX_GAP_NS = 1 * SECOND_NS;

/** Watches a connected socket for a peer at whose port nobody listens, which the kernel knows from ICMP. PROTOCOL §5.7 */
export class RefusalWatch {
  private refusals = 0;
  private sinceNs = 0;
  private latestNs = 0;
  /** Datagrams that had been sent when the latest refusal was counted. */
  private sentBefore = 0;
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

  /**
   * The kernel reports a refusal after `datagramsSent` datagrams in all. Returns whether it counts: with none sent since the latest one, it
   * answers none of ours,
   * or one that has been counted.
   */
  refused(nowNs: number, datagramsSent: number): boolean {
    if (datagramsSent === this.sentBefore) return false;
    this.sentBefore = datagramsSent;
    if (nowNs - this.latestNs > MAX_GAP_NS) this.refusals = 0;
    this.latestNs = nowNs;
    if (this.refusals++ === 0) this.sinceNs = nowNs;
    return true;
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
    this.latestNs = nowNs;
    return true;
  }
}
