import { NEVER } from '../base/time.js';
import {
  creditSequence,
  dataCreditSequence,
  dataOffset,
  dataPayloadBytes,
  dataUnused,
  finFinalOffset,
  finProbe,
  finUnused,
  flags,
  requestMaxFrameBytes,
  requestPairedFlowId,
  requestProbe,
  stopProbe,
  stopUnused,
} from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { AckFlag, Credit, DataFlag, Reset, ResetCode } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { LowestRanges } from './ack-ranges.js';
import { Acknowledger } from './acknowledger.js';
import { longestWaitNs } from './config.js';
import type { FlowContext, TimedFlow } from './context.js';
import type { CreditAlgorithm, CreditLink } from './credit/algorithm.js';
import { BudgetShare } from './credit-budget.js';
import { CreditMeter, Echo } from './credit-meter.js';
import { CreditPacer } from './credit-pacer.js';
import { Delivery } from './delivery.js';
import { errorOfReset, XpassError } from './errors.js';
import { type FlowObserver, type FlowReader, NO_OBSERVER } from './flow-callbacks.js';
import { PathProof } from './path-proof.js';
import { RateControl } from './rate-control.js';
import type { Reassembly } from './reassembly.js';
import type { ReceiveWindow } from './receive-window.js';
import { ReceiverFrames } from './receiver-frames.js';
import { ReceivedFrames, type ReceiverStatistics } from './receiver-statistics.js';
import { RttEstimator } from './rtt.js';
import { StreamEnd } from './stream-end.js';

/** PROTOCOL §4.2 */
export const ReceiverState = { closed: 0, creditSending: 1, creditStopped: 2, complete: 3 } as const;

export interface ReceiverOptions {
  slot: number;
  header: FlowHeader;
  peer: number;
  algorithm: CreditAlgorithm;
  link: CreditLink;
  firstSequence: number;
}

/**
 * The receiver's end of one flow: issues paced credits while the sender wants them (the receiver's half of Figure 7 of ExpressPass 2017,
 * PROTOCOL §4.2), feeds what became of them to the credit algorithm, puts data in order and acknowledges it (PROTOCOL §5).
 */
export class ReceiverFlow implements TimedFlow {
  readonly slot: number;
  readonly peer: number;
  readonly id: number;
  /** Who measures this flow; set by its application. */
  observer: FlowObserver = NO_OBSERVER;
  private readonly context: FlowContext;
  private readonly frames: ReceiverFrames;
  private readonly control: RateControl;
  private readonly meter: CreditMeter;
  private readonly pacer: CreditPacer;
  private readonly acknowledger: Acknowledger;
  private readonly delivery: Delivery;
  private readonly reassembly: Reassembly;
  private readonly window: ReceiveWindow;
  private readonly ackRanges: LowestRanges;
  private readonly proof: PathProof;
  private readonly share: BudgetShare;
  private readonly rtt: RttEstimator;

  private stateCode: number = ReceiverState.closed;
  /** The last callback has been, or is on its way; CLOSED alone is also the state before the first CREDIT_REQUEST. */
  private isOver = false;
  private overWith: XpassError | null = null;
  private pairedFlow = 0;
  private probe = 0;
  private readonly end = new StreamEnd();
  /** The next credit waits for room, not for its time. */
  private blocked = false;
  private endTold = false;
  private pausedTold = false;

  private lastHeardNs: number;
  private lastDataNs: number;
  private completeNs = NEVER;
  private readonly received = new ReceivedFrames();

