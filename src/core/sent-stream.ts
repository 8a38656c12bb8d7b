// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
// Tested by test/core/sprayed-repair.test.ts

import { ackCumulative } from '../wire/decode.js';
import { Data, DataFlag } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { type AckContext, AckNews, LossRecovery, newsOf, readHoles, type Sending } from './loss-recovery.js';
import { type FlowPath, OPEN_PATH } from './path-mtus.js';
import type { Probe } from './probe.js';
import { SendBuffer } from './send-buffer.js';

/** Marks kept. */
const MARKS = 8;
/** Marks within the time that is asked for: with four, what was sent a retransmission time ago is known to a quarter of it. */
const MARKS_PER_WAIT = 4;

/** How far a flow had sent at some past times: the age of a byte in constant memory, for flows whose bytes take several paths. */
class SendMarks {
  /** Its own frames take several paths: PROTOCOL §5.2. */
  isSprayed = false;
  /** The piggybacked bytes, which went in frames of other flows and by their paths, end before this offset. */
  piggybackEndOffset = 0;
  /** Their number, from the first that was not acknowledged when another went. */
  piggybackBytes = 0;
  private readonly atNs = new Float64Array(MARKS).fill(Number.NEGATIVE_INFINITY);
  private readonly offsets = new Float64Array(MARKS);
  private latest = 0;
  /** When the latest mark was made; it moves with what is sent until the next is due. */
  private latestSinceNs = Number.NEGATIVE_INFINITY;

  /** The flow has sent up to `offset` at `nowNs`; `waitNs`: the age that will be asked for. */
  note(nowNs: number, offset: number, waitNs: number): void {
    if (nowNs - this.latestSinceNs >= waitNs / MARKS_PER_WAIT) {
      this.latest = (this.latest + 1) % MARKS;
      this.latestSinceNs = nowNs;
    }
    this.atNs[this.latest] = nowNs;
    this.offsets[this.latest] = offset;
  }

  /** An offset up to which everything had been sent at `timeNs`; 0 where nothing is known of that time. */
  sentBy(timeNs: number): number {
    for (let back = 0; back < MARKS; back++) {
      const index = (this.latest - back + MARKS) % MARKS;
      if (this.atNs[index] <= timeNs) return this.offsets[index];
    }
    return 0;
  }
}

/** Filled anew for every ACK of whichever flow. */
const ACK_CONTEXT: AckContext = {
  nowNs: 0,
  ackedOffset: 0,
  sentOffset: 0,
  probe: 0,
  probedOffset: 0,
  retransmitNs: 0,
  reorderNs: 0,
  oldOffset: -1,
};

/** Filled anew for every repair of whichever flow. */
const SENDING: Sending = { nowNs: 0, probe: 0, frame: 0, sentOffset: 0 };

/** One flow's bytes at its sender: written, sent, acknowledged or lost, and what the next data frame takes. 53-bit offsets. */
export class SentStream {
  readonly buffer: SendBuffer;
  /** No more bytes will be written. */
  ended = false;
  /** How far it was sent for the first time. */
  sentOffset = 0;
  ackedOffset = 0;
  repairedBytes = 0;
  repairedFrames = 0;
  /** What `take` returned last: payload bytes and bits of DataFlag. */
  takenBytes = 0;
  takenFlags = 0;
  /** The first offset that must not be sent yet. PROTOCOL §11.5 */
  limitOffset = Number.POSITIVE_INFINITY;
  /** Bytes before this went by the flow's own path, as a probe behind them did: an ACK of that probe, or a later one, shows which are lost. */
  ownPathOffset = 0;
  /** Given out by `take` so far. */
  private frames = 0;
  private readonly probe: Probe;
  /** Of the largest frame that the flow sends, and what the path carries at the moment. */
  private readonly fullPayloadBytes: number;
  private readonly path: FlowPath;
  /** Made for the first loss: most flows have none, and each look at one more object of a flow is a wait for memory where there are many. */
  private recovery: LossRecovery | null = null;
  /** Made once the flow's frames take several paths. */
  private marks: SendMarks | null = null;

