// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
import * as time from '../base/time.js';
import { dataOffset, dataPayloadBytes, flags } from '../wire/decode.js';
import type { DataFields } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { LEAST_WINDOW_BYTES } from './config.js';
import type { FlowContext } from './context.js';
import { CreditWatch } from './credit-watch.js';
import type { XpassError } from './errors.js';
import type { FlowWriter } from './flow-callbacks.js';
import { Hot } from './flow-record.js';
import type { FrameFiller, Rider } from './frame-filler.js';
import { echoOf, type HeldCredit, readCredit } from './held-credit.js';
import { KeptCredits } from './kept-credits.js';
import { SeenWindow } from './seen-window.js';
import * as senderFlow from './sender-flow.js';
import { SenderFlow, type SenderOptions } from './sender-flow.js';
import type { SenderStatistics } from './sender-statistics.js';
import { SpeculativeBurst } from './speculative-burst.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { AckFlag, DataFlag, FrameType } = layout;
const { SenderState } = senderFlow;

/** Of a flow in the endpoint's RequestGate; due: has a place, and goes out once the application has had its turn. */
const Asking = { no: 0, waits: 1, due: 2, sent: 3 } as const;

/**
 * The sender's end of a flow with credits: spends them on data, asks for them and stops them (the sender's half of Figure 7 of ExpressPass 2017, PROTOCOL §4.1),
 * and repairs what was lost with them.
 */
export class CreditedSender extends SenderFlow implements Rider {
  override readonly ackType = FrameType.ack;
  private readonly seen: SeenWindow;
  private readonly watch: CreditWatch;
  /** Made for the first credit that is kept. */
  private kept: KeptCredits | null = null;
  /** Whether it has a request among those to this peer, or waits until it may have. */
  private asking: number = Asking.no;
  /** What the latest request told of: bytes before this offset. `toldMore`: a data frame since then has said that there are others. */
  private toldOffset = 0;
  private toldMore = false;
  private unused = 0;
  private creditsReceived = 0;
  /** What it sends without credits; null where its host sends nothing so. */
  private readonly burst: SpeculativeBurst | null;
  /** New bytes made it ask, and not the lack of credits: they may go without. */
  private isFresh = false;
  /** The receiver may be in CREDIT_SENDING: it was asked for credits, or has sent one, and no CREDIT_STOP has been answered since. */
  private isServed = false;
  private takenBack = 0;
  private chunks = 0;
  /** The receiver has no room for more, and no credit has come since. PROTOCOL §5.6 */
  private isPaused = false;

  constructor(context: FlowContext, writer: FlowWriter, options: SenderOptions, nowNs: number) {
    super(context, writer, options, nowNs);
    this.seen = new SeenWindow(this.record);
    this.frames.usePeersPath();
    this.watch = new CreditWatch(context.config, this.rtt, this.record);
    const { stream, frames, requests } = this;
    const { speculation } = context;
    const parts = { stream, frames, requests, frameBytes: options.frameBytes };
    this.burst = speculation === null ? null : new SpeculativeBurst({ ...parts, speculation });
    this.idleSinceNs = NEVER;
  }

  override get statistics(): SenderStatistics {
    return {
      ...super.statistics,
      speculativeFrames: this.burst?.frames ?? 0,
      speculativeTakenBack: this.takenBack,
      chunks: this.chunks,
      creditsReceived: this.creditsReceived,
      creditsUnused: this.unused,
      creditsKept: this.kept?.length ?? 0,
    };
  }

  override handleCredit(frame: Frame, nowNs: number): void {
    if (this.stateCode === SenderState.closed) return;
    const credit = readCredit(frame);
    if (!this.seen.accept(credit.sequence)) {
      this.context.counters.duplicateCredits++;
      return;
    }
    this.lastHeardNs = nowNs;
    this.creditsReceived++;
    const isFirst = !this.opened;
    if (isFirst && !this.survivesOpening()) return;
    this.observer.onCredit(nowNs);
    if (this.stateCode === SenderState.creditRequestSent || this.restsUntold) this.startReceiving(isFirst, nowNs);
    this.watch.onCredit(nowNs);
    this.isPaused = false;
    if (credit.pathId !== 0) this.spread(credit.pathId);
    const isReceiving = this.stateCode === SenderState.creditReceiving;
    if (isReceiving && this.stream.hasData) {
      this.spend(credit, nowNs);
      return;
    }
    if (isReceiving && this.idleSinceNs === NEVER) {
      this.idleSinceNs = nowNs;
      this.arm();
    }
    if (this.context.filler !== null && this.lend(this.context.filler, credit, nowNs)) return;
    if (!isReceiving || credit.pathId === 0 || !this.keep(credit)) this.unused++;
  }