  constructor(context: FlowContext, options: ReceiverOptions, nowNs: number) {
    const { config } = context;
    this.context = context;
    this.slot = options.slot;
    this.peer = options.peer;
    this.id = options.header.flowId;
    this.share = new BudgetShare(context.budget, options.slot);
    this.control = new RateControl(options.algorithm, options.link, nowNs);
    this.meter = new CreditMeter(options.firstSequence, config.maxOutstandingCredits, config.frameBytes);
    this.pacer = new CreditPacer({ frameBytes: config.frameBytes, jitter: config.jitter, catchUpNs: config.catchUpNs });
    this.pacer.setRate(this.control.rateBps);
    this.acknowledger = new Acknowledger(config);
    this.delivery = new Delivery(config.receiveWindowBytes, context.counters);
    this.reassembly = this.delivery.reassembly;
    this.window = this.delivery.window;
    this.proof = new PathProof(config.amplificationLimit);
    this.ackRanges = new LowestRanges(this.reassembly.ranges);
    this.frames = new ReceiverFrames(context, options.header, options.peer, this.ackRanges);
    this.rtt = new RttEstimator(longestWaitNs(config));
    this.lastHeardNs = nowNs;
    this.lastDataNs = nowNs;
  }

  get state(): number {
    return this.stateCode;
  }

  /** The flow is closed and forgotten: no callback comes any more, and its verbs do nothing. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** A flow of the opposite direction that this one answers; 0 for none. PROTOCOL §6.1 */
  get pairedFlowId(): number {
    return this.pairedFlow;
  }

  /** Of its credits, as the algorithm sets it. */
  get rateBps(): number {
    return this.control.rateBps;
  }

  get statistics(): ReceiverStatistics {
    const { sent, used, unused, dropped } = this.meter.counts;
    return {
      bytesDelivered: this.reassembly.nextOffset,
      bytesHeld: this.window.heldBytes,
      dataFrames: this.received.data,
      repairedFrames: this.received.repaired,
      markedFrames: this.received.marked,
      creditMarkedFrames: this.received.creditMarked,
      creditsSent: sent,
      creditsUsed: used,
      creditsUnused: unused,
      creditsDropped: dropped,
      creditsOutstanding: this.meter.outstanding,
      creditsLostAtHome: this.meter.lostAtHomeCount,
      rateBps: this.control.rateBps,
      rttNs: this.rtt.smoothedNs,
      minRttNs: this.rtt.minNs,
    };
  }

  /** The application takes the flow. It may have closed it in the same breath. */
  accept(reader: FlowReader): void {
    this.delivery.reader = reader;
    if (this.isOver) reader.onClosed(this.overWith);
  }

  /** The reader is done with `bytes` bytes of what it was given. */
  release(bytes: number, nowNs: number): void {
    const hadRoom = this.hasRoom;
    this.window.release(bytes);
    // Inside `onData` the frame is not done with yet: `handleData` goes on from there.
    if (this.delivery.isDelivering || this.stateCode !== ReceiverState.creditSending) return;
    // Where there was no room, no data was to be waited for.
    if (!hadRoom) this.lastDataNs = nowNs;
    this.reschedule(nowNs);
    if (this.pausedTold && !this.window.isPaused) this.sendAck(nowNs);
    this.arm();
  }

  /** Gives the flow up on both sides. Does nothing once the flow is complete or closed. */
  reset(nowNs: number, code: number = ResetCode.aborted): void {
    if (this.isOver || this.stateCode === ReceiverState.complete) return;
    this.sendReset(code, nowNs);
    this.close(new XpassError('reset', 'the flow was given up on this side'));
  }

  /** Notes what the first CREDIT_REQUEST says, before the application is asked to take the flow. */
  handleOpening(frame: Frame): void {
    this.pairedFlow = requestPairedFlowId(frame.bytes);
    const frameBytes = requestMaxFrameBytes(frame.bytes);
    this.window.setFrameBytes(frameBytes);
    this.ackRanges.fitInto(frameBytes);
    this.proof.received(frame.wireBytes);
  }

  handleRequest(frame: Frame, nowNs: number): void {
    // In CLOSED it is the one that `handleOpening` has counted.
    if (this.stateCode === ReceiverState.closed) this.lastHeardNs = nowNs;
    else this.heard(frame, nowNs);
    this.noteProbe(requestProbe(frame.bytes));
    if (this.stateCode === ReceiverState.complete) {
      this.sendAck(nowNs);
      return;
    }
    const isRunning = this.stateCode === ReceiverState.creditSending;
    if (!isRunning) this.startCredits(nowNs);
    if (isRunning || !this.canCredit) this.sendAck(nowNs);
    this.reschedule(nowNs);
    this.arm();
  }

