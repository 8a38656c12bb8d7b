// Tested by test/core/speculation.test.ts
import { Data, wireBytes } from '../wire/layout.js';
import type { SenderFrames } from './sender-frames.js';
import type { SentStream } from './sent-stream.js';

/** Filled anew for every frame of whichever flow. */
const FIELDS = { offset: 0, flags: 0 };

/** What one flow sends without credits, before its first one comes, and until it knows what became of it. PROTOCOL §12.1 */
export class SpeculativeBurst {
  /** More frames may follow; otherwise the probe behind them waits for its answer. */
  isSending = true;
  /** When the next frame may leave. */
  dueNs: number;
  /** Payload bytes that may still be sent. */
  leftBytes: number;

  constructor(budgetBytes: number, nowNs: number) {
    this.leftBytes = budgetBytes;
    this.dueNs = nowNs;
  }

  /** Takes the bytes of the next frame off the stream; returns what that frame has on the wire. */
  take(stream: SentStream): number {
    FIELDS.offset = stream.takeUnsent();
    FIELDS.flags = stream.takenFlags;
    return wireBytes(stream.takenBytes + Data.overheadBytes);
  }

  /** Sends the frame of the bytes that it took last, which is due at `dueNs`. */
  sendTaken(stream: SentStream, frames: SenderFrames): void {
    frames.speculative(FIELDS, stream.buffer, stream.takenBytes, this.dueNs);
    this.leftBytes = Math.max(0, this.leftBytes - stream.takenBytes);
  }
}