  /** Takes all that waits along in a frame of another flow. Losses wait for a credit of the flow, so that what its receiver had no room for does not come again and again. PROTOCOL §13.1 */
  board(filler: FrameFiller, nowNs: number): boolean {
    const { stream, buffer } = this;
    if (!stream.hasData) return false;
    if (!this.mayBoard || stream.unsentBytes > filler.roomBytes || !filler.fits(buffer)) return true;
    filler.add(this.frames.flowId, stream.takeRide(nowNs), buffer, stream);
    this.chunks++;
    return false;
  }

  onBoarded(nowNs: number): void {
    if (this.isClosed) return;
    if (!this.opened || this.stream.hasData) this.arm();
    else this.settle(nowNs);
    // A program that writes as its credits come gets none for this.
    this.observer.onAck(nowNs);
  }

  /** The request has a place now. */
  sendWaitingRequest(nowNs: number): void {
    this.asking = Asking.sent;
    this.ask(nowNs, false);
    this.arm();
  }

  override close(error: XpassError | null): void {
    if (!this.isClosed) {
      this.leaveGate();
      this.context.filler?.leave(this);
    }
    super.close(error);
  }

  /** A request, so that it tells of all that was written in the same turn, and speculative frames. Otherwise credits say when to send. */
  override sendDue(nowNs: number): number {
    if (this.asking === Asking.due) this.sendWaitingRequest(nowNs);
    const { burst } = this;
    if (burst === null || !burst.isSending) return NEVER;
    const nextNs = burst.sendNext(nowNs);
    if (nextNs === NEVER) this.endBurst(burst, nowNs);
    return nextNs;
  }

  /** The host's NIC has dropped a speculative frame. */
  speculativeTakenBack(frame: Frame): void {
    const { stream } = this;
    const start = widen(dataOffset(frame.bytes), stream.sentOffset);
    const end = start + dataPayloadBytes(frame);
    this.takenBack++;
    // One that cannot be noted is found in an ACK.
    if (end <= stream.ackedOffset) return;
    stream.lose(Math.max(start, stream.ackedOffset), end);
    this.burst?.noteLoss();
  }

  protected override begin(nowNs: number): void {
    this.watch.begin(nowNs);
    this.request(nowNs, true);
  }

  protected override finish(nowNs: number): void {
    if (this.stateCode === SenderState.closed) this.request(nowNs, true);
    else if (this.stateCode === SenderState.creditStopSent || this.stateCode === SenderState.creditReceiving)
      this.finishIfSent(nowNs);
  }

  protected override readAck(frame: Frame, answersProbe: boolean, nowNs: number): void {
    const { stream } = this;
    this.isPaused = (flags(frame.bytes) & AckFlag.paused) !== 0;
    if (answersProbe) this.leaveGate();
    if (answersProbe && this.stateCode === SenderState.creditStopSent) this.isServed = false;
    // An ACK that was overtaken speaks of holes that later ones have shown closed.
    if (stream.cumulativeOf(frame.bytes) === stream.ackedOffset && !stream.findLosses(frame.bytes, answersProbe, nowNs))
      this.context.counters.invalid++;
    if (stream.hasLosses) this.burst?.noteLoss();
    if (this.burst?.isOpen) this.followBurst(this.burst, answersProbe, nowNs);
    if (stream.hasLosses) this.wake(nowNs);
    else if (!stream.hasData && !this.isBursting) this.settle(nowNs);
    else {
      if (this.isOvertaken) this.request(nowNs, true);
      this.arm();
    }
  }

  /** Since when credits find no data; NEVER while they do. */
  private get idleSinceNs(): number {
    return this.numbers[this.at + Hot.idleSinceNs];
  }