  handleData(frame: Frame, nowNs: number): void {
    const bytes = frame.bytes;
    const offset = widen(dataOffset(bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    const echo = this.meter.echo(dataCreditSequence(bytes), dataUnused(bytes));
    if (echo === Echo.unknown) this.context.counters.unknownCredit++;
    if (echo === Echo.duplicate) this.context.counters.duplicateData++;
    if (echo === Echo.unknown || echo === Echo.duplicate) return;
    this.heard(frame, nowNs);
    this.lastDataNs = nowNs;
    this.proof.prove();
    if (echo !== Echo.forgotten) this.sampleRtt(nowNs - this.meter.lastEchoSentNs, nowNs);
    this.settleBudget();
    if (echo === Echo.late || echo === Echo.forgotten) this.context.counters.lateEchoes++;
    const marked = this.received.count(bytes);
    this.control.countData(marked, (flags(bytes) & DataFlag.creditCe) !== 0);
    this.place(frame, offset, nowNs);
    if (this.isOver) return;
    this.updateRate(nowNs);
    this.reschedule(nowNs);
    if (this.acknowledger.isDue(nowNs)) this.sendAck(nowNs);
    // Data puts every other deadline off, and to compute them all for each frame costs a twentieth of its time.
    this.context.arm(this.slot, this.acknowledger.deadlineNs);
  }

  handleStop(frame: Frame, nowNs: number): void {
    this.heard(frame, nowNs);
    this.noteProbe(stopProbe(frame.bytes));
    this.meter.noteUnused(stopUnused(frame.bytes));
    this.stopCredits();
    this.sendAck(nowNs);
    this.arm();
  }

  handleFin(frame: Frame, nowNs: number): void {
    this.heard(frame, nowNs);
    this.noteProbe(finProbe(frame.bytes));
    const finalOffset = widen(finFinalOffset(frame.bytes), this.reassembly.nextOffset);
    if (!this.end.accepts(finalOffset, this.reassembly.highestEnd)) {
      this.breach(nowNs);
      return;
    }
    this.meter.noteUnused(finUnused(frame.bytes));
    this.stopCredits();
    this.end.set(finalOffset);
    this.end.finSeen = true;
    this.tellEnd();
    if (!this.completeIfDone(nowNs)) this.sendAck(nowNs);
    this.arm();
  }

  handleReset(code: number): void {
    this.close(errorOfReset(code));
  }

  /** Closes the flow on this side without a word to the peer. A COMPLETE flow has told its reader before. */
  close(error: XpassError | null): void {
    if (this.isOver) return;
    const isTold = this.stateCode === ReceiverState.complete;
    this.stopCredits();
    this.isOver = true;
    this.delivery.stop();
    this.overWith = error;
    this.stateCode = ReceiverState.closed;
    this.context.forget(this.slot);
    if (!isTold) this.delivery.reader?.onClosed(error);
  }

  onTimer(nowNs: number): number {
    const config = this.context.config;
    if (this.stateCode === ReceiverState.complete) {
      if (nowNs >= this.completeNs + config.lingerNs) this.close(null);
      return this.deadlineNs();
    }
    if (nowNs >= this.lastHeardNs + config.idleTimeoutNs) {
      this.sendReset(ResetCode.idle, nowNs);
      this.close(new XpassError('idle', 'nothing was heard from the peer for the idle timeout'));
      return NEVER;
    }
    if (nowNs >= this.acknowledger.deadlineNs) this.sendAck(nowNs);
    if (this.meter.expire(nowNs, this.creditLifeNs) > 0) {
      this.settleBudget();
      this.updateRate(nowNs);
      this.reschedule(nowNs);
    }
    if (nowNs >= this.dataDeadlineNs) this.stopCredits();
    return this.deadlineNs();
  }

  /** Sends the credit that is due. Called by the endpoint at or after the time that was scheduled; returns when the next is due, NEVER for not now. */
  sendCredit(nowNs: number): number {
    this.pacer.limitBacklog(nowNs);
    if (this.block(!this.canCredit) || !this.share.allows()) {
      this.control.noteHeldBack();
      return NEVER;
    }
    const stampNs = this.pacer.dueNs;
    this.frames.credit(this.meter.nextSequence, stampNs);
    this.observer.onCredit(nowNs);
    this.meter.send(stampNs);
    this.pacer.advance(this.context.random);
    this.settleBudget();
    if (this.meter.outstanding === 1) this.arm();
    // Whether the next one fits is looked at when it is due.
    return this.pacer.dueNs;
  }

  /** It is the flow's turn in the host's budget; false if it wants no credit any more. What it waited for is not made up for. */
  resumeCredits(nowNs: number): boolean {
    if (!this.share.isWaiting) return false;
    this.share.isWaiting = false;
    if (this.block(!this.canCredit)) return false;
    this.share.takeTurn();
    this.pacer.dueNs = Math.max(this.pacer.dueNs, nowNs);
    this.context.schedule(this.slot, this.pacer.dueNs);
    return true;
  }

  /**
   * The host's NIC has dropped a credit: it counts as lost, but not as sent to a peer that has not proved its address. Otherwise many flows that start together
   * would use up what PROTOCOL §4.6 allows them against their own NIC and fall silent.
   */
  creditTakenBack(frame: Frame, nowNs: number): void {
    this.meter.loseAtHome(creditSequence(frame.bytes));
    this.settleBudget();
    if (this.proof.isGiven) return;
    this.frames.wireBytesSent -= frame.wireBytes;
    if (this.blocked) this.reschedule(nowNs);
  }

  private get hasRoom(): boolean {
    return this.window.hasRoom(this.meter.outstanding);
  }

  /** Whether the flow itself may send a credit once one is due; only then is the host's budget asked. */
  private get canCredit(): boolean {
    if (this.stateCode !== ReceiverState.creditSending || this.meter.isFull || !this.hasRoom) return false;
    return this.proof.maySend(Credit.bytes + Credit.maxPaddingBytes, this.frames.wireBytesSent);
  }

  /** A flow that has stopped has no part in the host's budget. */
  private settleBudget(): void {
    if (this.stateCode === ReceiverState.creditSending) this.share.setOutstanding(this.meter.outstanding);
    else this.share.giveBack();
  }

  private sendReset(code: number, nowNs: number): void {
    if (this.proof.maySend(Reset.bytes, this.frames.wireBytesSent)) this.frames.reset(code, nowNs);
  }

  private heard(frame: Frame, nowNs: number): void {
    this.lastHeardNs = nowNs;
    this.proof.received(frame.wireBytes);
  }

  private noteProbe(probe: number): void {
    const ahead = (probe - this.probe) & 0xffff;
    if (ahead < 0x8000) this.probe = probe;
  }

  private startCredits(nowNs: number): void {
    this.meter.forgive();
    this.pacer.restart(nowNs);
    this.lastDataNs = nowNs;
    this.control.restart(nowNs);
    this.stateCode = ReceiverState.creditSending;
    this.settleBudget();
  }

  private stopCredits(): void {
    if (this.stateCode !== ReceiverState.creditSending) return;
    this.stateCode = ReceiverState.creditStopped;
    this.settleBudget();
    this.context.schedule(this.slot, NEVER);
  }

  private reschedule(nowNs: number): void {
    if (this.stateCode !== ReceiverState.creditSending) return;
    // What a flow could not send for want of room it does not make up for: its credits go out from now on.
    if (this.blocked) this.pacer.dueNs = Math.max(this.pacer.dueNs, nowNs);
    if (this.block(!this.canCredit)) this.context.schedule(this.slot, NEVER);
    else if (!this.share.isWaiting) this.context.schedule(this.slot, this.pacer.dueNs);
  }

  private block(blocked: boolean): boolean {
    this.blocked = blocked;
    if (blocked) this.share.passTurn();
    return blocked;
  }

  private sampleRtt(rttNs: number, nowNs: number): void {
    this.rtt.sample(rttNs);
    if (this.stateCode === ReceiverState.creditSending)
      this.share.sampleRtt(rttNs, nowNs, this.pacer.meanGapNs, this.control.linkShare);
    this.observer.onRtt(rttNs);
  }

  private place(frame: Frame, offset: number, nowNs: number): void {
    const end = offset + dataPayloadBytes(frame);
    const isEnd = (flags(frame.bytes) & DataFlag.end) !== 0;
    if (!(isEnd ? this.end.accepts(end, this.reassembly.highestEnd) : this.end.allows(end))) {
      this.breach(nowNs);
      return;
    }
    if (isEnd) {
      this.end.set(end);
      this.acknowledger.demand();
    }
    this.delivery.take(frame, offset);
    if (this.isOver) return;
    this.acknowledger.onData(this.reassembly.ranges.count > 0, nowNs);
    if (this.pausedTold && !this.window.isPaused) this.acknowledger.demand();
    this.tellEnd();
    if (!this.hasEverything) return;
    this.acknowledger.demand();
    this.stopCredits();
    this.completeIfDone(nowNs);
  }

  private get hasEverything(): boolean {
    return this.end.isReached(this.reassembly.nextOffset);
  }

  private tellEnd(): void {
    if (this.endTold || !this.hasEverything) return;
    this.endTold = true;
    this.delivery.reader?.onEnd();
  }

  /** Everything has arrived: says so to both sides, to the peer before anything can happen to the flow. True if it was so just now. */
  private completeIfDone(nowNs: number): boolean {
    if (!this.end.finSeen || !this.hasEverything || this.stateCode === ReceiverState.complete || this.isOver)
      return false;
    this.meter.forgive();
    this.stateCode = ReceiverState.complete;
    this.completeNs = nowNs;
    this.sendAck(nowNs);
    this.arm();
    this.context.lingers(this.slot);
    this.delivery.reader?.onClosed(null);
    return true;
  }

  private breach(nowNs: number): void {
    this.sendReset(ResetCode.protocol, nowNs);
    this.close(new XpassError('protocol', 'the peer changed the length of the stream'));
  }

  private updateRate(nowNs: number): void {
    if (this.control.update(this.meter, this.rtt.waitNs(1), nowNs)) this.pacer.setRate(this.control.rateBps);
  }

  private get creditLifeNs(): number {
    return Math.max(this.context.config.creditLifeNs, this.rtt.waitNs(4));
  }

  /** See RECEIVER_TIMERS.data; while no credit is outstanding and none fits, there is no data to wait for. */
  private get dataDeadlineNs(): number {
    const { outstanding, counts } = this.meter;
    if (this.stateCode !== ReceiverState.creditSending || counts.sent === 0) return NEVER;
    if (outstanding === 0 && !this.hasRoom) return NEVER;
    const waitNs = Math.max(this.rtt.waitNs(8), 8 * this.pacer.meanGapNs);
    return this.lastDataNs + Math.max(this.context.config.dataTimeoutNs, waitNs);
  }

  private deadlineNs(): number {
    const config = this.context.config;
    if (this.stateCode === ReceiverState.closed) return NEVER;
    if (this.stateCode === ReceiverState.complete) return this.completeNs + config.lingerNs;
    const idleNs = this.lastHeardNs + config.idleTimeoutNs;
    const lifeNs = this.stateCode === ReceiverState.creditSending ? this.meter.oldestNs + this.creditLifeNs : NEVER;
    return Math.min(idleNs, this.acknowledger.deadlineNs, lifeNs, this.dataDeadlineNs);
  }

  private arm(): void {
    if (this.stateCode !== ReceiverState.closed) this.context.arm(this.slot, this.deadlineNs());
  }

  private sendAck(nowNs: number): void {
    if (this.stateCode === ReceiverState.closed) return;
    const paused = this.stateCode === ReceiverState.creditSending && this.window.isPaused;
    this.pausedTold = paused;
    const complete = this.stateCode === ReceiverState.complete;
    const bits = (complete ? AckFlag.complete : 0) | (paused ? AckFlag.paused : 0);
    this.frames.ack(this.reassembly.nextOffset, this.probe, bits, nowNs);
    this.acknowledger.onSent();
  }
}
