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
  private seenNs = 0;

  get length(): number {
    return this.frames.length;
  }

  /** True for the first of a batch. */
  push(frame: Frame): boolean {
    return this.frames.push(frame) === 1;
  }

  /** The loop goes back to its sockets at `nowNs`. */
  seen(nowNs: number): void {
    this.seenNs = nowNs;
  }

  /** Hands on the batch in order, each with the time of its arrival. */
  deliver(nowNs: number, take: (frame: Frame, atNs: number) => void): void {
    const { frames } = this;
    const count = frames.length;
    const spacingNs = Math.min((nowNs - this.seenNs) / count, MAX_SPACING_NS);
    for (let index = 0; index < count; index++) take(frames[index], nowNs - (count - 1 - index) * spacingNs);
    frames.length = 0;
  }
}
