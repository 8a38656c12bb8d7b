import { widen } from '../wire/serial.js';
import type { Reassembly } from './reassembly.js';

/** In a CREDIT_REQUEST: that many bytes or more. PROTOCOL §3.1 */
const UNTOLD_BACKLOG = 0xffff_ffff;

/** Credits, where nobody knows how many: more than any flow has outstanding, and still a small integer. */
const NO_BOUND = 2 ** 30;
export const UNBOUNDED = NO_BOUND;

/**
 * How much of the stream the sender has said that it has: a receiver needs no more credits than the missing part of that takes. A flow of 8 bytes was issued 3.4 credits
 * without it (docs/PERF-LOG.md), each a frame for the receiver to send, the sender to count and the network to meter. PROTOCOL §4.8
 */
export class Demand {
  /** The sender has said that it has the bytes before this offset; Infinity: and more. */
  private endOffset = 0;
  private readonly reassembly: Reassembly;

  constructor(reassembly: Reassembly) {
    this.reassembly = reassembly;
  }

  /** Credits begin, or begin again: what was said before counts no more. */
  restart(): void {
    this.endOffset = 0;
  }

  /** A CREDIT_REQUEST says that the flow has sent as far as `sentOffset` (32-bit) and has `backlog` bytes to send. One that was overtaken takes nothing back. */
  tell(sentOffset: number, backlog: number): void {
    const endOffset =
      backlog === UNTOLD_BACKLOG ? Number.POSITIVE_INFINITY : widen(sentOffset, this.reassembly.nextOffset) + backlog;
    this.endOffset = Math.max(this.endOffset, endOffset);
  }

  /** A DATA frame with MORE: there are bytes beyond those told of, nobody knows how many. */
  tellMore(): void {
    this.endOffset = Number.POSITIVE_INFINITY;
  }

  /** Credits that the missing bytes take, at `payloadBytes` each; every hole ends with a frame that is not full. UNBOUNDED while no end is known. */
  credits(payloadBytes: number): number {
    const { reassembly, endOffset } = this;
    const { ranges, nextOffset } = reassembly;
    const missingBytes = endOffset - nextOffset - reassembly.heldBytes;
    return missingBytes <= 0 ? 0 : Math.min(NO_BOUND, Math.ceil(missingBytes / payloadBytes) + ranges.count);
  }
}
