import { assert } from '../base/assert.js';
import { NEVER } from '../base/time.js';
import { ackProbe, creditSequence, ecn, flags, pathId } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { AckFlag, DataFlag, Ecn, ResetCode } from '../wire/layout.js';
import { longestWaitNs } from './config.js';
import type { FlowContext, TimedFlow } from './context.js';
import { CreditWatch } from './credit-watch.js';
import { errorOfReset, XpassError } from './errors.js';
import { type FlowObserver, type FlowWriter, NO_OBSERVER } from './flow-callbacks.js';
import { Probe } from './probe.js';
import { RttEstimator } from './rtt.js';
import { SeenWindow } from './seen-window.js';
import type { SendBuffer } from './send-buffer.js';
import { SenderFrames } from './sender-frames.js';
import { type RequestTerms, SenderRequests } from './sender-requests.js';
import type { SenderStatistics } from './sender-statistics.js';
import { SentStream } from './sent-stream.js';
import { refusesVersion } from './version-offer.js';

/** PROTOCOL §4.1 */
export const SenderState = {
  closed: 0,
  creditRequestSent: 1,
  creditReceiving: 2,
  creditStopSent: 3,
  finSent: 4,
} as const;

export interface SenderOptions extends RequestTerms {
  slot: number;
  header: FlowHeader;
  peer: number;
}

/**
 * The sender's end of one flow: spends credits on data, asks for them and stops them (the sender's half of Figure 7 of ExpressPass 2017,
 * PROTOCOL §4.1), keeps every byte until it is acknowledged and repairs what was lost (PROTOCOL §5).
 */
export class SenderFlow implements TimedFlow {
  readonly slot: number;
  readonly peer: number;
  readonly id: number;
  /** Who measures this flow; set by its application. */
  observer: FlowObserver = NO_OBSERVER;
  private readonly context: FlowContext;
  private readonly writer: FlowWriter;
  private readonly frames: SenderFrames;
  private readonly probe: Probe;
  private readonly requests: SenderRequests;
  private readonly stream: SentStream;
  private readonly buffer: SendBuffer;
  private readonly seen = new SeenWindow();
  private readonly rtt: RttEstimator;
  private readonly watch: CreditWatch;
  private readonly dataFields = { creditSequence: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };

  private stateCode: number = SenderState.closed;
  /** The last callback has been, or is on its way; CLOSED alone is also the state before the first write. */
  private isOver = false;
  /** A first CREDIT or ACK has come. */
  private opened = false;
  private wantsWritable = false;
  private unused = 0;
  private creditsReceived = 0;
  private dataFrames = 0;

  /** When the first request went out. */
  private connectingSinceNs = NEVER;
  private lastHeardNs: number;
  /** Since when credits find no data; NEVER while they do. */
  private idleSinceNs = NEVER;

