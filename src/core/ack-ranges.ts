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

/** The lowest of a flow's ranges, as many as an ACK of the flow holds. */
export class LowestRanges implements AckRanges {
  private readonly stream: { readonly ranges: AckRanges };
  private limit: number = Ack.maxRanges;

  /** `stream`: whose ranges they are. */
  constructor(stream: { readonly ranges: AckRanges }) {
    this.stream = stream;
  }

  /** `frameBytes`: the flow's maximum frame size. */
  fitInto(frameBytes: number, isReactive: boolean): void {
    this.limit = maxAckRanges(frameBytes, isReactive);
  }

  get count(): number {
    return Math.min(this.stream.ranges.count, this.limit);
  }

  start(index: number): number {
    return this.stream.ranges.start(index);
  }

  end(index: number): number {
    return this.stream.ranges.end(index);
  }
}