  constructor(probe: Probe, sendBufferBytes: number, frameBytes: number, path: FlowPath = OPEN_PATH) {
    this.probe = probe;
    this.buffer = new SendBuffer(sendBufferBytes);
    this.fullPayloadBytes = frameBytes - Data.overheadBytes;
    this.path = path;
  }

  /** The largest frame that the flow may send. */
  get frameBytes(): number {
    return this.fullPayloadBytes + Data.overheadBytes;
  }

  /** Of a full frame, as large as the path carries it. */
  get payloadBytes(): number {
    return Math.min(this.fullPayloadBytes, this.path.payloadBytes);
  }

  /** The path carries shorter frames than the flow may send. */
  get isCutShort(): boolean {
    return this.path.payloadBytes < this.fullPayloadBytes;
  }

  /** Written and not sent for the first time. */
  get unsentBytes(): number {
    return this.buffer.end - this.sentOffset;
  }

  /** What waits to be sent, repairs included. */
  get backlogBytes(): number {
    return this.unsentBytes + (this.recovery?.backlogBytes ?? 0);
  }

  get hasLosses(): boolean {
    return this.recovery?.hasLosses ?? false;
  }

  /** There is something to send. */
  get hasData(): boolean {
    return this.sentOffset < this.buffer.end || this.hasLosses;
  }

  /** The stream has ended, and its receiver has all of it. */
  get isAcknowledged(): boolean {
    return this.ended && this.ackedOffset === this.buffer.end;
  }

  /** Takes `maxBytes` for a data frame that is sent at `nowNs`: lost ones first, else new ones. Returns their offset. PROTOCOL §4.3 */
  take(nowNs: number, maxBytes = this.payloadBytes): number {
    const { recovery } = this;
    this.frames++;
    let offset = recovery?.take(maxBytes, this.sendingAt(nowNs)) ?? -1;
    if (recovery === null || offset < 0) offset = this.takeNew(maxBytes);
    else this.noteRepair(recovery);
    this.noteEnd(offset);
    return offset;
  }

  /** As `take`, but new bytes only. */
  takeUnsent(): number {
    const offset = this.takeNew(this.payloadBytes);
    this.noteEnd(offset);
    return offset;
  }

  /** As `takeUnsent`, for a frame of another flow that is sent at `nowNs`, possibly by another path. */
  takePiggybacked(nowNs: number): number {
    const { piggybackedBytes } = this;
    const offset = this.takeUnsent();
    this.marks ??= new SendMarks();
    this.marks.piggybackBytes = piggybackedBytes + this.takenBytes;
    this.marks.piggybackEndOffset = this.sentOffset;
    this.noteSent(nowNs);
    return offset;
  }

  /** Piggybacked bytes that may not have arrived yet. */
  get piggybackedBytes(): number {
    const { marks } = this;
    return marks !== null && this.ackedOffset < marks.piggybackEndOffset ? marks.piggybackBytes : 0;
  }

  /** None of the piggybacked bytes has arrived. */
  losePiggybacked(): void {
    const { marks } = this;
    if (marks !== null && this.piggybackedBytes > 0)
      this.ownRecovery().lose(this.ackedOffset, marks.piggybackEndOffset);
  }

  /** How far it has been sent at `nowNs` is worth remembering: a probe goes out behind it. */
  noteSent(nowNs: number): void {
    this.marks?.note(nowNs, this.sentOffset, this.probe.retransmitNs);
  }

  /** There are lost bytes, or new ones within the limit: a full frame of them or all that there are, or any at all where `isEager`. */
  canTake(isEager: boolean): boolean {
    if (this.hasLosses) return true;
    const roomBytes = this.limitOffset - this.sentOffset;
    const { unsentBytes } = this;
    return unsentBytes > 0 && roomBytes > 0 && (isEager || roomBytes >= Math.min(this.payloadBytes, unsentBytes));
  }

