import { randomFillSync } from 'node:crypto';
import type { Random } from '../base/random.js';

/** Numbers that are drawn from the system at once: 4 KiB, one system call. */
const BLOCK_NUMBERS = 1_024;

/** Chance that an outsider cannot predict, for flow ids, credit sequences and tokens. PROTOCOL §7 */
export class SystemRandom implements Random {
  private readonly block = new Uint32Array(BLOCK_NUMBERS);
  private at = BLOCK_NUMBERS;

  next(): number {
    return this.uint32() / 2 ** 32;
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
