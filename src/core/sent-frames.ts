// Tested by test/core/reactive-sender.test.ts

import { assert } from '../base/assert.js';
import { NEVER } from '../base/time.js';
import type { RttEstimator } from './rtt.js';

/** Data frames that one flow remembers at most; beyond, it sends nothing until some are acknowledged (ours: 90 MB of full frames). */
const MAX_FRAMES = 65_536;

/** What became of a data frame, as far as its sender knows. */
export const FrameFate = { outstanding: 0, arrived: 1, lost: 2, replaced: 3 } as const;

/** A reactive flow's data frames by number, which ascends with sending (PROTOCOL §11.2): bytes, time, fate. A ring without garbage. */
export class SentFrames {
  /** The number that the next frame gets. */
  next = 0;
  /** Frames on their way. */
  inFlight = 0;
  /** The first number that is remembered. */
  private head = 0;
  /** No frame with a lower number is outstanding. */
  private oldestOutstanding = 0;
  private capacity = 64;
  private offsets = new Float64Array(this.capacity);
  private lengths = new Uint32Array(this.capacity);
  private timesNs = new Float64Array(this.capacity);
  private settledNs = new Float64Array(this.capacity);
  private fates = new Uint8Array(this.capacity);

  /** The lowest number of an outstanding frame; `next` if there is none. */
  get oldest(): number {
    return this.oldestOutstanding;
  }

  get isFull(): boolean {
    return this.next - this.head >= MAX_FRAMES;
  }

  /** Notes a frame with `length` bytes from `offset` of the stream and returns its number. */
  send(offset: number, length: number, nowNs: number): number {
    assert(!this.isFull, 'a full table of frames takes no more');
    if (this.next - this.head === this.capacity) this.grow();
    const at = this.next & (this.capacity - 1);
    this.offsets[at] = offset;
    this.lengths[at] = length;
    this.timesNs[at] = nowNs;
    this.fates[at] = FrameFate.outstanding;
    this.inFlight++;
    return this.next++;
  }

  /** Whether the frame with this number is remembered. */
  knows(number: number): boolean {
    return number >= this.head && number < this.next;
  }

  fate(number: number): number {
    return this.fates[number & (this.capacity - 1)];
  }

  /** Stream offset of its first byte, and after its last. */
  start(number: number): number {
    return this.offsets[number & (this.capacity - 1)];
  }

  end(number: number): number {
    const at = number & (this.capacity - 1);
    return this.offsets[at] + this.lengths[at];
  }

  /** When it was sent. */
  sentNs(number: number): number {
    return this.timesNs[number & (this.capacity - 1)];
  }

  /** The fate of a remembered frame becomes known at `nowNs`, or turns out to be another. */
  settle(number: number, fate: number, nowNs: number): void {
    const at = number & (this.capacity - 1);
    if (this.fates[at] === FrameFate.outstanding) this.inFlight--;
    this.fates[at] = fate;
    this.settledNs[at] = nowNs;
    while (this.oldestOutstanding < this.next && this.fate(this.oldestOutstanding) !== FrameFate.outstanding)
      this.oldestOutstanding++;
  }

  /** The lowest number of an outstanding frame that is not below `number`; `next` if there is none. */
  outstandingFrom(number: number): number {
    let candidate = Math.max(number, this.oldestOutstanding);
    while (candidate < this.next && this.fate(candidate) !== FrameFate.outstanding) candidate++;
    return candidate;
  }

  /** The highest number of an outstanding frame, of which there is one. */
  get newest(): number {
    let candidate = this.next - 1;
    while (this.fate(candidate) !== FrameFate.outstanding) candidate--;
    return candidate;
  }

  /** Forgets what has arrived, and what was found lost by `beforeNs`: until then its acknowledgement may still come and show that it was not. */
  forget(beforeNs: number): void {
    while (this.head < this.oldestOutstanding) {
      const isSure = this.fate(this.head) === FrameFate.arrived;
      if (!isSure && this.settledNs[this.head & (this.capacity - 1)] > beforeNs) return;
      this.head++;
    }
  }

  private grow(): void {
    const { capacity, offsets, lengths, timesNs, settledNs, fates } = this;
    this.capacity = capacity * 2;
    this.offsets = new Float64Array(this.capacity);
    this.lengths = new Uint32Array(this.capacity);
    this.timesNs = new Float64Array(this.capacity);
    this.settledNs = new Float64Array(this.capacity);
    this.fates = new Uint8Array(this.capacity);
    for (let number = this.head; number < this.next; number++) {
      const from = number & (capacity - 1);
      const to = number & (this.capacity - 1);
      this.offsets[to] = offsets[from];
      this.lengths[to] = lengths[from];
      this.timesNs[to] = timesNs[from];
      this.settledNs[to] = settledNs[from];
      this.fates[to] = fates[from];
    }
  }
}

/** Frames that arrive after a missing one before it is lost, as long as no reordering has been seen. RFC 8985 section 6.2 step 4, DupThresh of RFC 5681 */
const REORDER_FRAMES = 3;
/** Recoveries after which a widened reordering window is narrow again. RFC 8985 section 6.2 step 4 */
const PERSISTS_RECOVERIES = 16;

/** Finds lost frames by sending times: RACK (RFC 8985 section 6) on frame numbers, which makes acknowledgements unambiguous. PROTOCOL §11.4 */
export class Rack {
  /** When the next frame is overdue if nothing else happens; NEVER for none. */
  deadlineNs = NEVER;
  private readonly frames: SentFrames;
  private readonly rtt: RttEstimator;
  /** The latest sent of those that arrived, and its RTT. */
  private latest = -1;
  private latestRttNs = 0;
  private sawReordering = false;
  /** Quarters of the least RTT in the reordering window. */
  private quarters = 1;
  private recoveries = 0;

  constructor(frames: SentFrames, rtt: RttEstimator) {
    this.frames = frames;
    this.rtt = rtt;
  }

  /** The acknowledgement of frame `number` has come, for the first time; its `fate` was this before. */
  arrived(number: number, fate: number, rttNs: number): void {
    if (number > this.latest) {
      this.latest = number;
      this.latestRttNs = rttNs;
    } else if (fate !== FrameFate.replaced) this.sawReordering = true;
    if (fate === FrameFate.lost) this.widen();
  }

  /** Calls `lose` for each frame that is lost by now, the oldest first, until it returns false: no room to remember more; the rest is looked at later. */
  detect(nowNs: number, lose: (number: number) => boolean): void {
    const { frames } = this;
    const waitNs = this.latestRttNs + this.windowNs;
    this.deadlineNs = NEVER;
    for (let number = frames.oldest; number < this.latest; number = frames.outstandingFrom(number + 1)) {
      const overdueNs = frames.sentNs(number) + waitNs;
      const isPassed = !this.sawReordering && this.latest - number >= REORDER_FRAMES;
      if (!isPassed && overdueNs > nowNs) {
        this.deadlineNs = overdueNs;
        return;
      }
      if (!lose(number)) {
        this.deadlineNs = nowNs + Math.max(1, this.rtt.smoothedNs);
        return;
      }
    }
  }

  /** A recovery has begun. */
  countRecovery(): void {
    if (++this.recoveries < PERSISTS_RECOVERIES) return;
    this.recoveries = 0;
    this.quarters = 1;
  }

  /** The reordering window, ns. */
  private get windowNs(): number {
    return Math.min((this.quarters * this.rtt.minNs) / 4, this.rtt.smoothedNs);
  }

  /** A frame that was taken as lost has arrived. */
  private widen(): void {
    this.quarters++;
    this.recoveries = 0;
  }
}