  private set idleSinceNs(sinceNs: number) {
    this.numbers[this.at + Hot.idleSinceNs] = sinceNs;
  }

  /** There is something to send: in the states without credits, ask for them. */
  protected override wake(nowNs: number): void {
    const { closed, creditStopSent, finSent } = SenderState;
    if (this.stateCode === closed || this.stateCode === creditStopSent || this.stateCode === finSent) this.begin(nowNs);
    const wasIdle = this.stateCode === SenderState.creditReceiving && this.idleSinceNs !== NEVER;
    if (wasIdle) this.watch.begin(nowNs);
    if (this.burst !== null) this.wakeBurst(this.burst, nowNs);
    this.idleSinceNs = NEVER;
    if (this.kept !== null) this.spendKept(this.kept, nowNs);
    if (wasIdle && this.isUntold) this.request(nowNs, true);
    // What its kept credits have released may have told a program that closed it.
    if (this.stream.hasData && !this.isClosed) this.context.filler?.enter(this);
    this.arm();
  }

  /** In CREDIT_RECEIVING, after a pause: all that was told of is sent, so the receiver has no reason to issue credits for what there is now. PROTOCOL §4.8 */
  private get isUntold(): boolean {
    const { stream, context } = this;
    if (this.stateCode !== SenderState.creditReceiving || context.config.backlogWaitNs === 0) return false;
    return stream.hasData && !this.toldMore && stream.sentOffset >= this.toldOffset;
  }

  /** Its receiver knows the flow, or will before another frame comes, and has room for it; and nothing of it is under way that others would overtake. */
  private get mayBoard(): boolean {
    const { stream } = this;
    if (stream.hasLosses || this.isBursting || this.isPaused) return false;
    if (stream.ridingBytes + stream.unsentBytes > LEAST_WINDOW_BYTES) return false;
    return this.opened || this.asking === Asking.sent;
  }

  /** All that its request told of has arrived without a credit of the flow, or it told of nothing: no credit comes for what was written since. */
  private get isOvertaken(): boolean {
    if (this.stateCode !== SenderState.creditRequestSent) return false;
    return this.asking === Asking.no && !this.isBursting && this.stream.ackedOffset >= this.toldOffset;
  }

  /** The fate of some bytes that went without credits is not known. */
  private get isBursting(): boolean {
    return this.burst?.isOpen === true;
  }

  /** It rests without a CREDIT_STOP, since no credits were issued; if one comes all the same, it has to stop them. */
  private get restsUntold(): boolean {
    return this.burst !== null && !this.isServed && this.stateCode === SenderState.creditStopSent;
  }

  /** A credit that follows a later request than the first may have been under way before it, so only the first tells the RTT. */
  private startReceiving(isFirst: boolean, nowNs: number): void {
    this.leaveGate();
    this.isServed = true;
    if (!this.isBursting && !isFirst) this.probe.settle();
    else if (!this.isBursting) this.probe.answer(nowNs);
    else if (this.burst?.isSending) this.endBurst(this.burst, nowNs);
    this.stateCode = SenderState.creditReceiving;
    this.finishIfSent(nowNs);
    this.arm();
  }

  /** What the request would ask credits for goes without. True where nothing has to be asked before that. PROTOCOL §12.1 */
  private beginBurst(nowNs: number): boolean {
    const { burst, requests, opened } = this;
    if (burst === null || burst.isOpen || !this.stream.hasData) return false;
    if (requests.requests === 0 && burst.mayBegin) this.context.schedule(this.slot, burst.begin(nowNs));
    else if (opened && this.isFresh && !this.isPaused && burst.mayResume)
      this.context.schedule(this.slot, burst.resume(nowNs));
    return opened && burst.isOpen && requests.isCovered;
  }

  /** No more goes without credits: a probe behind it shows how much of it has arrived. */
  private endBurst(burst: SpeculativeBurst, nowNs: number): void {
    burst.end();
    this.context.schedule(this.slot, NEVER);
    this.tell(nowNs, false);
    this.arm();
  }

