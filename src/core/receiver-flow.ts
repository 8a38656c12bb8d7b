import { NEVER } from '../base/time.js';
import {
  dataCreditSequence,
  dataOffset,
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
import { AckFlag, DataFlag, Reset, ResetCode } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { LowestRanges } from './ack-ranges.js';
import { Acknowledger } from './acknowledger.js';
import type { FlowContext, TimedFlow } from './context.js';
import { CreditIssuer, type IssuerOptions } from './credit-issuer.js';
import type { CreditMeter } from './credit-meter.js';
import type { Delivery } from './delivery.js';
import { errorOfReset, XpassError } from './errors.js';
import type { FlowObserver, FlowReader } from './flow-callbacks.js';
import { PathProof } from './path-proof.js';
import type { Reassembly } from './reassembly.js';
import type { ReceiveWindow } from './receive-window.js';
import { ReceivedStream } from './received-stream.js';
import { ReceiverFrames } from './receiver-frames.js';
import { ReceivedFrames, type ReceiverStatistics } from './receiver-statistics.js';

/** PROTOCOL §4.2 */
export const ReceiverState = { closed: 0, creditSending: 1, creditStopped: 2, complete: 3 } as const;

export interface ReceiverOptions extends IssuerOptions {
  header: FlowHeader;
  peer: number;
}

/**
 * The receiver's end of one flow: issues paced credits while the sender wants them (the receiver's half of Figure 7 of ExpressPass 2017,
 * PROTOCOL §4.2), feeds what became of them to the credit algorithm, puts data in order and acknowledges it (PROTOCOL §5).
 */
export class ReceiverFlow implements TimedFlow {
  readonly slot: number;
  readonly peer: number;
  readonly id: number;
  private readonly context: FlowContext;
  private readonly frames: ReceiverFrames;
  private readonly credits: CreditIssuer;
  private readonly meter: CreditMeter;
  private readonly acknowledger: Acknowledger;
  private readonly stream: ReceivedStream;
  private readonly delivery: Delivery;
  private readonly reassembly: Reassembly;
  private readonly window: ReceiveWindow;
  private readonly ackRanges: LowestRanges;
  private readonly proof: PathProof;

  private stateCode: number = ReceiverState.closed;
  /** The last callback has been, or is on its way; CLOSED alone is also the state before the first CREDIT_REQUEST. */
  private isOver = false;
  private overWith: XpassError | null = null;
  private pairedFlow = 0;
  private probe = 0;
  private pausedTold = false;

  private lastHeardNs: number;
  private completeNs = NEVER;
  private readonly received = new ReceivedFrames();

  constructor(context: FlowContext, options: ReceiverOptions, nowNs: number) {
    const { config } = context;
    this.context = context;
    this.slot = options.slot;
    this.peer = options.peer;
    this.id = options.header.flowId;
    this.acknowledger = new Acknowledger(config);
    this.stream = new ReceivedStream(config, context.counters);
    this.delivery = this.stream.delivery;
    this.reassembly = this.stream.reassembly;
    this.window = this.stream.window;
    this.proof = new PathProof(config.amplificationLimit);
    this.ackRanges = new LowestRanges(this.reassembly.ranges);
    this.frames = new ReceiverFrames(context, options.header, options.peer, this.ackRanges);
    const { window, proof, frames } = this;
    this.credits = new CreditIssuer(context, options, { window, proof, frames }, nowNs);
    this.meter = this.credits.meter;
    this.lastHeardNs = nowNs;
  }

  /** Who measures this flow; set by its application. */
  get observer(): FlowObserver {
    return this.credits.observer;
  }

  set observer(observer: FlowObserver) {
    this.credits.observer = observer;
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
    return this.credits.rateBps;
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
      rateBps: this.credits.rateBps,
      rttNs: this.credits.rtt.smoothedNs,
      minRttNs: this.credits.rtt.minNs,
    };
  }

  /** The application takes the flow. It may have closed it in the same breath. */
  accept(reader: FlowReader): void {
    this.delivery.reader = reader;
    if (this.isOver) reader.onClosed(this.overWith);
  }

  /** The reader is done with `bytes` bytes of what it was given. */
  release(bytes: number, nowNs: number): void {
    const hadRoom = this.credits.hasRoom;
    this.window.release(bytes);
    // Inside `onData` the frame is not done with yet: `handleData` goes on from there.
    if (this.delivery.isDelivering || this.stateCode !== ReceiverState.creditSending) return;
    // Where there was no room, no data was to be waited for.
    if (!hadRoom) this.credits.waitForData(nowNs);
    this.credits.reschedule(nowNs);
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
    if (isRunning || !this.credits.canCredit) this.sendAck(nowNs);
    this.credits.reschedule(nowNs);
    this.arm();
  }

  handleData(frame: Frame, nowNs: number): void {
    const bytes = frame.bytes;
    const offset = widen(dataOffset(bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    const { credits } = this;
    if (!credits.echo(dataCreditSequence(bytes), dataUnused(bytes))) return;
    this.heard(frame, nowNs);
    credits.onData(nowNs);
    credits.countData(this.received.count(bytes), (flags(bytes) & DataFlag.creditCe) !== 0);
    this.place(frame, offset, nowNs);
    if (this.isOver) return;
    credits.updateRate(nowNs);
    credits.reschedule(nowNs);
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
    if (!this.stream.finish(finalOffset)) {
      this.breach(nowNs);
      return;
    }
    this.meter.noteUnused(finUnused(frame.bytes));
    this.stopCredits();
    this.stream.tellEnd();
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
    this.credits.onTimer(nowNs);
    if (nowNs >= this.credits.dataDeadlineNs) this.stopCredits();
    return this.deadlineNs();
  }

  /** Sends the credit that is due. Called by the endpoint at or after the time that was scheduled; returns when the next is due, NEVER for not now. */
  sendCredit(nowNs: number): number {
    return this.credits.send(nowNs);
  }

  /** It is the flow's turn in the host's budget; false if it wants no credit any more. */
  resumeCredits(nowNs: number): boolean {
    return this.credits.resume(nowNs);
  }

  /** The host's NIC has dropped a credit. */
  creditTakenBack(frame: Frame, nowNs: number): void {
    this.credits.takenBack(frame, nowNs);
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
    this.stateCode = ReceiverState.creditSending;
    this.credits.start(nowNs);
  }

  private stopCredits(): void {
    if (this.stateCode !== ReceiverState.creditSending) return;
    this.stateCode = ReceiverState.creditStopped;
    this.credits.stop();
  }

  private place(frame: Frame, offset: number, nowNs: number): void {
    if (!this.stream.take(frame, offset)) {
      this.breach(nowNs);
      return;
    }
    if (this.isOver) return;
    if ((flags(frame.bytes) & DataFlag.end) !== 0) this.acknowledger.demand();
    this.acknowledger.onData(this.stream.hasHoles, nowNs);
    if (this.pausedTold && !this.window.isPaused) this.acknowledger.demand();
    this.stream.tellEnd();
    if (!this.stream.hasEverything) return;
    this.acknowledger.demand();
    this.stopCredits();
    this.completeIfDone(nowNs);
  }

  /** Everything has arrived: says so to both sides, to the peer before anything can happen to the flow. True if it was so just now. */
  private completeIfDone(nowNs: number): boolean {
    if (!this.stream.isComplete || this.stateCode === ReceiverState.complete || this.isOver) return false;
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

  private deadlineNs(): number {
    const config = this.context.config;
    if (this.stateCode === ReceiverState.closed) return NEVER;
    if (this.stateCode === ReceiverState.complete) return this.completeNs + config.lingerNs;
    const idleNs = this.lastHeardNs + config.idleTimeoutNs;
    return Math.min(idleNs, this.acknowledger.deadlineNs, this.credits.deadlineNs);
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
