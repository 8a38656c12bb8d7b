// Tested by test/core/receiver-flow.test.ts and test/core/reactive-receiver.test.ts
// Tested by test/core/endpoint.test.ts and test/core/speculation.test.ts

import { XpassError } from '../base/errors.js';
import { NEVER } from '../base/time.js';
import { flags } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { CreditRequest, Fin } from '../wire/frames.js';
import { DataFlag, FrameType, RequestFlag, ResetCode } from '../wire/layout.js';
import { serialAfter16, widen } from '../wire/serial.js';
import type { DueSource, FlowContext, TimedFlow } from './context.js';
import type { FlowObserver, FlowReader } from './flow-callbacks.js';
import { ReceiverPlace, type ReceiverRecord } from './flow-record.js';
import type { Reassembly } from './reassembly.js';
import type { ReceiveWindow } from './receive-window.js';
import { ReceivedStream } from './received-stream.js';
import { ReceiverFrames } from './receiver-frames.js';
import { isPlain, type ReceiverStatistics, UncommonFrames } from './receiver-statistics.js';
import { errorOfReset } from './reset-error.js';
import type { CountedFlow, FlowSums } from './traffic.js';

/** PROTOCOL §4.2; a reactive flow knows CLOSED, RECEIVING and COMPLETE only. */
export const ReceiverState = { closed: 0, creditSending: 1, creditStopped: 2, complete: 3, receiving: 4 } as const;

/** Counts of a flow that has had no uncommon frame. */
const NO_FRAMES = new UncommonFrames();

export interface ReceiverOptions {
  slot: number;
  header: FlowHeader;
  peer: number;
}

/**
 * The receiver's end of one flow: what credited and reactive flows have in common, how it lives and ends. It puts data in order and hands it to the reader
 * (PROTOCOL §5, §6). Its two kinds decide when the sender may send.
 */
export abstract class ReceiverFlow implements TimedFlow, CountedFlow {
  readonly isReceived = true;
  /** Smoothed; 0 before the first sample. */
  abstract readonly rttNs: number;
  readonly slot: number;
  /** For metrics; `reactive` where its sender alone knows. */
  abstract readonly algorithmName: string;
  /** Who measures this flow; set by its application. */
  abstract observer: FlowObserver;
  /** The flow is reactive: PROTOCOL §11. */
  abstract readonly isReactive: boolean;
  /** Rate of its credits; 0 of a reactive flow. */
  abstract readonly rateBps: number;
  protected readonly context: FlowContext;
  protected readonly frames: ReceiverFrames;
  protected readonly stream: ReceivedStream;
  protected readonly reassembly: Reassembly;
  protected readonly window: ReceiveWindow;
  private dataFrames = 0;
  /** Data frames released by a marked credit: where credits wait in queues, every flow has some. */
  private creditMarked = 0;
  /** Made for the first that there is to count. */
  private uncommon: UncommonFrames | null = null;
  protected stateCode: number = ReceiverState.closed;
  /** The last callback has been, or is on its way; CLOSED alone is also the state before the first CREDIT_REQUEST. */
  protected isOver = false;
  protected probe = 0;
  /** Its numbers that every packet changes: its record. */
  protected readonly numbers: Float64Array;
  protected readonly at: number;
  private overWith: XpassError | null = null;
  private pairedFlow = 0;
  private wantsPair = false;
  private readonly openedNs: number;

