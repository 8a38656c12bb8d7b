// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
import type { XpassError } from '../base/errors.js';
import { NEVER } from '../base/time.js';
import { dataOffset, dataPayloadBytes, flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { AckFlag, FrameType } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { LEAST_WINDOW_BYTES } from './config.js';
import type { FlowContext } from './context.js';
import { CreditSpender } from './credit-spender.js';
import { awaitCredit, beginWatch, overdueNs, startWatch, watchCredit } from './credit-watch.js';
import type { FlowWriter } from './flow-callbacks.js';
import { SenderPlace } from './flow-record.js';
import { readCredit } from './held-credit.js';
import type { ProvedPath } from './proved-path.js';
import { SeenWindow } from './seen-window.js';
import { type SenderOptions, SenderState } from './sender-flow.js';
import type { SenderStatistics } from './sender-requests.js';
import { SpeculativeBurst } from './speculative-burst.js';
import type { FlowSums } from './traffic.js';

/** A flow's place in the endpoint's RequestGate. Due: it has a place, and the request goes out once the application has had its turn. */
const Asking = { no: 0, waits: 1, due: 2, sent: 3 } as const;

/** The sender's end of a flow with credits: spends, requests and stops them (ExpressPass 2017, Figure 7; PROTOCOL §4.1), repairs losses. */
export class CreditedSender extends CreditSpender {
  override readonly ackType = FrameType.ack;
  private readonly seen: SeenWindow;
  /** Its place in the RequestGate: one of Asking. */
  private asking: number = Asking.no;
  private creditsReceived = 0;
  /** Its speculative data; null where the host sends none, and mostly at rest: an idle flow is to be small. */
  private burst: SpeculativeBurst | null = null;
  /** Where it goes; null where bursts need no proof. */
  private readonly path: ProvedPath | null;
  /** Frames of bursts that are over. */
  private burstFrames = 0;
  /** The request is for new bytes, not for lack of credits: they may go without credits. */
  private isFresh = false;
  /** The receiver may be in CREDIT_SENDING: it was asked for credits or has sent one, and has answered no CREDIT_STOP since. */
  private isServed = false;
  /** A CREDIT_STOP led to the latest rest. */
  private toldStop = false;
  private takenBack = 0;
  /** The receiver has no room for more, and no credit has come since. PROTOCOL §5.6 */
  private isPaused = false;

  constructor(context: FlowContext, writer: FlowWriter, options: SenderOptions, nowNs: number) {
    super(context, writer, options, nowNs);
    this.seen = new SeenWindow(this.record);
    this.frames.usePeersPath();
    startWatch(this.numbers, this.at);
    this.path = context.speculation?.paths?.join(options.peer) ?? null;
    this.idleSinceNs = NEVER;
  }

  override get statistics(): SenderStatistics {
    return {
      ...super.statistics,
      speculativeFrames: this.speculativeFrames,
      speculativeTakenBack: this.takenBack,
      chunks: this.chunks,
      creditsReceived: this.creditsReceived,
      creditsUnused: this.unused,
      creditsKept: this.kept?.length ?? 0,
    };
  }

  override addTo(sums: FlowSums): void {
    super.addTo(sums);
    sums.speculativeFrames += this.speculativeFrames;
    sums.credits += this.creditsReceived;
    sums.unused += this.unused;
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
    if (isFirst && !this.survivesOpening(nowNs)) return;
    this.observer.onCredit(nowNs);
    if (this.stateCode === SenderState.creditRequestSent || this.usesUnasked) this.startReceiving(isFirst, nowNs);
    watchCredit(this.numbers, this.at, this.context.config.maxBackoffNs, nowNs);
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
    const isLent = this.context.filler !== null && this.lend(this.context.filler, credit, nowNs);
    if (!isLent && (!isReceiving || credit.pathId === 0 || !this.keep(credit))) this.unused++;
    if (this.restsUntold) this.stop(nowNs);
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
      this.burst?.quitPath();
      if (this.path !== null) this.context.speculation?.paths?.leave(this.path);
    }
    super.close(error);
  }

  /** A request, so that it tells of all that was written in the same turn, and speculative frames. Otherwise credits say when to send. */
  override sendDue(nowNs: number): number {
    if (this.asking === Asking.due) this.sendWaitingRequest(nowNs);
    const { burst } = this;
    if (burst === null || !burst.isSending) return NEVER;
    const nextNs = burst.sendNext(nowNs);
    return nextNs === NEVER ? this.refillBurst(burst, nowNs) : nextNs;
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

  protected override noteSpent(): void {
    this.burst?.noteCredited();
  }

  protected override begin(nowNs: number): void {
    beginWatch(this.numbers, this.at, nowNs);
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
    if (stream.hasLosses) this.neededBurst()?.noteLoss();
    this.burst?.noteAcked(nowNs);
    if (this.burst?.isOpen) this.followBurst(this.burst, answersProbe, nowNs);
    if (stream.hasLosses) this.wake(nowNs);
    else if (!stream.hasData && !this.isBursting) this.settle(nowNs);
    else {
      // Where an ACK closes the holes that were all there was to send, nothing has told of what was written meanwhile.
      if (this.isOvertaken || this.isUntold) this.request(nowNs, true);
      this.arm();
    }
    this.forgetBurst();
  }

  private get speculativeFrames(): number {
    return this.burstFrames + (this.burst?.frames ?? 0);
  }

  /** Made anew where it was forgotten; null where the host sends no speculative data. */
  private neededBurst(): SpeculativeBurst | null {
    const { stream, frames, requests, path } = this;
    const { speculation } = this.context;
    if (this.burst === null && speculation !== null)
      this.burst = new SpeculativeBurst({ stream, frames, requests, speculation, path });
    return this.burst;
  }

  private forgetBurst(): void {
    if (this.stateCode !== SenderState.creditStopSent || this.burst?.isForgettable !== true) return;
    this.burstFrames += this.burst.frames;
    this.burst = null;
  }

  /** Its credits find no data. */
  private get isIdle(): boolean {
    return this.stateCode === SenderState.creditReceiving && this.idleSinceNs !== NEVER;
  }

  /** When its credits are stopped, if nothing is written before. */
  private get idleDeadlineNs(): number {
    return this.idleSinceNs + Math.max(this.context.config.stopTimeoutNs, this.rtt.waitNs(1));
  }

  /** Since when credits find no data; NEVER while they do. */
  private get idleSinceNs(): number {
    return this.numbers[this.at + SenderPlace.idleSinceNs];
  }

  private set idleSinceNs(sinceNs: number) {
    this.numbers[this.at + SenderPlace.idleSinceNs] = sinceNs;
  }

  /** There is something to send: in the states without credits, ask for them. */
  protected override wake(nowNs: number): void {
    const { closed, creditStopSent, finSent } = SenderState;
    // Its timer is late. Without the CREDIT_STOP credits would go on, most of them for nothing.
    if (this.isIdle && this.mayWaste && !this.isBursting && nowNs > this.idleDeadlineNs) this.stop(nowNs);
    if (this.stateCode === closed || this.stateCode === creditStopSent || this.stateCode === finSent) this.begin(nowNs);
    const wasIdle = this.isIdle;
    if (wasIdle) beginWatch(this.numbers, this.at, nowNs);
    const burst = this.neededBurst();
    if (burst !== null) this.wakeBurst(burst, nowNs);
    this.idleSinceNs = NEVER;
    if (this.kept !== null) this.spendKept(this.kept, nowNs);
    // The receiver may wait for data of credits that found nothing, of which no frame has told.
    if (wasIdle && (this.isUntold || (this.isBounded && this.unused !== this.toldUnused))) this.request(nowNs, true);
    // What its kept credits have released may have told a program that closed it.
    if (this.stream.hasData && !this.isClosed) this.context.filler?.enter(this);
    this.arm();
  }

  /** In CREDIT_RECEIVING: what the receiver was told of is sent, so no credits come for what is there now. If none were asked for, MORE is void. §4.8 */
  private get isUntold(): boolean {
    const { stream, requests } = this;
    return this.isBounded && (requests.toldCovered || !requests.toldMore) && stream.sentOffset >= requests.toldOffset;
  }

  /** It has something to send in CREDIT_RECEIVING, and the receiver issues no more credits than it was told of. */
  private get isBounded(): boolean {
    const { stateCode, stream, context } = this;
    return stateCode === SenderState.creditReceiving && stream.hasData && context.config.backlogWaitNs > 0;
  }

  /** The receiver issues credits without end, or has issued some that found nothing. */
  private get mayWaste(): boolean {
    return this.requests.toldMore || this.unused !== this.toldUnused;
  }

  protected override get mayPiggyback(): boolean {
    const { stream } = this;
    if (stream.hasLosses || this.isBursting || this.isPaused) return false;
    if (stream.piggybackedBytes + stream.unsentBytes > LEAST_WINDOW_BYTES) return false;
    return this.opened || this.asking === Asking.sent;
  }

  /** All that the request told of has arrived without a credit of the flow, or it told of nothing: no credit comes for later bytes. */
  private get isOvertaken(): boolean {
    if (this.stateCode !== SenderState.creditRequestSent) return false;
    return this.asking === Asking.no && !this.isBursting && this.stream.ackedOffset >= this.requests.toldOffset;
  }

  /** The fate of some bytes that went without credits is not known. */
  private get isBursting(): boolean {
    return this.burst?.isOpen === true;
  }

  /** No CREDIT_STOP led to CSTOP_SENT, since no credits were issued. A credit that comes nevertheless has to be stopped. */
  private get restsUntold(): boolean {
    return !this.toldStop && this.stateCode === SenderState.creditStopSent;
  }

  /** A receiver that issues credits for what it was told of alone has none for what is written next: a late one says nothing else. */
  private get usesUnasked(): boolean {
    return this.restsUntold && this.context.config.backlogWaitNs === 0;
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

  /** Bytes of the request go without credits. True where nothing has to be asked before. PROTOCOL §12.1 */
  private beginBurst(nowNs: number): boolean {
    const { requests, opened } = this;
    const burst = this.neededBurst();
    if (burst === null || burst.isOpen || !this.stream.hasData) return false;
    if (requests.requests === 0 && burst.mayBegin(nowNs)) this.context.schedule(this.slot, burst.begin(nowNs));
    else if (opened && this.isFresh && !this.isPaused && burst.mayResume(nowNs))
      this.context.schedule(this.slot, burst.resume(nowNs));
    return opened && burst.isOpen && requests.isCovered;
  }

  /** All that may go now has gone, and no credit tells a program to write on: what it writes goes too, or is told of with the probe. */
  private refillBurst(burst: SpeculativeBurst, nowNs: number): number {
    this.context.schedule(this.slot, NEVER);
    this.observer.onAck(nowNs);
    if (this.isClosed || !burst.isSending) return NEVER;
    const nextNs = burst.nextNs(nowNs);
    if (nextNs === NEVER) this.endBurst(burst, nowNs);
    return nextNs;
  }

  /** No more goes without credits: a probe behind it shows how much of it has arrived. */
  private endBurst(burst: SpeculativeBurst, nowNs: number): void {
    burst.end();
    this.context.schedule(this.slot, NEVER);
    this.tell(nowNs, false);
    this.arm();
  }

  /** New bytes while a request or a burst is under way: they follow it, or the receiver is told of more than goes without credits. */
  private wakeBurst(burst: SpeculativeBurst, nowNs: number): void {
    const { requests } = this;
    if (this.stateCode !== SenderState.creditRequestSent || this.asking === Asking.due) return;
    const mayFollow = this.asking === Asking.sent && !burst.isSending && !this.isPaused && burst.mayResume(nowNs);
    const isEmptyOpening = !this.opened && requests.requests === 1 && this.requests.toldOffset === 0;
    if (mayFollow && (burst.isOpen ? requests.toldCovered : isEmptyOpening))
      this.context.schedule(this.slot, burst.resume(nowNs));
    if (burst.isOpen && requests.toldCovered && !requests.isCovered) this.tell(nowNs, false);
  }

  /** The burst's fate is known once its probe is answered. If nothing is left to do, no credit was asked for and none will come. */
  private followBurst(burst: SpeculativeBurst, answersProbe: boolean, nowNs: number): void {
    const { stream } = this;
    if (burst.isSending || !(answersProbe || stream.ackedOffset === stream.sentOffset)) return;
    if (!answersProbe) this.probe.settle();
    burst.close();
    this.leaveGate();
    if (this.stateCode === SenderState.creditRequestSent && !stream.hasData && !stream.ended) this.rest(nowNs);
    // No credit has told a program that writes as its credits come.
    this.observer.onAck(nowNs);
  }

  /** A receiver that was asked for no credits has none to stop. One that may be issuing them is told later, if nothing more is written. */
  private rest(nowNs: number): void {
    this.toldStop = false;
    if (this.stream.ackedOffset < this.stream.sentOffset) this.stop(nowNs);
    else if (this.isServed) this.settle(nowNs);
    else this.stateCode = SenderState.creditStopSent;
  }

  protected override ranDry(nowNs: number): void {
    if (this.stream.ended && !this.isBursting) this.finishIfSent(nowNs);
    else this.idleSinceNs = nowNs;
    this.arm();
  }

  protected override settle(nowNs: number): void {
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
    awaitCredit(this.numbers, this.at, nowNs);
    if (!again && this.beginBurst(nowNs)) return;
    this.tell(nowNs, again);
  }

  /** Sends a request for all that has been written. */
  private tell(nowNs: number, again: boolean): void {
    this.sendRequest(nowNs, again);
    this.isServed ||= !this.requests.toldCovered;
  }

  protected override onStateTimeout(nowNs: number): void {
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        this.leaveGate();
        // The receiver may not have known the flow when bytes of it came with the credits of others.
        if (!this.opened && !this.isBursting) this.stream.losePiggybacked();
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
    this.toldStop = true;
    this.idleSinceNs = NEVER;
    this.dropKept();
    this.toldUnused = this.unused;
    this.requests.stop(this.unused, nowNs, false);
    this.arm();
  }

  protected override stateDeadlineNs(): number {
    const config = this.context.config;
    switch (this.stateCode) {
      case SenderState.creditRequestSent:
        if (this.asking === Asking.waits || this.asking === Asking.due) return NEVER;
        // The probe behind the burst has not left.
        return this.opened && this.burst?.isSending ? NEVER : this.probe.requestDeadlineNs(this.id);
      case SenderState.creditReceiving:
        if (this.stream.hasData) return overdueNs(this.numbers, this.at, config, this.rtt);
        if (this.isBursting) return this.probe.deadlineNs;
        return this.idleDeadlineNs;
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
