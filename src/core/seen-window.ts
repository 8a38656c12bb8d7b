import { serialDistance } from '../wire/serial.js';

const WINDOW = 1_024;

/**
 * Which of the last 1,024 sequence numbers have been seen: the anti-replay window of RFC 4303 section 3.4.3, for credits that the network
 * duplicates (PROTOCOL §4.3). Constant time, 128 bytes.
 */
export class SeenWindow {
  private readonly bits = new Uint32Array(WINDOW / 32);
  private highest = 0;
  private empty = true;

  /** True the first time that `sequence` (32-bit) is shown; false for a repetition and for anything older than the window. */
  accept(sequence: number): boolean {
    if (this.empty) {
      this.empty = false;
      this.highest = sequence;
      this.set(sequence);
      return true;
    }
    const ahead = serialDistance(sequence, this.highest);
    if (ahead > 0) {
      this.slideTo(sequence, ahead);
      return true;
    }
    if (ahead <= -WINDOW || this.has(sequence)) return false;
    this.set(sequence);
    return true;
  }

  private slideTo(sequence: number, ahead: number): void {
    if (ahead >= WINDOW) this.bits.fill(0);
    else for (let step = 1; step < ahead; step++) this.clear(this.highest + step);
    this.highest = sequence;
    this.set(sequence);
  }

  private has(sequence: number): boolean {
    const index = sequence & (WINDOW - 1);
    return ((this.bits[index >>> 5] >>> (index & 31)) & 1) === 1;
  }

  private set(sequence: number): void {
    const index = sequence & (WINDOW - 1);
    this.bits[index >>> 5] |= 1 << (index & 31);
  }

  private clear(sequence: number): void {
    const index = sequence & (WINDOW - 1);
    this.bits[index >>> 5] &= ~(1 << (index & 31));
  }
}
