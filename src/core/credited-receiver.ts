// Tested by test/core/receiver-flow.test.ts, test/core/receiver-data.test.ts and test/core/receiver-window.test.ts
import type { XpassError } from '../base/errors.js';
import { dataCreditSequence, dataOffset, dataPayloadBytes, dataUnused, flags, pathId } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { CreditRequest, CreditStop, Fin } from '../wire/frames.js';
import { AckFlag, DataFlag, RequestFlag } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { Acknowledger } from './acknowledger.js';
import type { DueSource, FlowContext } from './context.js';
import { CreditIssuer, type IssuerOptions } from './credit-issuer.js';
import type { CreditLedger } from './credit-ledger.js';
import type { FlowObserver } from './flow-callbacks.js';
import { ReceiverFlow, type ReceiverOptions, ReceiverState } from './receiver-flow.js';
import type { ReceiverStatistics } from './receiver-statistics.js';
import type { FlowSums } from './traffic.js';

export interface CreditedReceiverOptions extends ReceiverOptions, IssuerOptions {
  algorithmName: string;
}

/**
 * The receiver's end of a flow with credits (PROTOCOL §4.2; receiver's half of Figure 7 of ExpressPass 2017): issues them while the sender wants them, takes
 * data, and acknowledges it now and then (PROTOCOL §5.1).
 */
export class CreditedReceiver extends ReceiverFlow {
  override readonly algorithmName: string;
  private readonly credits: CreditIssuer;
  private readonly ledger: CreditLedger;
  private readonly acknowledger: Acknowledger;
  private pausedTold = false;
  /** The probe that the latest ACK repeated. */
  private answeredProbe = 0;

  constructor(context: FlowContext, options: CreditedReceiverOptions, nowNs: number) {
    super(context, options, nowNs);
    const { record, window, frames } = this;
    this.acknowledger = new Acknowledger(context.config, record);
    this.credits = new CreditIssuer(context, options, { record, window, frames }, nowNs);
    this.ledger = this.credits.ledger;
    this.algorithmName = options.algorithmName;
  }

  override get isReactive(): boolean {
    return false;
  }

  override get observer(): FlowObserver {
    return this.credits.observer;
  }

  override set observer(observer: FlowObserver) {
    this.credits.observer = observer;
  }

  override get algorithmState(): Record<string, number> {
    const { control, spraying } = this.credits;
    return spraying === null ? control.state : { ...control.state, ...spraying.state };
  }

  override get rateBps(): number {
    return this.credits.control.rateBps;
  }

  override get rttNs(): number {
    return this.credits.rtt.smoothedNs;
  }

  override get statistics(): ReceiverStatistics {
    const { ledger } = this;
    const { sent, used, unused, dropped } = ledger.counts;
    const { spraying, rtt } = this.credits;
    return {
      ...super.statistics,
      paths: spraying?.validPaths ?? 0,
      pathExclusions: spraying?.exclusions ?? 0,
      pathReturns: spraying?.returns ?? 0,
      creditsSent: sent,
      creditsUsed: used,
      creditsUnused: unused,
      creditsDropped: dropped,
      creditsOutstanding: ledger.outstanding,
      creditsOvertaken: ledger.outstanding - ledger.awaited,
      creditsLostAtHome: ledger.lostAtHomeCount,
      rttNs: rtt.smoothedNs,
      minRttNs: rtt.minNs,
    };
  }

  override addTo(sums: FlowSums): void {
    super.addTo(sums);
    this.ledger.addTo(sums);
  }

  override release(bytes: number, nowNs: number): void {
    const hadRoom = this.credits.hasRoom;
    this.window.release(bytes);
    this.credits.windowChanged();
    // Inside `onData` the frame is not done with yet: `handleData` goes on from there.
    if (this.stream.isDelivering || this.stateCode !== ReceiverState.creditSending) return;
    // Where there was no room, no data was to be waited for.
    if (!hadRoom) this.credits.waitForData(nowNs);
    this.credits.reschedule(nowNs);
    if (this.pausedTold && !this.window.isPaused) this.sendAck(nowNs);
    this.arm();
  }

  override handleOpening(frame: Frame): void {
    super.handleOpening(frame);
    this.acknowledger.setFrameBytes(CreditRequest.read.maxFrameBytes(frame.bytes));
    if ((flags(frame.bytes) & RequestFlag.lowClass) !== 0) this.frames.setLowClass();
  }