  constructor(context: FlowContext, options: ReceiverOptions, nowNs: number) {
    this.context = context;
    this.slot = options.slot;
    const { numbers, at } = context.records.take();
    this.numbers = numbers;
    this.at = at;
    this.stream = new ReceivedStream(context.config.receiveWindowBytes, context.counters, context.held);
    this.reassembly = this.stream.reassembly;
    this.window = this.stream.window;
    this.frames = new ReceiverFrames(context, options.header, options.peer);
    this.lastHeardNs = nowNs;
    this.openedNs = nowNs;
    this.numbers[this.at + ReceiverPlace.completeNs] = NEVER;
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

  /** The flow is closed and forgotten: no callback comes any more, and its verbs do nothing. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** A flow of the opposite direction that this one answers; 0 for none. PROTOCOL §6.1 */
  get pairedFlowId(): number {
    return this.pairedFlow;
  }

  /** Its sender asks for a flow of the opposite direction that names this one as its pair: the two are a stream. PROTOCOL §6.1 */
  get isDuplex(): boolean {
    return this.wantsPair;
  }

  /** What its credit algorithm remembers, by the names of the papers; for traces. Allocates. */
  get algorithmState(): Record<string, number> {
    return {};
  }

  get statistics(): ReceiverStatistics {
    const uncommon = this.uncommon ?? NO_FRAMES;
    return {
      bytesDelivered: this.reassembly.nextOffset,
      bytesHeld: this.window.heldBytes,
      dataFrames: this.dataFrames,
      speculativeFrames: uncommon.speculative,
      filledFrames: uncommon.filled,
      chunks: uncommon.chunks,
      repairedFrames: uncommon.repaired,
      markedFrames: uncommon.marked,
      creditMarkedFrames: this.creditMarked,
      disorderedFrames: uncommon.disordered,
      disorderMax: uncommon.disorderMax,
      paths: 0,
      pathExclusions: 0,
      pathReturns: 0,
      creditsSent: 0,
      creditsUsed: 0,
      creditsUnused: 0,
      creditsDropped: 0,
      creditsOutstanding: 0,
      creditsOvertaken: 0,
      creditsLostAtHome: 0,
      rateBps: this.rateBps,
      rttNs: 0,
      minRttNs: Number.POSITIVE_INFINITY,
    };
  }

  addTo(sums: FlowSums): void {
    sums.open++;
    sums.payloadBytes += this.reassembly.nextOffset;
    sums.dataFrames += this.dataFrames;
    if (this.uncommon === null) return;
    sums.speculativeFrames += this.uncommon.speculative;
    sums.repairedFrames += this.uncommon.repaired;
    sums.marked += this.uncommon.marked;
  }

  completionNs(): number {
    const completeNs = this.numbers[this.at + ReceiverPlace.completeNs];
    return completeNs === NEVER ? -1 : completeNs - this.openedNs;
  }

  /** The application takes the flow. It may have closed it in the same breath. */
  accept(reader: FlowReader): void {
    this.stream.reader = reader;
    if (this.isOver) reader.onClosed(this.overWith);
  }

  /** The reader is done with `bytes` bytes of what it was given. */
  abstract release(bytes: number, nowNs: number): void;

  /** Gives the flow up on both sides. Does nothing once the flow is complete or closed. */
  reset(nowNs: number, code: number = ResetCode.aborted): void {
    if (this.isOver || this.stateCode === ReceiverState.complete) return;
    this.sendReset(code, nowNs);
    this.close(new XpassError('reset', 'the flow was given up on this side'));
  }

  /** Notes what the first CREDIT_REQUEST says, before the application is asked to take the flow. */
  handleOpening(frame: Frame): void {
    this.pairedFlow = CreditRequest.read.pairedFlowId(frame.bytes);
    this.wantsPair = (flags(frame.bytes) & RequestFlag.duplex) !== 0;
    const frameBytes = CreditRequest.read.maxFrameBytes(frame.bytes);
    this.window.setFrameBytes(frameBytes);
    this.frames.fitInto(frameBytes, this.isReactive);
  }

  abstract handleRequest(frame: Frame, nowNs: number): void;
  abstract handleData(frame: Frame, nowNs: number): void;
  /** A frame of data without a credit. PROTOCOL §12.2 */
  abstract handleSpeculative(frame: Frame, nowNs: number): void;
  /** A chunk of a filled frame, as a DATA frame whose echo means nothing. PROTOCOL §13.2 */
  abstract handleChunk(frame: Frame, nowNs: number): void;
  abstract handleStop(frame: Frame, nowNs: number): void;

  handleFin(frame: Frame, nowNs: number): void {
    this.heard(nowNs);
    this.noteProbe(Fin.read.probe(frame.bytes));
    const finalOffset = widen(Fin.read.finalOffset(frame.bytes), this.reassembly.nextOffset);
    if (!this.stream.finish(finalOffset)) {
      this.breach(nowNs);
      return;
    }
    this.readFin(frame);
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
    this.context.trace?.closed(this, error);
    this.stop();
    this.isOver = true;
    this.stream.stop();
    this.overWith = error;
    this.stateCode = ReceiverState.closed;
    this.context.forget(this.slot);
    if (!isTold) this.stream.reader?.onClosed(error);
  }

  onTimer(nowNs: number): number {
    const config = this.context.config;
    if (this.stateCode === ReceiverState.complete) {
      if (nowNs >= this.lingerEndNs) this.close(null);
      return this.deadlineNs();
    }
    if (nowNs >= this.lastHeardNs + config.idleTimeoutNs) {
      this.sendReset(ResetCode.idle, nowNs);
      this.close(new XpassError('idle', 'nothing was heard from the peer for the idle timeout'));
      return NEVER;
    }
    this.onStateTimer(nowNs);
    return this.deadlineNs();
  }

  /** Of what the flow has asked for with `schedule`. */
  abstract readonly dueSource: DueSource;

  /** The host's NIC has dropped a credit. */
  abstract creditTakenBack(frame: Frame, nowNs: number): void;

  /** What a FIN says beside the length of the stream. */
  protected abstract readFin(frame: Frame): void;

  /** The sender may send nothing more, but for repairs. */
  protected abstract stop(): void;

  /** All bytes and the FIN have arrived. */
  protected abstract onComplete(): void;

  /** The kind's own timers: when the earliest of them fires, and what is due of them. See RECEIVER_TIMERS. */
  protected abstract stateDeadlineNs(): number;
  protected abstract onStateTimer(nowNs: number): void;

  protected abstract sendAck(nowNs: number): void;

  /** Made for the parts of the flow; not kept. */
  protected get record(): ReceiverRecord {
    const { numbers, at } = this;
    return { numbers, at };
  }

  protected get lastHeardNs(): number {
    return this.numbers[this.at + ReceiverPlace.lastHeardNs];
  }

  protected set lastHeardNs(nowNs: number) {
    this.numbers[this.at + ReceiverPlace.lastHeardNs] = nowNs;
  }

  /** Counts a data frame; true if it arrived marked. */
  protected countData(bytes: Uint8Array): boolean {
    this.dataFrames++;
    if ((flags(bytes) & DataFlag.creditCe) !== 0) this.creditMarked++;
    return !isPlain(bytes) && this.counted.count(bytes);
  }

  /** Where frames are counted that are not plain data frames in order. */
  protected get counted(): UncommonFrames {
    this.uncommon ??= new UncommonFrames();
    return this.uncommon;
  }

  protected heard(nowNs: number): void {
    this.lastHeardNs = nowNs;
  }

  protected noteProbe(probe: number): void {
    if (serialAfter16(probe, this.probe)) this.probe = probe;
  }

  /** Everything has arrived: says so to both sides, to the peer before anything can happen to the flow. True if it was so just now. */
  protected completeIfDone(nowNs: number): boolean {
    if (!this.stream.isComplete || this.stateCode === ReceiverState.complete || this.isOver) return false;
    this.onComplete();
    this.stateCode = ReceiverState.complete;
    this.numbers[this.at + ReceiverPlace.completeNs] = nowNs;
    this.sendAck(nowNs);
    this.arm();
    this.context.lingers(this.slot);
    this.stream.reader?.onClosed(null);
    return true;
  }

  /** Counts the degree of disorder that the data frame placed last met, and returns it. */
  protected noteDisorder(): number {
    const degree = this.stream.disorder;
    if (degree > 0) this.counted.countDisorder(degree);
    this.context.disorder.count(degree);
    return degree;
  }

  protected breach(nowNs: number): void {
    this.sendReset(ResetCode.protocol, nowNs);
    this.close(new XpassError('protocol', 'the peer changed the length of the stream'));
  }

  protected arm(): void {
    if (this.stateCode !== ReceiverState.closed) this.context.arm(this.slot, this.deadlineNs());
  }

  /** End of the linger time of a COMPLETE flow. */
  private get lingerEndNs(): number {
    return this.numbers[this.at + ReceiverPlace.completeNs] + this.context.config.lingerNs;
  }

  private sendReset(code: number, nowNs: number): void {
    this.frames.reset(code, nowNs);
  }

  private deadlineNs(): number {
    const config = this.context.config;
    if (this.stateCode === ReceiverState.closed) return NEVER;
    if (this.stateCode === ReceiverState.complete) return this.lingerEndNs;
    return Math.min(this.lastHeardNs + config.idleTimeoutNs, this.stateDeadlineNs());
  }
}

/** A request or data of one kind of flow is not for a flow of the other. PROTOCOL §11.1 */
export function fitsKind(type: number, { bytes }: Frame, flow: ReceiverFlow): boolean {
  if (type === FrameType.speculativeData) return !flow.isReactive;
  if (type === FrameType.data) return ((flags(bytes) & DataFlag.reactive) !== 0) === flow.isReactive;
  return type !== FrameType.creditRequest || ((flags(bytes) & RequestFlag.reactive) !== 0) === flow.isReactive;
}

/** Data whose flow's opening may be behind it, or lost. PROTOCOL §11.1, §12.2 */
export function isEarly(type: number, { bytes }: Frame): boolean {
  if (type === FrameType.speculativeData) return true;
  const early = DataFlag.reactive | DataFlag.early;
  return type === FrameType.data && (flags(bytes) & early) === early;
}
