/** Packet numbers, as many as WireGuard's kernel module keeps. 35 ms at 233,000 frames/s: paths of unequal delay fit. */
export const REPLAY_WINDOW = 8_192;
const WORD_BITS = 32;
/** Bits of a packet number on the wire. docs/decisions/0025-sealed-frames.md */
const NUMBER_BITS = 31;
const NUMBER_MASK = 2 ** NUMBER_BITS - 1;

/**
 * Which packet numbers of a sealed direction have come: the anti-replay window of RFC 4303 section 3.4.3. Numbers are whole from 0 to 2^53 and carry
 * their lower 31 bits on the wire. Asking marks nothing, since a forged number must leave no trace.
 */
export class ReplayWindow {
  private readonly bits = new Int32Array(REPLAY_WINDOW / WORD_BITS);
  private top = -1;

  /** The highest number that came; -1 for none. */
  get highest(): number {
    return this.top;
  }

  /** The number nearest to the highest one that has these lower bits; below 0 where none can. RFC 9000 appendix A.3 */
  extend(lowerBits: number): number {
    const ahead = ((lowerBits - (this.top & NUMBER_MASK)) << (WORD_BITS - NUMBER_BITS)) >> (WORD_BITS - NUMBER_BITS);
    return this.top + ahead;
  }

  isTooOld(number: number): boolean {
    return number <= this.top - REPLAY_WINDOW || number < 0;
  }

  /** Of a number that is not too old. */
  hasCome(number: number): boolean {
    if (number > this.top) return false;
    const place = number & (REPLAY_WINDOW - 1);
    return ((this.bits[place >>> 5] >>> (place & 31)) & 1) === 1;
  }

  /** Marks a number whose frame has proved true; moves the window up where it is the highest. */
  mark(number: number): void {
    if (number > this.top) this.slideTo(number);
    const place = number & (REPLAY_WINDOW - 1);
    this.bits[place >>> 5] |= 1 << (place & 31);
  }

  private slideTo(number: number): void {
    if (number - this.top >= REPLAY_WINDOW) this.bits.fill(0);
    else for (let skipped = this.top + 1; skipped < number; skipped++) this.clear(skipped);
    this.clear(number);
    this.top = number;
  }

  private clear(number: number): void {
    const place = number & (REPLAY_WINDOW - 1);
    this.bits[place >>> 5] &= ~(1 << (place & 31));
  }
}
