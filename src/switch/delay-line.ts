import { Ring } from '../base/ring.js';
import { NEVER } from '../base/time.js';
import type { Frame } from '../wire/frame.js';

/** Frames on their way along one direction: 10 Gbit/s of full frames for 20 ms (ours). */
export const MAX_LINE_FRAMES = 16_384;
/** Frames that reordering holds back at a time (ours: each is placed by a search through the others). */
export const MAX_HELD_FRAMES = 256;

/** Frames between one end of a link and the other, by `atNs`. They keep their order, but for those that reordering holds back. */
export class DelayLine {
  private readonly inOrder = new Ring<Frame>(MAX_LINE_FRAMES);
  /** Latest first, so that the next one is at the end. */
  private readonly held: Frame[] = [];
  private lastNs = 0;

  get length(): number {
    return this.inOrder.length + this.held.length;
  }

  /** Whether no frame is on its way but those held back, which others may overtake. */
  get isClear(): boolean {
    return this.inOrder.length === 0;
  }

  /** Makes the frame arrive no earlier than the one before it: a link whose delay shrinks or jitters does not reorder. */
  keepOrder(frame: Frame): void {
    if (frame.atNs < this.lastNs) frame.atNs = this.lastNs;
    else this.lastNs = frame.atNs;
  }

  /** Takes a frame that has been through `keepOrder`; false when there are too many. */
  push(frame: Frame): boolean {
    return this.inOrder.push(frame);
  }

  /** Takes a frame that the frames behind it may overtake; false when there are too many. */
  hold(frame: Frame): boolean {
    if (this.held.length >= MAX_HELD_FRAMES) return false;
    let place = this.held.length;
    while (place > 0 && this.held[place - 1].atNs <= frame.atNs) place--;
    this.held.splice(place, 0, frame);
    return true;
  }

  /** When the next frame arrives; NEVER when there is none. */
  nextNs(): number {
    const first = this.inOrder.peek();
    const firstNs = first === undefined ? NEVER : first.atNs;
    return this.held.length === 0 ? firstNs : Math.min(firstNs, this.held[this.held.length - 1].atNs);
  }

  /** The frame that arrives next; null when there is none. */
  shift(): Frame | null {
    const first = this.inOrder.peek();
    const last = this.held.length - 1;
    if (last >= 0 && (first === undefined || this.held[last].atNs < first.atNs)) return this.held.pop() ?? null;
    return this.inOrder.shift() ?? null;
  }
}
