// Tested by test/core/reactive-sender.test.ts
import { ackRangeCount, windowAckRangeEnd, windowAckRangeStart } from '../wire/decode.js';
import * as layout from '../wire/layout.js';
import { widen } from '../wire/serial.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Ack } = layout;

/** What the latest WINDOW_ACK says has arrived beyond its cumulative offset: 53-bit offsets. */
export class ArrivedRanges {
  private readonly edges = new Float64Array(2 * Ack.maxRanges);
  private count = 0;

  /** The highest offset of them; 0 where there are none. */
  get end(): number {
    return this.count === 0 ? 0 : this.edges[2 * this.count - 1];
  }

  read(bytes: Uint8Array, nearOffset: number): void {
    this.count = ackRangeCount(bytes);
    for (let index = 0; index < this.count; index++) {
      this.edges[2 * index] = widen(windowAckRangeStart(bytes, index), nearOffset);
      this.edges[2 * index + 1] = widen(windowAckRangeEnd(bytes, index), nearOffset);
    }
  }

  /** Whether one of them holds all of [start, end). */
  cover(start: number, end: number): boolean {
    for (let index = 0; index < this.count; index++) {
      if (this.edges[2 * index] <= start && end <= this.edges[2 * index + 1]) return true;
    }
    return false;
  }
}
