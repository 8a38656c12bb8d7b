import * as time from '../base/time.js';
import type { Frame } from '../wire/frame.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;

/** Frames that one driver holds at most (ours): 10 ms of 1472-byte frames at 40 Gbit/s. */
const DEFAULT_CAPACITY = 32_768;

/**
 * Frames that a machine has finished but whose time has not come, by `atNs`; frames of one time leave in the order in which they came, so no port's
 * frames change places. A binary heap: frames of several ports with different delays arrive out of order.
 */
export class HoldQueue {
  /** Frames turned away because the queue was full. */
  overflows = 0;
  private readonly frames: Frame[] = [];
  private readonly orders: number[] = [];
  private readonly capacity: number;
  private nextOrder = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.frames.length;
  }

  /** `atNs` of the earliest frame, NEVER when there is none. */
  peekAtNs(): number {
    return this.frames.length === 0 ? NEVER : this.frames[0].atNs;
  }

  /** The earliest frame without taking it; the queue must not be empty. */
  peek(): Frame {
    return this.frames[0];
  }

  /** False, and counted, when the queue is full: the frame stays the caller's. */
  push(frame: Frame): boolean {
    if (this.frames.length >= this.capacity) {
      this.overflows++;
      return false;
    }
    const order = this.nextOrder++;
    let hole = this.frames.length;
    this.frames.push(frame);
    this.orders.push(order);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (this.frames[parent].atNs <= frame.atNs) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.frames[hole] = frame;
    this.orders[hole] = order;
    return true;
  }

  /** Takes the earliest frame; the queue must not be empty. */
  shift(): Frame {
    const earliest = this.frames[0];
    const frame = this.frames.pop() as Frame;
    const order = this.orders.pop() as number;
    if (this.frames.length > 0) this.sink(frame, order);
    return earliest;
  }

  /** Puts a frame in the place at the top and down to where it belongs. */
  private sink(frame: Frame, order: number): void {
    const length = this.frames.length;
    let hole = 0;
    for (let child = 1; child < length; child = 2 * hole + 1) {
      if (child + 1 < length && this.isBefore(child + 1, this.frames[child], this.orders[child])) child++;
      if (!this.isBefore(child, frame, order)) break;
      this.move(child, hole);
      hole = child;
    }
    this.frames[hole] = frame;
    this.orders[hole] = order;
  }

  private isBefore(at: number, frame: Frame, order: number): boolean {
    const earlier = this.frames[at].atNs - frame.atNs;
    return earlier < 0 || (earlier === 0 && this.orders[at] < order);
  }

  private move(from: number, to: number): void {
    this.frames[to] = this.frames[from];
    this.orders[to] = this.orders[from];
  }
}
