// Tested by test/core/sender-flow.test.ts and test/core/reactive-sender.test.ts

import { assert } from '../base/assert.js';
import { XpassError } from '../base/errors.js';
import { NEVER } from '../base/time.js';
import { ackProbe, flags } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { AckFlag, Data, ResetCode } from '../wire/layout.js';
import type { DueSource, FlowContext, TimedFlow } from './context.js';
import { type FlowObserver, type FlowWriter, NO_OBSERVER } from './flow-callbacks.js';
import { SenderPlace, type SenderRecord } from './flow-record.js';
import { OPEN_PATH } from './path-mtus.js';
import { Probe } from './probe.js';
import { errorOfReset } from './reset-error.js';
import { RttEstimator } from './rtt.js';
import type { SendBuffer } from './send-buffer.js';
import { SenderFrames } from './sender-frames.js';
import type { SenderStatistics } from './sender-requests.js';
import { type RequestTerms, SenderRequests } from './sender-requests.js';
import { SentStream } from './sent-stream.js';
import type { CountedFlow, FlowSums } from './traffic.js';

/** PROTOCOL §4.1; a reactive flow knows CLOSED, SENDING and FIN_SENT only. */
export const SenderState = {
  closed: 0,
  creditRequestSent: 1,
  creditReceiving: 2,
  creditStopSent: 3,
  finSent: 4,
  sending: 5,
} as const;

/** Retransmission times without success after which a flow doubts its path (ours): a repair that is lost once takes less. */
const STALL_WAITS = 2;

export interface SenderOptions extends RequestTerms {
  slot: number;
  header: FlowHeader;
  peer: number;
  algorithmName?: string;
}

/** The sender's end of a flow, credited or reactive: its application's verbs, its peer's frames, its life and end. PROTOCOL §5, §6 */
export abstract class SenderFlow implements TimedFlow, DueSource, CountedFlow {
  readonly isReceived = false;
  readonly slot: number;
  /** For metrics; `credits` of a flow whose receiver has the algorithm. */
  readonly algorithmName: string;
  /** Watches this flow; set by its application. */
  observer: FlowObserver = NO_OBSERVER;
  protected readonly context: FlowContext;
  protected readonly frames: SenderFrames;
  protected readonly probe: Probe;
  protected readonly requests: SenderRequests;
  /** The flow is the other half of a stream that the peer has opened. */
  private readonly answersStream: boolean;
  protected readonly stream: SentStream;
  protected readonly buffer: SendBuffer;
  protected readonly rtt: RttEstimator;
  protected stateCode: number = SenderState.closed;
  /** A first CREDIT or ACK has come. */
  protected opened = false;
  protected dataFrames = 0;
  /** Its numbers that every packet changes: its record. */
  protected readonly numbers: Float64Array;
  protected readonly at: number;
  private readonly writer: FlowWriter;
  /** The last callback has been, or is on its way; CLOSED alone is also the state before the first write. */
  private isOver = false;
  private wantsWritable = false;

  constructor(context: FlowContext, writer: FlowWriter, options: SenderOptions, nowNs: number) {
    this.context = context;
    this.writer = writer;
    this.slot = options.slot;
    this.frames = new SenderFrames(context, options.header, options.peer);
    const record: SenderRecord = context.records.take();
    this.numbers = record.numbers;
    this.at = record.at;
    this.rtt = new RttEstimator(context.config, record);
    this.probe = new Probe(this.rtt, context.config, record);
    const path = context.mtus?.join(options.peer) ?? OPEN_PATH;
    this.stream = new SentStream(this.probe, context.config.sendBufferBytes, options.frameBytes, path);
    this.buffer = this.stream.buffer;
    this.answersStream = options.isDuplex && options.pairedFlowId !== 0;
    this.requests = new SenderRequests(this.probe, this.stream, this.frames, options);
    this.numbers[this.at + SenderPlace.connectingSinceNs] = NEVER;
    this.lastHeardNs = nowNs;
    this.numbers[this.at + SenderPlace.openedNs] = nowNs;
    this.algorithmName = options.algorithmName ?? 'credits';
    this.stalledSinceNs = NEVER;
  }

  get peer(): number {
    return this.frames.peer;
  }

  get id(): number {
    return this.frames.flowId >>> 0;
  }

  get state(): number {
    return this.stateCode;
  }

  /** No callback comes any more, and its verbs do nothing. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** Written and not sent for the first time. */
  get unsentBytes(): number {
    return this.stream.unsentBytes;
  }

  /** Sent at least once. */
  get sentBytes(): number {
    return this.stream.sentOffset;
  }

  /** The receiver has every byte before this offset, and the flow needs their memory no more. */
  get acknowledgedBytes(): number {
    return this.stream.ackedOffset;
  }

  /** What its window algorithm remembers, by the names of the papers; for traces. Allocates. */
  get algorithmState(): Record<string, number> {
    return {};
  }

