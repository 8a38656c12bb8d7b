import { RecentMinimum } from '../base/recent-minimum.js';
import { NEVER } from '../base/time.js';
import {
  flags,
  windowAckArrivalTime,
  windowAckEcn,
  windowAckEnd,
  windowAckFrameNumber,
  windowAckHopLimit,
  windowAckRemoteQueuing,
} from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { ARRIVAL_UNIT_NS, DataFlag, Ecn, FrameType, MAX_HOP_LIMIT, WindowAckFlag } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { ArrivedRanges } from './ack-ranges.js';
import { LEAST_WINDOW_BYTES } from './config.js';
import type { FlowContext } from './context.js';
import type { FlowWriter } from './flow-callbacks.js';
import { backedOffNs } from './probe.js';
import { SenderFlow, type SenderOptions, SenderState } from './sender-flow.js';
import type { SenderStatistics } from './sender-requests.js';
import { FrameFate, Rack, SentFrames } from './sent-frames.js';
import { moduloPeriod, type WindowAlgorithm, WindowEvent, type WindowSample } from './window/algorithm.js';

export interface ReactiveSenderOptions extends SenderOptions {
  algorithm: WindowAlgorithm;
}

/** Smoothed RTTs for which the number of a lost frame is remembered. Ours: its acknowledgement may still come. */
const REMEMBERED_RTTS = 2;
/** Most frames in one instant, and the pause behind them: without link rate and delay ACKs come at once, and a flow would never end. */
const MAX_BURST_FRAMES = 16_384;
const BURST_PAUSE_NS = 2e3;
const MICROSECOND_NS = 1e3;

/** The sender's end of a reactive flow (PROTOCOL §11): fills the window, tells its algorithm each frame's fate, and repairs losses. */
export class ReactiveSender extends SenderFlow {
  override readonly ackType = FrameType.windowAck;
  private readonly algorithm: WindowAlgorithm;
  private readonly sent = new SentFrames();
  private readonly rack: Rack;
  private readonly ranges = new ArrivedRanges();
  /** What the algorithm is told as the least RTT: a path that has become longer is not measured by the shorter one for ever. */
  private readonly leastRtt = new RecentMinimum();
  private readonly sample: WindowSample;
  private readonly dataFields = { creditSequence: 0, explicitRate: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };
  /** There was more to send than the window let out, since the last acknowledgement. */
  private isLimited = false;
  /** Frames that have arrived although their acknowledgements were lost, since the last acknowledgement. */
  private silentFrames = 0;
  private silentBytes = 0;
  /** Frames below this number were sent before the latest recovery began. */
  private recoveryPoint = 0;
  /** Frames sent in the instant of the latest one. */
  private burstFrames = 0;
  /** When the latest frame was sent, and when the next one of a flow that paces is due. */
  private lastSendNs = 0;
  private dueNs = 0;
  /** Since when an acknowledgement is awaited, and how often that has been in vain. */
  private awaitingSinceNs = 0;
  private timeouts = 0;
  /** Since when the receive window holds the flow up, NEVER while it does not; and the window probes sent since (RFC 9293 section 3.8.6.1). */
  private heldUpSinceNs = NEVER;
  private windowProbes = 0;

  constructor(context: FlowContext, writer: FlowWriter, options: ReactiveSenderOptions, nowNs: number) {
    super(context, writer, options, nowNs);
    this.algorithm = options.algorithm;
    this.rack = new Rack(this.sent, this.rtt);
    this.stream.limitOffset = Math.max(LEAST_WINDOW_BYTES, 2 * options.frameBytes);
    this.sample = newSample();
  }

  override get statistics(): SenderStatistics {
    return { ...super.statistics, windowFrames: this.algorithm.windowFrames };
  }

  /** Besides: the window in frames, and the latest RTT, ns. */
  override get algorithmState(): Record<string, number> {
    return { window: this.algorithm.windowFrames, delay: this.sample.rttNs, ...this.algorithm.state() };
  }

  override handleCredit(): void {
    this.context.counters.invalid++;
  }

  override sendDue(nowNs: number): number {
    this.dueNs = Math.max(this.dueNs, nowNs - this.context.config.catchUpNs);
    while (this.dueNs <= nowNs && this.mayPace) {
      this.sendFrame(this.dueNs);
      this.dueNs += this.gapNs;
    }
    this.finishIfSent(nowNs);
    this.arm();
    return this.mayPace ? this.dueNs : NEVER;
  }

