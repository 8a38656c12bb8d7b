import { randomFillSync } from 'node:crypto';
import { type Random, SeededRandom } from '../base/random.js';

/** Numbers that are drawn from the system at once: 4 KiB, one system call. */
const BLOCK_NUMBERS = 1_024;
/** Of an integer that a number holds, the bits above the lower 32. */
const UPPER_NUMBERS = 2 ** 21;

/** Randomness of real sockets: `uint32` is unpredictable (PROTOCOL §7); `next`, for jitter and sizes, is a seeded generator, thrice as fast. */
export class SystemRandom implements Random {
  private readonly block = new Uint32Array(BLOCK_NUMBERS);
  private at = BLOCK_NUMBERS;
  private readonly uniform = new SeededRandom((this.uint32() % UPPER_NUMBERS) * 2 ** 32 + this.uint32());

  next(): number {
    return this.uniform.next();
  }

  uint32(): number {
    if (this.at === BLOCK_NUMBERS) this.refill();
    return this.block[this.at++];
  }

  private refill(): void {
    randomFillSync(this.block);
    this.at = 0;
  }
}
