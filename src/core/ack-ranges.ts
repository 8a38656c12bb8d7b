// Tested by test/core/receiver-data.test.ts and test/core/sender-repair.test.ts
import type { AckRanges } from '../wire/encode.js';
import * as layout from '../wire/layout.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Ack, WindowAck } = layout;

/** Ranges in an ACK at most: as many as the format holds and the flow's maximum frame size has room for. PROTOCOL §3.4, §3.14 */
export function maxAckRanges(frameBytes: number, isReactive = false): number {
  const fixedBytes = isReactive ? WindowAck.bytes : Ack.bytes;
  return Math.min(Ack.maxRanges, Math.floor((frameBytes - fixedBytes) / Ack.rangeBytes));
}

/** Those of no flow. */
export const NO_RANGES: AckRanges = { count: 0, start: () => 0, end: () => 0 };

/** Those of some ranges from the one with index `first` on, no more than an ACK has room for. One serves all flows: it is given their ranges for each ACK. */
export class SomeRanges implements AckRanges {
  private ranges = NO_RANGES;
  private first = 0;
  private most = 0;

  take(ranges: AckRanges, first: number, most: number): void {
    this.ranges = ranges;
    this.first = first;
    this.most = most;
  }

  /** So that it keeps none in memory of a flow that is closed. */
  letGo(): void {
    this.ranges = NO_RANGES;
  }

  get count(): number {
    return Math.min(this.ranges.count - this.first, this.most);
  }

  start(index: number): number {
    return this.ranges.start(this.first + index);
  }

  end(index: number): number {
    return this.ranges.end(this.first + index);
  }
}
