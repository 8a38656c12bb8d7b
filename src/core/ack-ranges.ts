// Tested by test/core/receiver-data.test.ts and test/core/sender-repair.test.ts
import type { AckRanges } from '../wire/encode.js';
import { Ack } from '../wire/layout.js';

/** Ranges in an ACK at most: as many as the format holds and the flow's maximum frame size has room for. PROTOCOL §3.4 */
export function maxAckRanges(frameBytes: number): number {
  return Math.min(Ack.maxRanges, Math.floor((frameBytes - Ack.bytes) / Ack.rangeBytes));
}

/** The lowest of a flow's ranges, as many as an ACK of the flow holds. */
export class LowestRanges implements AckRanges {
  private readonly ranges: AckRanges;
  private limit: number = Ack.maxRanges;

  constructor(ranges: AckRanges) {
    this.ranges = ranges;
  }

  /** `frameBytes`: the flow's maximum frame size. */
  fitInto(frameBytes: number): void {
    this.limit = maxAckRanges(frameBytes);
  }

  get count(): number {
    return Math.min(this.ranges.count, this.limit);
  }

  start(index: number): number {
    return this.ranges.start(index);
  }

  end(index: number): number {
    return this.ranges.end(index);
  }
}