  get rttNs(): number {
    return this.rtt.smoothedNs;
  }

  addTo(sums: FlowSums): void {
    sums.open++;
    sums.payloadBytes += this.stream.sentOffset;
    sums.dataFrames += this.dataFrames;
    sums.repairedFrames += this.stream.repairedFrames;
  }

  completionNs(nowNs: number): number {
    return this.stream.isAcknowledged ? nowNs - this.numbers[this.at + SenderPlace.openedNs] : -1;
  }

  get statistics(): SenderStatistics {
    return {
      bytesWritten: this.buffer.end,
      bytesSent: this.stream.sentOffset,
      bytesAcknowledged: this.stream.ackedOffset,
      bytesRepaired: this.stream.repairedBytes,
      framesRepaired: this.stream.repairedFrames,
      dataFrames: this.dataFrames,
      speculativeFrames: 0,
      speculativeTakenBack: 0,
      chunks: 0,
      creditsReceived: 0,
      creditsUnused: 0,
      creditsKept: 0,
      requests: this.requests.requests,
      stops: this.requests.stops,
      pathFrameBytes: this.stream.payloadBytes + Data.overheadBytes,
      rttNs: this.rtt.smoothedNs,
      windowFrames: 0,
    };
  }

  /**
   * Gives `bytes` to the stream. True: taken whole, and the flow's own until they are acknowledged. False: none taken, because the send buffer holds its limit
   * (`onWritable` comes when it holds half of it) or the flow is closed.
   */
  write(bytes: Uint8Array, nowNs: number): boolean {
    assert(!this.stream.ended, 'write after end');
    if (this.isOver) return false;
    if (!this.buffer.hasRoomFor(bytes.length)) {
      this.wantsWritable = true;
      return false;
    }
    this.buffer.append(bytes);
    if (bytes.length > 0) this.wake(nowNs);
    return true;
  }

  /** Gives `length` bytes to a stream of lengths, for simulations: they need no memory, so the send buffer's limit does not hold for them. */
  writeLength(length: number, nowNs: number): void {
    assert(!this.stream.ended, 'write after end');
    if (this.isOver || length === 0) return;
    this.buffer.appendLength(length);
    this.wake(nowNs);
  }

  /** Asks the receiver to take the flow although nothing is written: `onOpened` follows. Does nothing once it was asked. */
  open(nowNs: number): void {
    if (this.stateCode !== SenderState.closed || this.isOver) return;
    this.begin(nowNs);
    this.arm();
  }

  /** No more bytes will be written: the active close. `onClosed(null)` follows when the receiver has them all. */
  end(nowNs: number): void {
    if (this.stream.ended || this.isOver) return;
    this.stream.ended = true;
    this.finish(nowNs);
    this.arm();
  }

  /** Gives the flow up on both sides. Does nothing once it is closed. */
  reset(nowNs: number, code: number = ResetCode.aborted): void {
    if (this.isOver) return;
    // The peer waits for the other half of a stream: it hears that none comes.
    if (this.requests.requests === 0 && this.answersStream) this.sendRequest(nowNs, false);
    if (this.requests.requests > 0) this.frames.reset(code, nowNs);
    this.close(new XpassError('reset', 'the flow was given up on this side'));
  }

  /** The type of frame that acknowledges a flow of this kind: one of FrameType. */
  abstract readonly ackType: number;

  /** A CREDIT of this flow. */
  abstract handleCredit(frame: Frame, nowNs: number): void;

  /** Of what the flow has asked for with `schedule`. */
  get dueSource(): DueSource {
    return this;
  }

  /** Only credits say when to send, unless the kind of flow knows better: nothing is ever due. */
  sendDue(_nowNs: number): number {
    return NEVER;
  }

  /** An ACK or a WINDOW_ACK, whichever this kind of flow has; checked at the door. Before the first request none can be meant for the flow. */
  handleAck(frame: Frame, nowNs: number): void {
    if (this.stateCode === SenderState.closed) return;
    const bytes = frame.bytes;
    const { stream } = this;
    const cumulative = stream.cumulativeOf(bytes);
    if (cumulative > stream.sentOffset) {
      this.context.counters.invalid++;
      return;
    }
    const answersProbe = ackProbe(bytes) === this.probe.wireNumber;
    if (answersProbe && cumulative < this.requests.probedAckedOffset) {
      this.abandon(nowNs);
      return;
    }
    this.lastHeardNs = nowNs;
    if (answersProbe) this.probe.answer(nowNs);
    else if (this.context.speculation !== null) this.probe.answerEarlier(ackProbe(bytes), nowNs);
    const advances = cumulative > stream.ackedOffset;
    if (advances) {
      stream.acknowledge(cumulative);
      this.stalledSinceNs = NEVER;
    } else this.noteStall(nowNs);
    if (!this.opened && !this.survivesOpening(nowNs)) return;
    if ((flags(bytes) & AckFlag.complete) !== 0 && stream.isAcknowledged) {
      this.close(null);
      return;
    }
    this.readAck(frame, answersProbe, nowNs);
    if (advances) this.tellWritable();
  }

