import { MICROSECOND_NS } from '../base/time.js';
import type { Frame } from '../wire/frame.js';

/**
 * Two datagrams of a batch are taken to have arrived at most this far apart. Where they come more rarely the process was asleep until the first of them, not
 * late (ours: two full frames at 100 Mbit/s).
 */
const MAX_SPACING_NS = 250 * MICROSECOND_NS;

/**
 * The datagrams that the loop finds in the socket when it comes round. dgram does not say when they arrived; what is known is that they came one after the other
 * since the loop looked last. They are taken to have come evenly spaced, the last of them now: a switch that was kept from its core for some
 * milliseconds then meters and queues frames as they came, not as one burst.
 */
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

  /** Hands on the batch in order, each with the time of its arrival. The frames of a bundle are taken to have come evenly since the datagram before it: whoever sent them together had them ready one by one. */
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
