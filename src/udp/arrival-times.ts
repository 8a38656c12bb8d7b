import { MICROSECOND_NS } from '../base/time.js';
import type { Frame } from '../wire/frame.js';

/** Most time between two datagrams of a batch: two full frames at 100 Mbit/s. Rarer ones found the process asleep, not late. */
const MAX_SPACING_NS = 250 * MICROSECOND_NS;

/** Estimated arrival times of datagrams read together: even since the last look, the last of them now. So a late switch meters no burst. */
export class ArrivalBatch {
  private readonly frames: Frame[] = [];
  /** Frames of each datagram: several where it is a bundle. */
  private readonly sizes: number[] = [];
  private seenNs = 0;

  get length(): number {
    return this.frames.length;
  }

  /** True for the first of a batch. `joins`: it came in the same datagram as the one before it. */
  push(frame: Frame, joins = false): boolean {
    if (joins) this.sizes[this.sizes.length - 1]++;
    else this.sizes.push(1);
    return this.frames.push(frame) === 1;
  }

  /** The loop goes back to its sockets at `nowNs`. */
  seen(nowNs: number): void {
    this.seenNs = nowNs;
  }

  /** Hands on the batch in order, each frame with its arrival time; the frames of a bundle share the gap before it. */
  deliver(nowNs: number, take: (frame: Frame, atNs: number) => void): void {
    const { frames, sizes } = this;
    const spacingNs = Math.min((nowNs - this.seenNs) / sizes.length, MAX_SPACING_NS);
    let next = 0;
    for (let datagram = 0; datagram < sizes.length; datagram++) {
      const atNs = nowNs - (sizes.length - 1 - datagram) * spacingNs;
      const stepNs = spacingNs / sizes[datagram];
      for (let behind = sizes[datagram] - 1; behind >= 0; behind--) take(frames[next++], atNs - behind * stepNs);
    }
    frames.length = 0;
    sizes.length = 0;
  }
}

/** Idle time is not asked for after less: it costs 0.1 us (measured), and busy loops look more often. */
const SHORT_NS = 50 * MICROSECOND_NS;

/** Estimated wait in the socket where the kernel gives none (`node:dgram`): half of the busy time since the last look. */
export class ArrivalEstimate {
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
