// Tested by test/core/speculation.test.ts and test/core/resumed-burst.test.ts
import { NEVER } from '../base/time.js';
import { Data, wireBytes } from '../wire/layout.js';
import { LEAST_WINDOW_BYTES } from './config.js';
import type { ProvedPath } from './proved-path.js';
import type { SenderFrames } from './sender-frames.js';
import { NOT_SPECULATIVE, type SenderRequests } from './sender-requests.js';
import type { SentStream } from './sent-stream.js';
import type { Speculation } from './speculation.js';

/** Filled anew for every frame of whichever flow. */
const FIELDS = { offset: 0, flags: 0 };

/** What a burst belongs to. */
export interface BurstParts {
  speculation: Speculation;
  /** That to the flow's peer; null where bursts need no proof. */
  path: ProvedPath | null;
  stream: SentStream;
  frames: SenderFrames;
  requests: SenderRequests;
}

/** A flow's bursts without credits, when it opens or after a rest, within a window that losses halve and bursts that arrive raise. PROTOCOL §12.1 */
export class SpeculativeBurst {
  /** A burst was begun, and the answer to the probe behind it has not come. */
  isOpen = false;
  /** More frames of it may follow. */
  isSending = false;
  /** Frames of all bursts. */
  frames = 0;
  /** When the next frame may leave. */
  private dueNs = 0;
  /** Payload bytes that may still be sent. */
  private leftBytes = 0;
  private startOffset = 0;
  /** Where its bytes end. */
  private endOffset = 0;
  /** Window of a resumed flow, payload bytes. */
  private windowBytes = LEAST_WINDOW_BYTES;
  /** No burst begins before everything up to this offset is acknowledged; Infinity after a loss, until a credit has released data. */
  private barrierOffset = 0;
  /** Bytes that count as under way on the path, and how often the path had lost some when the burst began. */
  private pathBytes = 0;
  private pathLosses = 0;
  private readonly parts: BurstParts;

  constructor(parts: BurstParts) {
    this.parts = parts;
  }

  /** A flow that has sent nothing yet begins. Returns when its first frame may leave. */
  begin(nowNs: number): number {
    return this.start(this.firstBytes, nowNs);
  }

  /** Whether its first frame may go without a credit. */
  mayBegin(nowNs: number): boolean {
    return this.fitsInto(this.firstBytes, nowNs);
  }

  /** Whether a frame of new bytes may go without a credit now, on a flow that the receiver knows. */
  mayResume(nowNs: number): boolean {
    return this.fitsInto(this.roomBytes, nowNs);
  }

  /** More bytes go without credits, in a new burst or in the one whose answer has not come. Returns when the first frame may leave. */
  resume(nowNs: number): number {
    // No credit is wanted for bytes that the receiver was not told of.
    this.parts.requests.toldCovered = true;
    return this.start(this.roomBytes, nowNs);
  }

  /** Sends the next frame if its time has come. Returns when the one behind it is due, NEVER if none follows. */
  sendNext(nowNs: number): number {
    const { speculation, path, stream, frames, requests } = this.parts;
    const readyNs = speculation.readyNs(this.dueNs);
    if (readyNs > nowNs) return readyNs;
    // Other flows may have used the path meanwhile.
    if (path !== null && !this.fitsInto(this.leftBytes, nowNs)) return NEVER;
    FIELDS.offset = stream.takeUnsent();
    FIELDS.flags = stream.takenFlags;
    this.dueNs = speculation.take(wireBytes(stream.takenBytes + Data.overheadBytes), readyNs, nowNs);
    frames.speculative(FIELDS, stream.buffer, stream.takenBytes, this.dueNs);
    this.frames++;
    this.leftBytes -= stream.takenBytes;
    requests.unscheduledBytes = this.leftBytes;
    path?.sent(stream.takenBytes);
    this.pathBytes += stream.takenBytes;
    this.endOffset = stream.sentOffset;
    return this.nextNs(nowNs);
  }

  /** When the next frame may leave; NEVER if none may. */
  nextNs(nowNs: number): number {
    return this.fitsInto(this.leftBytes, nowNs) ? this.parts.speculation.readyNs(this.dueNs) : NEVER;
  }

