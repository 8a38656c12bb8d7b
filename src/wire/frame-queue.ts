import type { Frame } from './frame.js';

/**
 * A first-in first-out queue of frames linked by `Frame.next`: without an array, a queue that is mostly empty takes one cache line. A frame is in one such
 * queue at a time. The caller bounds it.
 */
export class FrameQueue {
  private first: Frame | null = null;
  private last: Frame | null = null;
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(frame: Frame): void {
    if (this.last === null) this.first = frame;
    else this.last.next = frame;
    this.last = frame;
    this.count++;
  }

  /** The oldest frame, left in its place; null when there is none. */
  peek(): Frame | null {
    return this.first;
  }

  /** Takes the oldest frame; null when there is none. */
  shift(): Frame | null {
    const frame = this.first;
    if (frame === null) return null;
    const { next } = frame;
    this.first = next;
    if (next === null) this.last = null;
    else frame.next = null;
    this.count--;
    return frame;
  }
}
