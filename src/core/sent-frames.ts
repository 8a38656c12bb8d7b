import { assert } from '../base/assert.js';

/** Data frames that one flow remembers at most; beyond, it sends nothing until some are acknowledged (ours: 90 MB of full frames). */
const MAX_FRAMES = 65_536;

/** What became of a data frame, as far as its sender knows. */
const Fate = { outstanding: 0, arrived: 1, lost: 2, replaced: 3 } as const;
export const FrameFate = Fate;

/**
 * The data frames that the sender of a reactive flow has sent, by their numbers (PROTOCOL §11.2): which bytes each held, when it went and what became of it. Numbers
 * ascend with the times of sending. A ring of typed arrays that grows up to a bound; nothing is allocated per frame.
 */
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
    this.fates[at] = Fate.outstanding;
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
    if (this.fates[at] === Fate.outstanding) this.inFlight--;
    this.fates[at] = fate;
    this.settledNs[at] = nowNs;
    while (this.oldestOutstanding < this.next && this.fate(this.oldestOutstanding) !== Fate.outstanding)
      this.oldestOutstanding++;
  }

  /** The lowest number of an outstanding frame that is not below `number`; `next` if there is none. */
  outstandingFrom(number: number): number {
    let candidate = Math.max(number, this.oldestOutstanding);
    while (candidate < this.next && this.fate(candidate) !== Fate.outstanding) candidate++;
    return candidate;
  }

  /** The highest number of an outstanding frame, of which there is one. */
  get newest(): number {
    let candidate = this.next - 1;
    while (this.fate(candidate) !== Fate.outstanding) candidate--;
    return candidate;
  }

  /** Forgets what has arrived, and what was found lost by `beforeNs`: until then its acknowledgement may still come and show that it was not. */
  forget(beforeNs: number): void {
    while (this.head < this.oldestOutstanding) {
      const isSure = this.fate(this.head) === Fate.arrived;
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