  /** No more goes without credits; the caller sends the probe. */
  end(): void {
    const { stream, requests } = this.parts;
    this.isSending = false;
    this.leftBytes = 0;
    requests.unscheduledBytes = 0;
    stream.ownPathOffset = stream.sentOffset;
  }

  /** Its fate is known, or nobody waits for it any more. */
  close(): void {
    const { stream, requests } = this.parts;
    if (this.isOpen && stream.ackedOffset === stream.sentOffset)
      this.windowBytes = Math.min(LEAST_WINDOW_BYTES, this.windowBytes + stream.sentOffset - this.startOffset);
    this.isOpen = false;
    requests.unscheduledBytes = NOT_SPECULATIVE;
    this.quitPath();
  }

  /** An ACK has come, and losses that it shows are noted: the path has delivered what is under way no more. */
  noteAcked(nowNs: number): void {
    const { path, stream } = this.parts;
    const underWayBytes = Math.max(0, this.endOffset - stream.ackedOffset);
    const bytes = this.pathBytes - Math.min(this.pathBytes, underWayBytes);
    if (path === null || bytes === 0) return;
    this.pathBytes -= bytes;
    if (this.pathLosses === path.losses) path.delivered(bytes, nowNs);
    else path.dropped(bytes);
  }

  /** Another would do as well: nothing is under way, and no loss is remembered. */
  get isForgettable(): boolean {
    const { sentOffset, ackedOffset } = this.parts.stream;
    const isOver = !this.isOpen && !this.isSending && this.pathBytes === 0 && ackedOffset === sentOffset;
    return isOver && this.windowBytes === LEAST_WINDOW_BYTES && this.barrierOffset !== NEVER;
  }

  /** Bytes of the flow are lost. */
  noteLoss(): void {
    if (this.isOpen) this.parts.path?.noteLoss(this.pathLosses);
    if (this.isOpen && this.barrierOffset !== NEVER)
      this.windowBytes = Math.max(this.parts.stream.payloadBytes, Math.floor(this.usableBytes / 2));
    this.barrierOffset = NEVER;
  }

  /** A credit has released data. */
  noteCredited(): void {
    if (this.barrierOffset === NEVER) this.barrierOffset = this.parts.stream.sentOffset;
  }

  /** Nobody will know what became of the rest of it. */
  quitPath(): void {
    this.parts.path?.dropped(this.pathBytes);
    this.pathBytes = 0;
  }

  private start(leftBytes: number, nowNs: number): number {
    const { requests, speculation, path, stream } = this.parts;
    if (!this.isOpen) {
      this.startOffset = stream.sentOffset;
      this.pathLosses = path?.losses ?? 0;
    }
    this.isOpen = true;
    this.isSending = true;
    this.dueNs = nowNs;
    this.leftBytes = leftBytes;
    requests.unscheduledBytes = leftBytes;
    return speculation.readyNs(nowNs);
  }

  private get firstBytes(): number {
    return this.parts.speculation.budgetBytes;
  }

  private get usableBytes(): number {
    return Math.min(this.windowBytes, this.parts.speculation.budgetBytes);
  }

  /** Bytes that may go beside its own. A probe behind the burst must not speak of frames that went by other paths: these have to be acknowledged. */
  private get roomBytes(): number {
    const { sentOffset, ackedOffset, hasLosses, mayOvertake } = this.parts.stream;
    if (hasLosses || ackedOffset < this.barrierOffset) return 0;
    if (!this.isOpen && ackedOffset < sentOffset && mayOvertake) return 0;
    // Credits have made room for what went before it, whose ACK may wait longer than the program.
    return this.usableBytes - Math.max(0, this.endOffset - Math.max(ackedOffset, this.startOffset));
  }

  private fitsInto(roomBytes: number, nowNs: number): boolean {
    const { path, stream } = this.parts;
    const nextBytes = Math.min(stream.unsentBytes, stream.payloadBytes);
    if (nextBytes <= 0 || nextBytes > roomBytes) return false;
    return path === null || nextBytes <= path.roomBytes(nextBytes, nowNs);
  }
}