  override handleRequest(frame: Frame, nowNs: number): void {
    // In CLOSED it is the one that `handleOpening` has counted.
    if (this.stateCode === ReceiverState.closed) this.lastHeardNs = nowNs;
    else this.heard(nowNs);
    this.noteProbe(CreditRequest.read.probe(frame.bytes));
    if (pathId(frame.bytes) !== 0) this.frames.setPath(pathId(frame.bytes));
    if (this.stateCode === ReceiverState.complete) {
      this.sendAck(nowNs);
      return;
    }
    if ((flags(frame.bytes) & RequestFlag.speculative) !== 0) {
      this.handleBurst(frame, nowNs);
      return;
    }
    const isRunning = this.stateCode === ReceiverState.creditSending;
    this.noteBacklog(frame);
    this.wantCredits(nowNs);
    if (isRunning || !this.credits.isPrompt) this.sendAck(nowNs);
    this.credits.reschedule(nowNs);
    this.arm();
  }

  override handleData(frame: Frame, nowNs: number): void {
    const bytes = frame.bytes;
    const offset = widen(dataOffset(bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    const { credits } = this;
    if (!credits.echo(dataCreditSequence(bytes), dataUnused(bytes))) return;
    this.heard(nowNs);
    credits.onData(frame, nowNs);
    if ((flags(bytes) & DataFlag.more) !== 0) this.window.tellMore();
    credits.control.countData(bytes, this.countData(bytes));
    if (dataPayloadBytes(frame) > 0) this.place(frame, offset, nowNs);
    if (this.isOver) return;
    credits.updateRate(nowNs);
    credits.reschedule(nowNs);
    if (this.acknowledger.isDue(nowNs)) this.sendAck(nowNs);
    // Data puts every other deadline off, and to compute them all for each frame costs a twentieth of its time.
    this.context.arm(this.slot, this.acknowledger.deadlineNs);
  }

  override handleSpeculative(frame: Frame, nowNs: number): void {
    const offset = widen(dataOffset(frame.bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    this.heard(nowNs);
    if (this.stateCode === ReceiverState.complete) return;
    this.counted.speculative++;
    this.placeSpeculative(frame, offset, nowNs);
    if (this.isOver) return;
    this.credits.reschedule(nowNs);
    if (this.acknowledger.isDue(nowNs)) this.sendAck(nowNs);
    this.arm();
  }

  override handleChunk(frame: Frame, nowNs: number): void {
    const { bytes } = frame;
    const offset = widen(dataOffset(bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    this.lastHeardNs = nowNs;
    // The frame around it is another flow's, and counts there.
    this.counted.chunks++;
    if ((flags(bytes) & DataFlag.repair) !== 0) this.counted.repaired++;
    if (this.stateCode === ReceiverState.complete) return;
    if ((flags(bytes) & DataFlag.more) !== 0) this.window.tellMore();
    this.place(frame, offset, nowNs);
    if (this.isOver) return;
    this.credits.reschedule(nowNs);
    // The sender waits for an answer to its request, which no credit gives any more.
    const isAwaited = this.probe !== this.answeredProbe && this.credits.isSatisfied;
    if (isAwaited || this.acknowledger.isDue(nowNs)) this.sendAck(nowNs);
    this.arm();
  }

  override handleStop(frame: Frame, nowNs: number): void {
    // A CREDIT_STOP that keeps the flow alive: nothing of it is under way, and it may rest for long.
    if (this.stateCode === ReceiverState.creditStopped) this.credits.restAfter(this.lastHeardNs, nowNs);
    this.heard(nowNs);
    this.noteProbe(CreditStop.read.probe(frame.bytes));
    this.ledger.noteUnused(CreditStop.read.unused(frame.bytes));
    this.stopAt(CreditStop.read.probe(frame.bytes));
    this.credits.mayRest = this.stateCode === ReceiverState.creditStopped;
    this.sendAck(nowNs);
    this.arm();
  }

  override get dueSource(): DueSource {
    return this.credits;
  }

  override creditTakenBack(frame: Frame, nowNs: number): void {
    this.credits.takenBack(frame, nowNs);
  }

  protected override readFin(frame: Frame): void {
    this.ledger.noteUnused(Fin.read.unused(frame.bytes));
    this.stopAt(Fin.read.probe(frame.bytes));
  }

  /** A request that was sent after the frame with this probe may have come before it, by another path. */
  private stopAt(probe: number): void {
    if (probe === this.probe) this.stop();
  }

  protected override stop(): void {
    if (this.stateCode !== ReceiverState.creditSending) return;
    this.stateCode = ReceiverState.creditStopped;
    this.window.restartDemand();
    this.credits.stop();
  }

  override close(error: XpassError | null): void {
    super.close(error);
    this.ledger.letGo();
  }

  /** Credits may run still: a request can overtake the FIN before it. */
  protected override onComplete(): void {
    this.stop();
    this.ledger.forgive();
  }

  protected override stateDeadlineNs(): number {
    return Math.min(this.acknowledger.deadlineNs, this.credits.deadlineNs);
  }

  protected override onStateTimer(nowNs: number): void {
    if (nowNs >= this.acknowledger.deadlineNs) this.sendAck(nowNs);
    this.credits.onTimer(nowNs);
    if (nowNs >= this.credits.dataDeadlineNs) this.stop();
  }

  protected override sendAck(nowNs: number): void {
    if (this.stateCode === ReceiverState.closed) return;
    const complete = this.stateCode === ReceiverState.complete;
    // Also while no credits run: bursts have to wait for room as well. PROTOCOL §12.2
    const paused = !complete && this.window.isPaused;
    this.pausedTold = paused;
    const bits = (complete ? AckFlag.complete : 0) | (paused ? AckFlag.paused : 0);
    // Its sender may have nothing else to go by.
    if (this.probe !== this.answeredProbe) this.frames.restartRanges();
    this.answeredProbe = this.probe;
    this.frames.ack(this.reassembly, this.probe, bits, nowNs);
    this.acknowledger.onSent();
  }

  private noteBacklog({ bytes }: Frame): void {
    this.window.setPathFrameBytes(CreditRequest.read.pathFrameBytes(bytes));
    this.window.tellDemand(CreditRequest.read.sentOffset(bytes), CreditRequest.read.backlog(bytes));
    this.credits.windowChanged();
  }

  /** The sender sends without credits, or has; it wants some for what is beyond that, and for what of it was lost. PROTOCOL §12.2 */
  private handleBurst(frame: Frame, nowNs: number): void {
    const { bytes } = frame;
    this.noteBacklog(frame);
    const sentOffset = widen(CreditRequest.read.sentOffset(bytes), this.reassembly.nextOffset);
    const isCovered = (flags(bytes) & RequestFlag.covered) !== 0;
    const wantsCredits = !isCovered || sentOffset > this.reassembly.nextOffset;
    const isAnnounced = this.stateCode === ReceiverState.closed && sentOffset === 0;
    if (this.stateCode === ReceiverState.closed) this.stateCode = ReceiverState.creditStopped;
    if (wantsCredits) this.wantCredits(nowNs);
    // The time until the next burst is no gap between frames.
    else this.acknowledger.onPause();
    // What was announced has not come yet: there is nothing to say of it.
    if (!isAnnounced) this.sendAck(nowNs);
    this.credits.reschedule(nowNs);
    this.arm();
  }

  private wantCredits(nowNs: number): void {
    if (this.stateCode === ReceiverState.creditSending) this.credits.asked(nowNs);
    else this.startCredits(nowNs);
  }

  private startCredits(nowNs: number): void {
    this.stateCode = ReceiverState.creditSending;
    this.acknowledger.onPause();
    this.credits.start(nowNs);
  }

  /** A hole among frames that keep their order is a loss: credits are on their way before the sender knows of it. */
  private placeSpeculative(frame: Frame, offset: number, nowNs: number): void {
    if (!this.stream.take(frame, offset)) {
      this.breach(nowNs);
      return;
    }
    this.credits.windowChanged();
    if (this.isOver) return;
    this.acknowledger.onData(false, nowNs);
    if (this.stateCode !== ReceiverState.creditSending && this.reassembly.ranges.count > 0) {
      this.acknowledger.demand();
      this.startCredits(nowNs);
    }
    this.finishIfWhole(nowNs);
  }

  private place(frame: Frame, offset: number, nowNs: number): void {
    this.credits.windowChanged();
    if (!this.stream.take(frame, offset)) {
      this.breach(nowNs);
      return;
    }
    this.credits.windowChanged();
    if (this.isOver) return;
    if ((flags(frame.bytes) & DataFlag.end) !== 0) this.acknowledger.demand();
    // Where paths differ, frames that overtake each other are no news to the sender.
    this.acknowledger.onData(this.noteDisorder() > 0 && this.credits.spraying === null, nowNs);
    if (this.pausedTold && !this.window.isPaused) this.acknowledger.demand();
    this.finishIfWhole(nowNs);
  }

  private finishIfWhole(nowNs: number): void {
    this.stream.tellEnd();
    if (!this.stream.hasEverything) return;
    this.acknowledger.demand();
    this.stop();
    this.completeIfDone(nowNs);
  }
}