  handleReset(code: number): void {
    this.close(errorOfReset(code));
  }

  /** Closes the flow on this side without a word to the peer. */
  close(error: XpassError | null): void {
    if (this.isOver) return;
    this.context.trace?.closed(this, error);
    this.isOver = true;
    this.stateCode = SenderState.closed;
    this.context.forget(this.slot);
    this.context.mtus?.leave(this.peer);
    this.writer.onClosed(error);
  }

  onTimer(nowNs: number): number {
    if (!this.opened && nowNs >= this.connectDeadlineNs) {
      this.close(new XpassError('unreachable', 'the peer never answered'));
      return NEVER;
    }
    if (this.opened && nowNs >= this.lastHeardNs + this.context.config.idleTimeoutNs) {
      this.frames.reset(ResetCode.idle, nowNs);
      this.close(new XpassError('idle', 'nothing was heard from the peer for the idle timeout'));
      return NEVER;
    }
    if (nowNs >= this.stateDeadlineNs()) {
      this.noteStall(nowNs);
      this.onStateTimeout(nowNs);
    }
    return this.deadlineNs();
  }

  /** The first request goes out. */
  protected abstract begin(nowNs: number): void;

  /** There is something to send. */
  protected abstract wake(nowNs: number): void;

  /** The application has ended the stream. */
  protected abstract finish(nowNs: number): void;

  /** What an ACK says beside its cumulative offset. `answersProbe`: it repeats the latest probe. */
  protected abstract readAck(frame: Frame, answersProbe: boolean, nowNs: number): void;

  /** When the state's own timer fires, and what it does then; see SENDER_TIMERS. */
  protected abstract stateDeadlineNs(): number;
  protected abstract onStateTimeout(nowNs: number): void;

  /** For parts that are made with the flow; not kept. */
  protected get record(): SenderRecord {
    const { numbers, at } = this;
    return { numbers, at };
  }

  protected get lastHeardNs(): number {
    return this.numbers[this.at + SenderPlace.lastHeardNs];
  }

  protected set lastHeardNs(nowNs: number) {
    this.numbers[this.at + SenderPlace.lastHeardNs] = nowNs;
  }

  protected sendRequest(nowNs: number, again: boolean): void {
    if (this.requests.requests === 0) this.numbers[this.at + SenderPlace.connectingSinceNs] = nowNs;
    this.requests.request(!this.opened, nowNs, again);
  }

  protected arm(): void {
    if (this.stateCode !== SenderState.closed) this.context.arm(this.slot, this.deadlineNs());
  }

  /** The first answer has come. False where the writer has given the flow up in its callback. */
  protected survivesOpening(nowNs: number): boolean {
    this.opened = true;
    this.context.mtus?.begin(this.peer, nowNs);
    this.writer.onOpened?.();
    return !this.isOver;
  }

  /** Nothing has got through for a while: the path may carry smaller frames alone. */
  private noteStall(nowNs: number): void {
    const { mtus } = this.context;
    if (mtus === null || this.stream.ackedOffset >= this.stream.sentOffset) return;
    this.stalledSinceNs = Math.min(this.stalledSinceNs, nowNs);
    if (nowNs - this.stalledSinceNs >= STALL_WAITS * this.probe.retransmitNs) mtus.suspect(this.peer, nowNs);
  }

  /** Since when each answer and timeout has found bytes under way and none of them acknowledged; NEVER: since none. */
  private get stalledSinceNs(): number {
    return this.numbers[this.at + SenderPlace.stalledSinceNs];
  }

  private set stalledSinceNs(sinceNs: number) {
    this.numbers[this.at + SenderPlace.stalledSinceNs] = sinceNs;
  }

  /** The answer to the latest probe knows less than was acknowledged before: a copy of the first request has opened the flow again. */
  private abandon(nowNs: number): void {
    this.frames.reset(ResetCode.protocol, nowNs);
    this.close(errorOfReset(ResetCode.unknownFlow));
  }

  /** Comes last in whatever takes an input, since the writer may do anything to the flow. */
  private tellWritable(): void {
    if (this.isOver || !this.wantsWritable || !this.buffer.isHalfEmpty) return;
    this.wantsWritable = false;
    this.writer.onWritable();
  }

  /** NEVER before the first request. */
  private get connectDeadlineNs(): number {
    return this.numbers[this.at + SenderPlace.connectingSinceNs] + this.context.config.connectTimeoutNs;
  }

  private deadlineNs(): number {
    if (this.stateCode === SenderState.closed) return NEVER;
    const lifeNs = this.opened ? this.lastHeardNs + this.context.config.idleTimeoutNs : this.connectDeadlineNs;
    return Math.min(lifeNs, this.stateDeadlineNs());
  }
}