  /** There are new bytes while a request or a burst is under way: they follow it, or the receiver is told that there is more than goes without credits. */
  private wakeBurst(burst: SpeculativeBurst, nowNs: number): void {
    const { requests } = this;
    if (this.stateCode !== SenderState.creditRequestSent || this.asking === Asking.due) return;
    const mayFollow = this.asking === Asking.sent && !burst.isSending && !this.isPaused && burst.mayResume;
    const isEmptyOpening = !this.opened && requests.requests === 1 && this.toldOffset === 0;
    if (mayFollow && (burst.isOpen ? requests.toldCovered : isEmptyOpening))
      this.context.schedule(this.slot, burst.resume(nowNs));
    if (burst.isOpen && requests.toldCovered && !requests.isCovered) this.tell(nowNs, false);
  }

  /** The fate of the whole burst is known once its probe was answered. Where it left nothing to do, no credit was asked for and none will come. */
  private followBurst(burst: SpeculativeBurst, answersProbe: boolean, nowNs: number): void {
    const { stream } = this;
    if (burst.isSending || !(answersProbe || stream.ackedOffset === stream.sentOffset)) return;
    if (!answersProbe) this.probe.settle();
    burst.close();
    this.leaveGate();
    if (this.stateCode === SenderState.creditRequestSent && !stream.hasData && !stream.ended) this.rest(nowNs);
    // A program that writes as its credits come has got none for what went without.
    this.observer.onAck(nowNs);
  }

  /** A receiver that was asked for no credits has none to stop. One that may be issuing them is told later, if nothing more is written. */
  private rest(nowNs: number): void {
    if (this.stream.ackedOffset < this.stream.sentOffset) this.stop(nowNs);
    else if (this.isServed) this.settle(nowNs);
    else this.stateCode = SenderState.creditStopSent;
  }

  /** Credits come by several paths; the latest works. */
  private spread(path: number): void {
    this.stream.spread();
    this.frames.setPath(path);
  }

  /** Sends one data frame for a credit. PROTOCOL §4.3 */
  private spend(credit: HeldCredit, nowNs: number): void {
    const { stream } = this;
    const offset = stream.take(nowNs);
    const fields = this.echo(credit, offset, stream.takenFlags | this.moreFlag());
    const { filler } = this.context;
    if (filler === null) this.frames.data(fields, this.buffer, stream.takenBytes, nowNs);
    else this.sendFilled(filler, fields, nowNs);
    this.burst?.noteCredited();
    if (!stream.hasData) this.ranDry(nowNs);
    filler?.settle(nowNs);
  }

  /** Sends the frame of the bytes that the stream has given out last, and of what else fits into it: the flow's own, then those of others. */
  private sendFilled(filler: FrameFiller, fields: DataFields, nowNs: number): void {
    const { stream, buffer, frames } = this;
    const { takenBytes } = stream;
    filler.begin(takenBytes, buffer);
    while (stream.hasData && filler.roomBytes > 0) {
      filler.add(frames.flowId, stream.take(nowNs, filler.roomBytes), buffer, stream);
      this.chunks++;
    }
    filler.fill(this, nowNs);
    if (filler.chunks === 0) frames.data(fields, buffer, takenBytes, nowNs);
    else frames.filled(fields, buffer, filler, nowNs);
  }

  /** The flow has no use for a credit: it goes for what others to the same peer have. False where they have nothing. */
  private lend(filler: FrameFiller, credit: HeldCredit, nowNs: number): boolean {
    filler.begin(0, this.buffer);
    // Who counted the credit may have closed the flow.
    if (!this.isClosed) filler.fill(this, nowNs);
    if (filler.chunks === 0) return false;
    this.frames.filled(this.echo(credit, this.stream.sentOffset, 0), this.buffer, filler, nowNs);
    filler.settle(nowNs);
    return true;
  }

  private echo(credit: HeldCredit, offset: number, flagBits: number): DataFields {
    this.dataFrames++;
    return echoOf(credit, offset, this.unused, flagBits);
  }

  private moreFlag(): number {
    if (this.buffer.end <= this.toldOffset) return 0;
    this.toldMore = true;
    return DataFlag.more;
  }

  /** Everything is sent. */
  private ranDry(nowNs: number): void {
    if (this.stream.ended && !this.isBursting) this.finishIfSent(nowNs);
    else this.idleSinceNs = nowNs;
    this.arm();
  }

