import type { NumberRecord } from '../base/record-arena.js';
import * as time from '../base/time.js';
import type { Frame } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import * as portRecord from './port-record.js';
import { newPortRecord } from './port-record.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { PortField } = portRecord;

/** Frames on their way along one direction: 10 Gbit/s of full frames for 20 ms (ours). */
const MOST_FRAMES = 16_384;
export const MAX_LINE_FRAMES = MOST_FRAMES;
/** Frames that reordering holds back at a time (ours: each is placed by a search through the others). */
export const MAX_HELD_FRAMES = 256;

const { nextArrivalNs: NEXT, lastArrivalNs: LAST } = PortField;

/**
 * Frames between one end of a link and the other, by `atNs`. They keep their order, the queue that this is, but for those that reordering holds back. The
 * record of the direction has when the next of them is to be taken off, so that nobody has to look at the frame to know.
 */
export class DelayLine extends FrameQueue {
  /** Latest first, so that the next one is at the end; null until there was one. */
  private held: Frame[] | null = null;
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly earlyNs: number;

  /** Frames may be taken off `earlyNs` before they arrive. */
  constructor({ numbers, at }: NumberRecord = newPortRecord(), earlyNs = 0) {
    super();
    this.numbers = numbers;
    this.at = at;
    this.earlyNs = earlyNs;
    numbers[at + NEXT] = NEVER;
  }

  override get length(): number {
    return super.length + (this.held === null ? 0 : this.held.length);
  }

  /** Whether no frame is on its way but those held back, which others may overtake. */
  get isClear(): boolean {
    return super.length === 0;
  }

  /** Makes the frame arrive no earlier than the one before it: a link whose delay shrinks or jitters does not reorder. */
  keepOrder(frame: Frame): void {
    const { numbers, at } = this;
    if (frame.atNs < numbers[at + LAST]) frame.atNs = numbers[at + LAST];
    else numbers[at + LAST] = frame.atNs;
  }

  /** Takes a frame that has been through `keepOrder`; false when there are too many. */
  override push(frame: Frame): boolean {
    const inOrder = super.length;
    if (inOrder >= MOST_FRAMES) return false;
    super.push(frame);
    if (inOrder === 0) this.noteNext();
    return true;
  }

  /** Takes a frame that the frames behind it may overtake; false when there are too many. */
  hold(frame: Frame): boolean {
    this.held ??= [];
    const { held } = this;
    if (held.length >= MAX_HELD_FRAMES) return false;
    let place = held.length;
    while (place > 0 && held[place - 1].atNs <= frame.atNs) place--;
    held.splice(place, 0, frame);
    this.noteNext();
    return true;
  }

  /** When the next frame is to be taken off; NEVER when there is none. */
  nextNs(): number {
    return this.numbers[this.at + NEXT];
  }

  /** Takes off the frame that arrives next; null when there is none. */
  override shift(): Frame | null {
    const frame = this.isHeldNext() ? this.shiftHeld() : super.shift();
    this.noteNext();
    return frame;
  }

  private isHeldNext(): boolean {
    const { held } = this;
    if (held === null || held.length === 0) return false;
    const first = this.peek();
    return first === null || held[held.length - 1].atNs < first.atNs;
  }

  private shiftHeld(): Frame | null {
    return this.held?.pop() ?? null;
  }

  private noteNext(): void {
    const next = this.isHeldNext() ? (this.held as Frame[])[(this.held as Frame[]).length - 1] : this.peek();
    this.numbers[this.at + NEXT] = next === null ? NEVER : next.atNs - this.earlyNs;
  }
}