  protected override wake(nowNs: number): void {
    this.begin(nowNs);
    this.transmit(nowNs);
  }

  protected override finish(nowNs: number): void {
    this.begin(nowNs);
    this.finishIfSent(nowNs);
  }

  protected override readAck(frame: Frame, _answersProbe: boolean, nowNs: number): void {
    const { bytes } = frame;
    const { stream } = this;
    const limitOffset = widen(windowAckEnd(bytes), stream.ackedOffset);
    if (limitOffset > stream.limitOffset) {
      stream.limitOffset = limitOffset;
      this.windowProbes = 0;
    }
    if (stream.cumulativeOf(bytes) === stream.ackedOffset) this.ranges.read(bytes, stream.ackedOffset);
    if (this.ranges.end > stream.sentOffset) {
      this.context.counters.invalid++;
      return;
    }
    const rttNs = (flags(bytes) & WindowAckFlag.echo) !== 0 ? this.readEcho(frame, nowNs) : -1;
    if (stream.ackedOffset === stream.sentOffset) this.settleAll(nowNs);
    this.findLosses(nowNs);
    this.sent.forget(nowNs - Math.max(this.rtt.waitNs(REMEMBERED_RTTS), this.probe.retransmitNs));
    this.transmit(nowNs);
    if (rttNs >= 0) this.observer.onRtt(rttNs);
    // An ACK of repairs, or of a probe, may be the only occasion for a program that writes as its frames are acknowledged.
    this.observer.onAck(nowNs);
  }

  protected override stateDeadlineNs(): number {
    if (this.stateCode === SenderState.closed) return NEVER;
    return Math.min(this.rack.deadlineNs, this.answerDeadlineNs, this.probeDeadlineNs);
  }

  protected override onStateTimeout(nowNs: number): void {
    const isUnanswered = nowNs >= this.answerDeadlineNs;
    if (nowNs >= this.probeDeadlineNs) this.sendProbe(nowNs);
    if (nowNs >= this.rack.deadlineNs) this.findLosses(nowNs);
    if (isUnanswered) this.onUnanswered(nowNs);
    this.transmit(nowNs);
  }

  protected override begin(nowNs: number): void {
    if (this.stateCode !== SenderState.closed) return;
    this.stateCode = SenderState.sending;
    this.sendRequest(nowNs, false);
  }

  /** Sends what may be sent now; a flow that paces is called when its next frame is due. */
  private transmit(nowNs: number): void {
    if (this.stateCode === SenderState.closed) return;
    const { gapNs } = this;
    if (gapNs > 0) {
      this.dueNs = Math.max(this.lastSendNs + gapNs, nowNs);
      this.context.schedule(this.slot, this.mayPace ? this.dueNs : NEVER);
    } else this.sendNow(nowNs);
    this.noteHeldUp(nowNs);
    this.finishIfSent(nowNs);
    this.arm();
  }

  /** Between two frames; bounded like any other wait, since a thousand round trips may outlast the flow. PROTOCOL §5.5 */
  private get gapNs(): number {
    return Math.min(this.algorithm.pacingGapNs, this.context.config.maxBackoffNs);
  }

  private sendNow(nowNs: number): void {
    const isSpent = () => this.burstFrames >= MAX_BURST_FRAMES && nowNs === this.lastSendNs;
    while (this.maySend && !isSpent()) this.sendFrame(nowNs);
    this.dueNs = nowNs + BURST_PAUSE_NS;
    if (isSpent()) this.context.schedule(this.slot, this.dueNs);
  }

  /** There is something to send, and room for it in the window. */
  private get maySend(): boolean {
    if (this.stateCode === SenderState.closed || !this.stream.canTake(this.sent.inFlight === 0)) return false;
    if (this.sent.inFlight + 1 <= Math.max(1, this.algorithm.windowFrames) && !this.sent.isFull) return true;
    this.isLimited = true;
    return false;
  }

  /** The same for a flow that paces, whose gap holds it back as much as its window. */
  private get mayPace(): boolean {
    this.isLimited ||= this.stream.hasData;
    return this.maySend;
  }

  private sendFrame(nowNs: number): void {
    const { stream, sent, dataFields: fields } = this;
    if (sent.inFlight === 0) this.awaitingSinceNs = nowNs;
    this.burstFrames = nowNs === this.lastSendNs ? this.burstFrames + 1 : 1;
    this.lastSendNs = nowNs;
    fields.offset = stream.takeWithin();
    fields.creditSequence = sent.send(fields.offset, stream.takenBytes, nowNs);
    fields.flags = stream.takenFlags | DataFlag.reactive | (this.opened ? 0 : DataFlag.early);
    this.dataFrames++;
    this.frames.data(fields, this.buffer, stream.takenBytes, nowNs);
  }

