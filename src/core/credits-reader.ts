// Tested by test/core/credit-coupler.test.ts
import { entryCount, nextCredit, takeCredit } from '../wire/credits.js';
import { Frame } from '../wire/frame.js';
import { MAX_CREDIT_BYTES } from '../wire/layout.js';

/** Takes CREDITS apart: gives each credit as a frame of its own. PROTOCOL §3.28 */
export class CreditsReader {
  private readonly handle: (credit: Frame, nowNs: number) => void;
  /** The one credit at a time; made for the first. */
  private credit: Frame | null = null;

  /** `handle`: takes a credit, which is valid during the call only. */
  constructor(handle: (credit: Frame, nowNs: number) => void) {
    this.handle = handle;
  }

  /** `frame`: CREDITS that have passed the check at the door. Returns how many there are. */
  takeApart(frame: Frame, nowNs: number): number {
    this.credit ??= new Frame(new Uint8Array(MAX_CREDIT_BYTES));
    const { credit } = this;
    const entries = entryCount(frame.bytes);
    let sum = 0;
    for (let index = 0; index < entries; index++) {
      const count = takeCredit(frame, index, credit);
      for (let left = count; left > 0; left--) {
        this.handle(credit, nowNs);
        nextCredit(credit.bytes);
      }
      sum += count;
    }
    return sum;
  }
}