  /** As `take`, for a flow that remembers its frames itself, and within the limit. */
  takeWithin(): number {
    const { recovery } = this;
    let offset = recovery?.takeLost(this.payloadBytes) ?? -1;
    if (recovery === null || offset < 0) offset = this.takeNew(this.payloadBytes);
    else this.noteRepair(recovery);
    this.noteEnd(offset);
    return offset;
  }

  /** [start, end) is lost. False where there is no room to note it. */
  lose(start: number, end: number): boolean {
    return this.ownRecovery().lose(start, end);
  }

  /** [start, end) has arrived. */
  arrived(start: number, end: number): void {
    this.recovery?.arrived(start, end);
  }

  /** The cumulative offset of an ACK. */
  cumulativeOf(ack: Uint8Array): number {
    return widen(ackCumulative(ack), this.ackedOffset);
  }

  /** Every byte before `cumulative` has arrived. */
  acknowledge(cumulative: number): void {
    this.ackedOffset = cumulative;
    this.buffer.acknowledge(cumulative);
    this.recovery?.acknowledge(cumulative);
  }

  /** Reads the holes of an ACK whose cumulative offset is `ackedOffset`. False for one that tells of bytes which were not sent. */
  findLosses(ack: Uint8Array, answersProbe: boolean, nowNs: number): boolean {
    const { probe } = this;
    const context = ACK_CONTEXT;
    context.nowNs = nowNs;
    context.ackedOffset = this.ackedOffset;
    context.sentOffset = this.sentOffset;
    context.probe = answersProbe ? probe.number : -1;
    context.probedOffset = answersProbe ? probe.offset : 0;
    context.retransmitNs = probe.retransmitNs;
    context.reorderNs = probe.reorderNs;
    const { mayOvertake } = this;
    context.oldOffset = mayOvertake ? this.oldOffset(nowNs) : -1;
    if (mayOvertake && answersProbe) context.oldOffset = Math.max(context.oldOffset, this.ownPathOffset);
    const news = newsOf(ack, context);
    if (news === AckNews.holes) readHoles(ack, context, this.ownRecovery(), this.frameBytes);
    return news !== AckNews.invalid;
  }

  /** Frames of the flow that are under way may have taken different paths. */
  get mayOvertake(): boolean {
    const { marks } = this;
    return marks !== null && (marks.isSprayed || this.piggybackedBytes > 0);
  }

  /** Frames take several paths from now on: one that overtakes another says nothing about that one. PROTOCOL §5.2 */
  spread(): void {
    this.marks ??= new SendMarks();
    this.marks.isSprayed = true;
  }

  private oldOffset(nowNs: number): number {
    this.noteSent(nowNs);
    return this.marks?.sentBy(nowNs - this.probe.retransmitNs) ?? 0;
  }

  private takeNew(maxBytes: number): number {
    const offset = this.sentOffset;
    // As in LossRecovery: frames take their lengths from it.
    this.takenBytes = Math.min(maxBytes, Math.min(this.buffer.end, this.limitOffset) - offset) | 0;
    this.takenFlags = 0;
    this.sentOffset = offset + this.takenBytes;
    return offset;
  }

  private sendingAt(nowNs: number): Sending {
    const sending = SENDING;
    sending.nowNs = nowNs;
    sending.probe = this.probe.number;
    sending.frame = this.frames;
    sending.sentOffset = this.sentOffset;
    return sending;
  }

  private ownRecovery(): LossRecovery {
    this.recovery ??= new LossRecovery();
    return this.recovery;
  }

  private noteRepair(recovery: LossRecovery): void {
    this.takenBytes = recovery.takenBytes;
    this.takenFlags = DataFlag.repair;
    this.repairedBytes += this.takenBytes;
    this.repairedFrames++;
  }

  private noteEnd(offset: number): void {
    if (this.ended && offset + this.takenBytes === this.buffer.end) this.takenFlags |= DataFlag.end;
  }
}