  /** The application has ended the stream and all of it has been sent: FIN. */
  private finishIfSent(nowNs: number): void {
    if (this.stateCode !== SenderState.sending || !this.opened || !this.stream.ended || this.stream.hasData) return;
    this.stateCode = SenderState.finSent;
    this.requests.fin(0, nowNs, false);
  }

  /** The acknowledgement of one frame: its RTT, ns; -1 where it tells nothing new. */
  private readEcho(frame: Frame, nowNs: number): number {
    const { sent, sample } = this;
    const number = widen(windowAckFrameNumber(frame.bytes), sent.next);
    if (number >= sent.next) {
      this.context.counters.invalid++;
      return -1;
    }
    const fate = sent.knows(number) ? sent.fate(number) : FrameFate.arrived;
    if (fate === FrameFate.arrived) return -1;
    sample.rttNs = nowNs - sent.sentNs(number);
    this.rtt.sample(sample.rttNs);
    this.leastRtt.sample(sample.rttNs, nowNs);
    this.rack.arrived(number, fate, sample.rttNs);
    sent.settle(number, FrameFate.arrived, nowNs);
    this.awaitingSinceNs = nowNs;
    this.timeouts = 0;
    if (fate !== FrameFate.outstanding) this.stream.arrived(sent.start(number), sent.end(number));
    else this.tellArrival(frame, number, nowNs);
    return sample.rttNs;
  }

  private tellArrival(frame: Frame, number: number, nowNs: number): void {
    const { sent, sample } = this;
    sample.ackedNumber = number;
    sample.ackedFrames = 1 + this.silentFrames;
    sample.ackedBytes = sent.end(number) - sent.start(number) + this.silentBytes;
    this.silentFrames = this.silentBytes = 0;
    this.readPath(frame, nowNs);
    this.tell(WindowEvent.acknowledged, nowNs);
    this.isLimited = false;
  }

  /** What the acknowledgement says of the frame's way. */
  private readPath(frame: Frame, nowNs: number): void {
    const { sample } = this;
    const { bytes } = frame;
    sample.markedFrames = windowAckEcn(bytes) === Ecn.congestionExperienced ? 1 : 0;
    sample.remoteQueuingNs = windowAckRemoteQueuing(bytes) * MICROSECOND_NS;
    sample.localQueuingNs = Math.max(0, nowNs - frame.arrivedNs);
    const arrivalNs = windowAckArrivalTime(bytes) * ARRIVAL_UNIT_NS;
    sample.forwardNs = moduloPeriod(arrivalNs - (nowNs - sample.rttNs));
    sample.hops = MAX_HOP_LIMIT - windowAckHopLimit(bytes);
  }

  private tell(event: number, nowNs: number): void {
    const { sample, rtt, sent } = this;
    sample.event = event;
    sample.nowNs = nowNs;
    sample.sentFrames = sent.next;
    sample.inFlightFrames = sent.inFlight;
    sample.isWindowLimited = this.isLimited;
    sample.smoothedRttNs = rtt.smoothedNs;
    sample.minRttNs = this.leastRtt.value;
    if (event !== WindowEvent.acknowledged) sample.ackedFrames = sample.ackedBytes = sample.markedFrames = 0;
    this.algorithm.update(sample);
  }

  /** Everything sent has arrived: whatever acknowledgement is missing was lost. */
  private settleAll(nowNs: number): void {
    const { sent } = this;
    while (sent.inFlight > 0) this.settleSilently(sent.oldest, nowNs);
  }

  private settleSilently(number: number, nowNs: number): void {
    const { sent } = this;
    this.silentFrames++;
    this.silentBytes += sent.end(number) - sent.start(number);
    sent.settle(number, FrameFate.arrived, nowNs);
    this.awaitingSinceNs = nowNs;
    this.timeouts = 0;
  }

  private findLosses(nowNs: number): void {
    let highestLost = -1;
    this.rack.detect(nowNs, (number) => {
      if (this.hasArrived(number)) this.settleSilently(number, nowNs);
      else if (this.lose(number, FrameFate.lost, nowNs)) highestLost = number;
      else return false;
      return true;
    });
    if (highestLost < this.recoveryPoint) return;
    this.recoveryPoint = this.sent.next;
    this.rack.countRecovery();
    this.tell(WindowEvent.recovery, nowNs);
  }

