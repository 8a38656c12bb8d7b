import { serialDistance20 } from '../wire/serial.js';
import { ownRecord, SenderPlace, type SenderRecord } from './flow-record.js';

const WINDOW = 1_024;
/** Places at first, in the flow's record: most flows of thousands never have more credits. Ours; an array of 8 bytes takes 190 of V8's heap. */
const FIRST_WINDOW = 64;
const WORD_BITS = 32;
const NO_BITS = new Int32Array(0);
/** Twice as many as a flow may have outstanding, so no credit is further ahead of the one before it while the path works. PROTOCOL §1.3 */
const MAX_AHEAD = 65_536;

/**
 * Which of the last 1,024 sequence numbers have been seen: the anti-replay window of RFC 4303 section 3.4.3, for credits that the network
 * duplicates (PROTOCOL §4.3). Constant time, 8 bytes of the flow's record and 128 more at most.
 *
 * A sequence number far from the others is believed only when the next one follows it, as RFC 3550 appendix A.1 does: the check of a credit has 16 bits,
 * so now and then a corrupted one passes, and a window that followed it would refuse all true ones from then on.
 */
export class SeenWindow {
  private readonly numbers: Float64Array;
  private readonly at: number;
  /** Made when the first window is too small. */
  private bits = NO_BITS;
  /** Numbers that there are places for: a power of two. */
  private places = FIRST_WINDOW;
  /** From `highest` down to the lowest number that was seen; what lies further back was not, and has no place before it must. */
  private span = 0;
  /** Signed, since V8 keeps 32-bit numbers in place only so. */
  private highest = 0;
  private empty = true;
  /** The last one that was too far away. */
  private stray = 0;
  private hasStray = false;

  constructor({ numbers, at }: SenderRecord = ownRecord()) {
    this.numbers = numbers;
    this.at = at + SenderPlace.seen;
  }

  /** True the first time that `sequence` (20-bit) is shown; false for a repetition and for anything too far away. */
  accept(sequence: number): boolean {
    const ahead = serialDistance20(sequence, this.highest);
    if (this.empty || ahead > MAX_AHEAD || ahead <= -WINDOW) return this.restartAt(sequence);
    if (ahead > 0) {
      this.slideTo(sequence, ahead);
      return true;
    }
    if (-ahead > this.span) this.widenTo(-ahead);
    else if (this.has(sequence)) return false;
    this.set(sequence);
    return true;
  }

  private restartAt(sequence: number): boolean {
    const step = serialDistance20(sequence, this.stray);
    const isBelieved = this.empty || (this.hasStray && step > 0 && step < WINDOW);
    this.stray = sequence | 0;
    this.hasStray = !isBelieved;
    if (isBelieved) this.slideTo(sequence, WINDOW);
    this.empty = false;
    return isBelieved;
  }

  private slideTo(sequence: number, ahead: number): void {
    if (ahead >= WINDOW) {
      for (let word = 0; word < this.places / WORD_BITS; word++) this.setWord(word, 0);
      this.span = 0;
    } else {
      this.widenTo(Math.min(this.span + ahead, WINDOW - 1));
      for (let step = 1; step < ahead; step++) this.clear(this.highest + step);
    }
    this.highest = sequence | 0;
    this.set(sequence);
  }

  /** Makes places for all numbers from the highest to `span` before it. */
  private widenTo(span: number): void {
    while (this.places <= span) this.grow();
    this.span = span;
  }

  private grow(): void {
    const seen: number[] = [];
    for (let back = 0; back <= this.span; back++) if (this.has(this.highest - back)) seen.push(this.highest - back);
    this.places *= 2;
    this.bits = new Int32Array(this.places / WORD_BITS);
    for (const sequence of seen) this.set(sequence);
  }

  private has(sequence: number): boolean {
    const index = sequence & (this.places - 1);
    return ((this.word(index >>> 5) >>> (index & 31)) & 1) === 1;
  }

  private set(sequence: number): void {
    const index = sequence & (this.places - 1);
    this.setWord(index >>> 5, this.word(index >>> 5) | (1 << (index & 31)));
  }

  private clear(sequence: number): void {
    const index = sequence & (this.places - 1);
    this.setWord(index >>> 5, this.word(index >>> 5) & ~(1 << (index & 31)));
  }

  private word(index: number): number {
    return this.places === FIRST_WINDOW ? this.numbers[this.at + index] | 0 : this.bits[index];
  }

  private setWord(index: number, bits: number): void {
    if (this.places === FIRST_WINDOW) this.numbers[this.at + index] = bits;
    else this.bits[index] = bits;
  }
}