  /** False where there is no room. */
  private keep(credit: HeldCredit): boolean {
    this.kept ??= new KeptCredits(this.context.config.keptCredits);
    return this.kept.push(credit);
  }

  /** Data for credits that waited for it. */
  private spendKept(kept: KeptCredits, nowNs: number): void {
    while (this.stream.hasData && !this.isClosed && kept.shift()) this.spend(kept, nowNs);
  }

  /** They go as unused: the flow stops its credits. */
  private dropKept(): void {
    if (this.kept !== null) this.unused += this.kept.clear();
  }

  /** Nothing is left to ask for or to spend credits on: the request was answered, or what seemed lost has arrived after all. */
  private settle(nowNs: number): void {
    if (this.stateCode === SenderState.creditRequestSent) {
      this.leaveGate();
      this.stateCode = SenderState.creditReceiving;
    }
    if (this.stateCode === SenderState.creditReceiving) {
      if (this.idleSinceNs === NEVER) this.idleSinceNs = nowNs;
      this.finishIfSent(nowNs);
    }
    this.arm();
  }

  /** The application has ended the stream and all of it has been sent: FIN. */
  private finishIfSent(nowNs: number): void {
    if (this.isBursting || !this.stream.ended || this.stream.hasData || this.stateCode === SenderState.finSent) return;
    this.stateCode = SenderState.finSent;
    this.dropKept();
    this.requests.fin(this.unused, nowNs, false);
  }

  /** `isFresh`: for bytes that were just written. */
  private request(nowNs: number, isFresh: boolean): void {
    this.isFresh = isFresh;
    this.stateCode = SenderState.creditRequestSent;
    if (this.context.requests.enter(this.peer, this.slot)) {
      this.asking = Asking.due;
      this.context.schedule(this.slot, nowNs);
    } else this.asking = Asking.waits;
  }

  /** The request was answered, was not, or is not needed any more. */
  private leaveGate(): void {
    if (this.asking === Asking.no) return;
    this.asking = Asking.no;
    this.context.requests.leave(this.peer, this.slot);
  }

  private ask(nowNs: number, again: boolean): void {
    this.watch.wait(nowNs);
    if (!again && this.beginBurst(nowNs)) return;
    this.tell(nowNs, again);
  }

  /** Sends a request for all that has been written. */
  private tell(nowNs: number, again: boolean): void {
    this.toldOffset = this.buffer.end;
    this.toldMore = false;
    this.sendRequest(nowNs, again);
    this.isServed ||= !this.requests.toldCovered;
  }

  protected override onStateTimeout(nowNs: number): void {
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        this.leaveGate();
        // The receiver may not have known the flow when bytes of it came with the credits of others.
        if (!this.opened && !this.isBursting) this.stream.loseRides();
        this.ask(nowNs, true);
        break;
      case SenderState.creditReceiving:
        if (this.stream.hasData) this.request(nowNs, false);
        else this.endOrStop(nowNs);
        break;
      case SenderState.creditStopSent:
        this.requests.stop(this.unused, nowNs, !this.probe.answered);
        break;
      case SenderState.finSent:
        this.requests.fin(this.unused, nowNs, true);
        break;
    }
  }

  /** Either frame is a probe too, so that of a burst is not waited for any longer. */
  private endOrStop(nowNs: number): void {
    this.burst?.close();
    if (this.stream.ended) this.finishIfSent(nowNs);
    else this.stop(nowNs);
  }

  private stop(nowNs: number): void {
    this.stateCode = SenderState.creditStopSent;
    this.idleSinceNs = NEVER;
    this.dropKept();
    this.requests.stop(this.unused, nowNs, false);
  }

  protected override stateDeadlineNs(): number {
    const config = this.context.config;
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        if (this.asking === Asking.waits || this.asking === Asking.due) return NEVER;
        // The probe behind the burst has not left.
        return this.opened && this.burst?.isSending ? NEVER : this.probe.requestDeadlineNs(this.id);
      case SenderState.creditReceiving:
        if (this.stream.hasData) return this.watch.deadlineNs;
        if (this.isBursting) return this.probe.deadlineNs;
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
}