  /** Its bytes have, at least, as far as the receiver says. */
  private hasArrived(number: number): boolean {
    const end = this.sent.end(number);
    return end <= this.stream.ackedOffset || this.ranges.cover(this.sent.start(number), end);
  }

  private lose(number: number, fate: number, nowNs: number): boolean {
    const { sent } = this;
    const start = Math.max(sent.start(number), this.stream.ackedOffset);
    if (!this.stream.lose(start, sent.end(number))) return false;
    sent.settle(number, fate, nowNs);
    return true;
  }

  /** When something is done about frames that nobody acknowledges. PROTOCOL §11.4 */
  private get answerDeadlineNs(): number {
    if (this.sent.inFlight === 0) return NEVER;
    return this.awaitingSinceNs + backedOffNs(this.probe.retransmitNs, this.timeouts, this.context.config);
  }

  /** First one frame more, which shows what happened to those before it; then all of them are lost. */
  private onUnanswered(nowNs: number): void {
    const { timeouts } = this;
    if (timeouts === 0) this.sendOneMore(nowNs);
    else this.loseAll(nowNs);
    // Frames that turned out to have arrived are no answer: with one of them for each timeout the others would wait for as many.
    this.timeouts = timeouts + 1;
    this.awaitingSinceNs = nowNs;
  }

  /** The bytes of the newest frame that has not arrived, where there are no others. */
  private sendOneMore(nowNs: number): void {
    const { sent, stream } = this;
    if (!stream.canTake(true)) {
      while (sent.inFlight > 0 && this.hasArrived(sent.newest)) this.settleSilently(sent.newest, nowNs);
      if (sent.inFlight > 0) this.lose(sent.newest, FrameFate.replaced, nowNs);
    }
    if (stream.canTake(true) && !sent.isFull) this.sendFrame(nowNs);
  }

  private loseAll(nowNs: number): void {
    const { sent } = this;
    this.tell(WindowEvent.timeout, nowNs);
    while (sent.inFlight > 0 && this.replace(sent.oldest, nowNs)) {}
    this.recoveryPoint = sent.next;
  }

  /** Its bytes go again, whatever became of them. */
  private replace(number: number, nowNs: number): boolean {
    if (!this.hasArrived(number)) return this.lose(number, FrameFate.replaced, nowNs);
    this.settleSilently(number, nowNs);
    return true;
  }

  private noteHeldUp(nowNs: number): void {
    const isHeldUp = this.sent.inFlight === 0 && this.stream.hasData && !this.stream.canTake(true);
    if (!isHeldUp) this.heldUpSinceNs = NEVER;
    else if (this.heldUpSinceNs === NEVER) this.heldUpSinceNs = nowNs;
  }

  /** When the numbered frame that asks for an answer goes out, or goes again. */
  private get probeDeadlineNs(): number {
    const { probe } = this;
    // Not spread like requests for credits: the frame that goes at the timeout has to find the flow open.
    if (this.stateCode === SenderState.finSent || !this.opened || !probe.answered) return probe.deadlineNs;
    const { config } = this.context;
    if (this.heldUpSinceNs !== NEVER)
      return this.heldUpSinceNs + backedOffNs(probe.retransmitNs, this.windowProbes, config);
    if (this.sent.inFlight > 0 || this.stream.hasData) return NEVER;
    return this.lastHeardNs + config.idleTimeoutNs / 3;
  }

  private sendProbe(nowNs: number): void {
    const { requests, probe } = this;
    if (!this.opened) this.sendRequest(nowNs, true);
    else if (this.stateCode === SenderState.finSent) requests.fin(0, nowNs, true);
    else {
      requests.stop(0, nowNs, !probe.answered);
      if (this.heldUpSinceNs === NEVER) return;
      this.heldUpSinceNs = nowNs;
      this.windowProbes++;
    }
  }
}

function newSample(): WindowSample {
  return {
    event: WindowEvent.acknowledged,
    nowNs: 0,
    sentFrames: 0,
    inFlightFrames: 0,
    isWindowLimited: false,
    ackedFrames: 0,
    ackedBytes: 0,
    ackedNumber: 0,
    markedFrames: 0,
    rttNs: 0,
    smoothedRttNs: 0,
    minRttNs: 0,
    remoteQueuingNs: 0,
    localQueuingNs: 0,
    forwardNs: 0,
    hops: 0,
  };
}
