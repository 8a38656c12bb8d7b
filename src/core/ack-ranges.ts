// Tested by test/core/receiver-data.test.ts and test/core/sender-repair.test.ts
// Tested by test/core/reactive-sender.test.ts

import { ackRangeCount, windowAckRangeEnd, windowAckRangeStart } from '../wire/decode.js';
import type { AckRanges } from '../wire/encode.js';
import { Ack, WindowAck } from '../wire/layout.js';
import { widen } from '../wire/serial.js';

/** Ranges in an ACK at most: as many as the format holds and the flow's maximum frame size has room for. PROTOCOL §3.4, §3.14 */
export function maxAckRanges(frameBytes: number, isReactive = false): number {
  const fixedBytes = isReactive ? WindowAck.bytes : Ack.bytes;
  // A flow of the smallest frames has room for no range in a WINDOW_ACK; its request was as long as a WINDOW_ACK without one.
  return Math.min(Ack.maxRanges, Math.max(0, Math.floor((frameBytes - fixedBytes) / Ack.rangeBytes)));
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
