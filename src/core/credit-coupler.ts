// Tested by test/core/credit-coupler.test.ts
import type { Crc32 } from '../base/crc32.js';
import { addCredit, beginCredits, endCredits, mayJoin } from '../wire/credits.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { Credits } from '../wire/layout.js';

/** Credits of one frame at most. Ours: as many as a bundle holds, so a lost datagram costs no more. docs/decisions/0040-credits-in-one-frame.md */
const MOST_CREDITS = 20;

/** Joins the credits that leave for a peer one behind the other, so that they are sealed, sent and opened as one frame. PROTOCOL §3.28 */
export class CreditCoupler {
  private readonly dequeue: () => Frame | null;
  private readonly pool: FramePool;
  private readonly check: Crc32 | null;
  /** Taken already, and did not join those before it. */
  private left: Frame | null = null;

  /** `check`: null where frames are sealed. */
  constructor(dequeue: () => Frame | null, pool: FramePool, check: Crc32 | null) {
    this.dequeue = dequeue;
    this.pool = pool;
    this.check = check;
  }

  /** What leaves next; null when there is nothing. */
  next(): Frame | null {
    const lead = this.left ?? this.dequeue();
    this.left = null;
    if (lead === null || !mayJoin(lead)) return lead;
    const second = this.dequeue();
    if (second === null || !joins(second, lead)) {
      this.left = second;
      return lead;
    }
    return this.couple(lead, second);
  }

  /** CREDITS with `lead`, `second` and what follows. */
  private couple(lead: Frame, second: Frame): Frame {
    const credits = this.pool.take();
    beginCredits(credits);
    credits.peer = lead.peer;
    credits.type = Credits.type;
    this.join(credits, lead);
    let count = 1;
    let frame: Frame | null = second;
    while (frame !== null && count < MOST_CREDITS && joins(frame, credits) && this.join(credits, frame)) {
      count++;
      frame = this.dequeue();
    }
    this.left = frame;
    endCredits(credits, this.check);
    return credits;
  }

  private join(credits: Frame, credit: Frame): boolean {
    if (!addCredit(credits, credit)) return false;
    credits.atNs = credit.atNs;
    this.pool.give(credit);
    return true;
  }
}

function joins(frame: Frame, { peer }: Frame): boolean {
  return frame.peer === peer && mayJoin(frame);
}