  constructor(context: FlowContext, writer: FlowWriter, options: SenderOptions, nowNs: number) {
    this.context = context;
    this.writer = writer;
    this.slot = options.slot;
    this.frames = new SenderFrames(context, options.header, options.peer);
    this.rtt = new RttEstimator(longestWaitNs(context.config));
    this.probe = new Probe(this.rtt, context.config);
    this.stream = new SentStream(this.probe, context.config.sendBufferBytes, options.frameBytes);
    this.buffer = this.stream.buffer;
    this.requests = new SenderRequests(this.probe, this.stream, this.frames, options);
    this.watch = new CreditWatch(context.config, this.rtt);
    this.peer = options.peer;
    this.id = options.header.flowId;
    this.lastHeardNs = nowNs;
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

  get statistics(): SenderStatistics {
    return {
      bytesWritten: this.buffer.end,
      bytesSent: this.stream.sentOffset,
      bytesAcknowledged: this.stream.ackedOffset,
      bytesRepaired: this.stream.repairedBytes,
      dataFrames: this.dataFrames,
      creditsReceived: this.creditsReceived,
      creditsUnused: this.unused,
      requests: this.requests.requests,
      stops: this.requests.stops,
      rttNs: this.rtt.smoothedNs,
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

  /** No more bytes will be written: the active close. `onClosed(null)` follows when the receiver has them all. */
  end(nowNs: number): void {
    if (this.stream.ended || this.isOver) return;
    this.stream.ended = true;
    if (this.stateCode === SenderState.closed) this.request(nowNs);
    else if (this.stateCode === SenderState.creditStopSent || this.stateCode === SenderState.creditReceiving)
      this.finishIfSent(nowNs);
    this.arm();
  }

  /** Gives the flow up on both sides. Does nothing once it is closed. */
  reset(nowNs: number, code: number = ResetCode.aborted): void {
    if (this.isOver) return;
    if (this.requests.requests > 0) this.frames.reset(code, nowNs);
    this.close(new XpassError('reset', 'the flow was given up on this side'));
  }

  /** A frame of this flow: CREDIT, ACK, RESET or VERSION, checked at the door. Before the first request none can be meant for it. */
  handleCredit(frame: Frame, nowNs: number): void {
    if (this.stateCode === SenderState.closed) return;
    const sequence = creditSequence(frame.bytes);
    if (!this.seen.accept(sequence)) {
      this.context.counters.duplicateCredits++;
      return;
    }
    this.lastHeardNs = nowNs;
    this.creditsReceived++;
    this.observer.onCredit(nowNs);
    if (this.stateCode === SenderState.creditRequestSent) this.startReceiving(nowNs);
    this.watch.onCredit(nowNs);
    if (this.stateCode === SenderState.creditReceiving && this.stream.hasData) this.spend(sequence, frame, nowNs);
    else this.leaveUnused(nowNs);
  }

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
    this.opened = true;
    if (answersProbe) this.probe.answer(nowNs);
    const advances = cumulative > stream.ackedOffset;
    if (advances) stream.acknowledge(cumulative);
    if ((flags(bytes) & AckFlag.complete) !== 0 && stream.isAcknowledged) {
      this.close(null);
      return;
    }
    // An ACK that was overtaken speaks of holes that later ones have shown closed.
    if (cumulative === stream.ackedOffset && !stream.findLosses(bytes, answersProbe, nowNs))
      this.context.counters.invalid++;
    this.afterAck(nowNs);
    if (advances) this.tellWritable();
  }

  /** The answer to the latest probe knows less than had been acknowledged before: a copy of the first request has opened the flow a second time. */
  private abandon(nowNs: number): void {
    this.frames.reset(ResetCode.protocol, nowNs);
    this.close(errorOfReset(ResetCode.unknownFlow));
  }

  handleReset(code: number): void {
    this.close(errorOfReset(code));
  }

  handleVersion(lowest: number, highest: number): void {
    if (!refusesVersion(lowest, highest)) return;
    this.close(new XpassError('version', `the peer speaks versions ${lowest} to ${highest} of the protocol only`));
  }

  /** Closes the flow on this side without a word to the peer. */
  close(error: XpassError | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stateCode = SenderState.closed;
    this.context.forget(this.slot);
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
    if (nowNs >= this.stateDeadlineNs()) this.onStateTimeout(nowNs);
    return this.deadlineNs();
  }

  private get connectDeadlineNs(): number {
    return this.connectingSinceNs + this.context.config.connectTimeoutNs;
  }

  /** There is something to send: in the states without credits, ask for them. */
  private wake(nowNs: number): void {
    if (
      this.stateCode === SenderState.closed ||
      this.stateCode === SenderState.creditStopSent ||
      this.stateCode === SenderState.finSent
    )
      this.request(nowNs);
    else if (this.idleSinceNs !== NEVER) this.watch.begin(nowNs);
    this.idleSinceNs = NEVER;
    this.arm();
  }

  /** A credit that follows a later request than the first may have been under way before it, so only the first tells the RTT. */
  private startReceiving(nowNs: number): void {
    if (this.opened) this.probe.settle();
    else this.probe.answer(nowNs);
    this.opened = true;
    this.stateCode = SenderState.creditReceiving;
    this.finishIfSent(nowNs);
    this.arm();
  }

  /** Sends one data frame for the credit in `credit`. PROTOCOL §4.3 */
  private spend(sequence: number, credit: Frame, nowNs: number): void {
    const { stream, dataFields: fields } = this;
    const isMarked = ecn(credit.bytes) === Ecn.congestionExperienced;
    fields.creditSequence = sequence;
    fields.pathId = pathId(credit.bytes);
    fields.offset = stream.take(nowNs);
    fields.unused = this.unused;
    fields.flags = isMarked ? stream.takenFlags | DataFlag.creditCe : stream.takenFlags;
    this.dataFrames++;
    this.frames.data(fields, this.buffer, stream.takenBytes, nowNs);
    if (!stream.hasData) this.ranDry(nowNs);
  }

  /** Everything is sent. */
  private ranDry(nowNs: number): void {
    if (this.stream.ended) this.finishIfSent(nowNs);
    else this.idleSinceNs = nowNs;
    this.arm();
  }

  private leaveUnused(nowNs: number): void {
    this.unused++;
    if (this.stateCode === SenderState.creditReceiving && this.idleSinceNs === NEVER) {
      this.idleSinceNs = nowNs;
      this.arm();
    }
  }

  /** Comes last in whatever takes an input, since the writer may do anything to the flow. */
  private tellWritable(): void {
    if (!this.wantsWritable || !this.buffer.isHalfEmpty) return;
    this.wantsWritable = false;
    this.writer.onWritable();
  }

  private afterAck(nowNs: number): void {
    if (this.stream.hasLosses) this.wake(nowNs);
    else if (!this.stream.hasData) this.settle(nowNs);
    else this.arm();
  }

  /** Nothing is left to ask for or to spend credits on: the request was answered, or what seemed lost has arrived after all. */
  private settle(nowNs: number): void {
    if (this.stateCode === SenderState.creditRequestSent) this.stateCode = SenderState.creditReceiving;
    if (this.stateCode === SenderState.creditReceiving) {
      if (this.idleSinceNs === NEVER) this.idleSinceNs = nowNs;
      this.finishIfSent(nowNs);
    }
    this.arm();
  }

  /** The application has ended the stream and all of it has been sent: FIN. */
  private finishIfSent(nowNs: number): void {
    if (!this.stream.ended || this.stream.hasData || this.stateCode === SenderState.finSent) return;
    this.stateCode = SenderState.finSent;
    this.requests.fin(this.unused, nowNs, false);
  }

  private request(nowNs: number): void {
    this.stateCode = SenderState.creditRequestSent;
    this.sendRequest(nowNs, false);
  }

  private sendRequest(nowNs: number, again: boolean): void {
    if (this.requests.requests === 0) this.connectingSinceNs = nowNs;
    this.watch.begin(nowNs);
    this.requests.request(!this.opened, nowNs, again);
  }

  private onStateTimeout(nowNs: number): void {
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        this.sendRequest(nowNs, true);
        break;
      case SenderState.creditReceiving:
        if (this.stream.hasData) this.request(nowNs);
        else this.stop(nowNs);
        break;
      case SenderState.creditStopSent:
        this.requests.stop(this.unused, nowNs, !this.probe.answered);
        break;
      case SenderState.finSent:
        this.requests.fin(this.unused, nowNs, true);
        break;
    }
  }

  private stop(nowNs: number): void {
    this.stateCode = SenderState.creditStopSent;
    this.idleSinceNs = NEVER;
    this.requests.stop(this.unused, nowNs, false);
  }

  /** When the state's own timer fires; see SENDER_TIMERS. */
  private stateDeadlineNs(): number {
    const config = this.context.config;
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        return this.probe.deadlineNs;
      case SenderState.creditReceiving:
        if (this.stream.hasData) return this.watch.deadlineNs;
        return this.idleSinceNs === NEVER
          ? NEVER
          : this.idleSinceNs + Math.max(config.stopTimeoutNs, this.rtt.waitNs(1));
      case SenderState.creditStopSent:
        if (!this.probe.answered || this.stream.ackedOffset < this.stream.sentOffset) return this.probe.deadlineNs;
        return this.probe.sentNs + config.idleTimeoutNs / 3;
      case SenderState.finSent:
        return this.probe.deadlineNs;
      default:
        return NEVER;
    }
  }

  private deadlineNs(): number {
    if (this.stateCode === SenderState.closed) return NEVER;
    const lifeNs = this.opened ? this.lastHeardNs + this.context.config.idleTimeoutNs : this.connectDeadlineNs;
    return Math.min(lifeNs, this.stateDeadlineNs());
  }

  private arm(): void {
    if (this.stateCode !== SenderState.closed) this.context.arm(this.slot, this.deadlineNs());
  }
}
