import type { Random } from '../base/random.js';

/**
 * Marks credits by their drops (SprayPass §III-B1): of N_cdt that came, P_d = dropped / N_cdt; those that leave until the next N_cdt are marked CE with
 * probability P_d. Small integer fields, which V8 does not box; chance is drawn only while P_d is above 0.
 */
export class CreditMarking {
  private readonly random: Random;
  private everyFrames: number;
  private injected = 0;
  private dropped = 0;
  /** Of the last N_cdt that came; P_d is this over N_cdt. */
  private droppedBefore = 0;

  /** `everyFrames`: N_cdt; 0 marks nothing. */
  constructor(everyFrames: number, random: Random) {
    this.everyFrames = everyFrames;
    this.random = random;
  }

  /** P_d in force. */
  get probability(): number {
    return this.droppedBefore === 0 ? 0 : this.droppedBefore / this.everyFrames;
  }

  /** Another N_cdt from now on; credits are counted anew. */
  configure(everyFrames: number): void {
    if (everyFrames === this.everyFrames) return;
    this.everyFrames = everyFrames;
    this.injected = this.dropped = this.droppedBefore = 0;
  }

  /** A credit came to the queue, and was taken (0) or dropped (1). */
  inject(dropped: number): void {
    this.dropped += dropped;
    this.injected++;
    if (this.injected !== this.everyFrames) return;
    this.droppedBefore = this.dropped;
    this.injected = this.dropped = 0;
  }

  /** Whether the credit that leaves now is to be marked. */
  draw(): boolean {
    return this.droppedBefore > 0 && this.random.next() * this.everyFrames < this.droppedBefore;
  }
}
