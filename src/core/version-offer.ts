// Tested by test/core/endpoint.test.ts
import type { Crc32 } from '../base/crc32.js';
import { SECOND_NS } from '../base/time.js';
import { DropCode, destinationHost, flowId, frameType, sourceHost } from '../wire/decode.js';
import { encodeVersion } from '../wire/encode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameType, VERSION, VersionOffer } from '../wire/layout.js';

/** Times kept: peers whose numbers agree modulo this share one, and get fewer answers for it (ours: it bounds the memory). */
const PLACES = 256;

/** Answers frames of a version that this host does not speak: at most one per peer and second. PROTOCOL §3.13 */
export class VersionOffers {
  private readonly pool: FramePool;
  private readonly check: Crc32 | null;
  private readonly lastNs = new Float64Array(PLACES).fill(Number.NEGATIVE_INFINITY);

  constructor(pool: FramePool, check: Crc32 | null) {
    this.pool = pool;
    this.check = check;
  }

  /** The answer to `cause`, which was dropped with `code`; null when it gets none. */
  answer(code: number, cause: Frame, nowNs: number): Frame | null {
    if (code !== DropCode.version || cause.length < VersionOffer.bytes) return null;
    if (frameType(cause.bytes) === FrameType.version) return null;
    const place = cause.peer & (PLACES - 1);
    if (nowNs < this.lastNs[place] + SECOND_NS) return null;
    this.lastNs[place] = nowNs;
    return this.offer(cause);
  }

  private offer(cause: Frame): Frame {
    const frame = this.pool.take();
    frame.peer = cause.peer;
    const header = {
      destination: sourceHost(cause.bytes),
      source: destinationHost(cause.bytes),
      flowId: flowId(cause.bytes),
    };
    frame.length = encodeVersion(frame.bytes, header, { lowest: VERSION, highest: VERSION }, this.check);
    return frame;
  }
}

/** Whether a VERSION frame means that its sender cannot be talked to: one that speaks our version answered a frame that was corrupted on the way. */
export function refusesVersion(lowest: number, highest: number): boolean {
  return VERSION < lowest || VERSION > highest;
}
