import { NEVER } from '../base/time.js';
import { dataFrameNumber, dataOffset } from '../wire/decode.js';
import type { WindowAckFields } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { CreditRequest, CreditStop } from '../wire/frames.js';
import { ARRIVAL_UNIT_NS, Data, Header, WindowAckFlag } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { NO_RANGES } from './ack-ranges.js';
import type { DueSource, FlowContext } from './context.js';
import { type FlowObserver, NO_OBSERVER } from './flow-callbacks.js';
import { ReceiverFlow, type ReceiverOptions, ReceiverState } from './receiver-flow.js';

const MICROSECONDS = 1e-3;
/** What PROTOCOL §3.14 has room for. */
const MOST_QUEUING_US = 0xffff;

/** The receiver's end of a reactive flow: answers every data frame at once (PROTOCOL §11.2) and says how far the sender may go (PROTOCOL §11.5). */
export class ReactiveReceiver extends ReceiverFlow {
  override readonly algorithmName = 'reactive';
  override readonly rttNs = 0;
  override readonly rateBps = 0;
  override observer: FlowObserver = NO_OBSERVER;
  private readonly fields: WindowAckFields;
  /** The DATA frame under way has not been answered yet. */
  private owesEcho = false;

  constructor(context: FlowContext, options: ReceiverOptions, nowNs: number) {
    super(context, options, nowNs);
    this.fields = {
      flags: 0,
      cumulative: 0,
      probe: 0,
      ranges: NO_RANGES,
      windowEnd: 0,
      frameNumber: 0,
      arrivedWith: 0,
      remoteQueuing: 0,
      arrivalTime: 0,
    };
  }

  override get isReactive(): boolean {
    return true;
  }

  override release(bytes: number, nowNs: number): void {
    this.window.release(bytes);
    // Inside `onData` the frame is not answered yet.
    if (this.stream.isDelivering || this.stateCode !== ReceiverState.receiving) return;
    const hadRoom = this.hasRoomWithin(this.fields.windowEnd);
    if (!hadRoom && this.hasRoomWithin(this.windowEnd)) this.sendAck(nowNs);
  }

  override handleRequest(frame: Frame, nowNs: number): void {
    // In CLOSED it is the one that `handleOpening` has counted.
    if (this.stateCode === ReceiverState.closed) {
      this.lastHeardNs = nowNs;
      this.stateCode = ReceiverState.receiving;
    } else this.heard(nowNs);
    this.noteProbe(CreditRequest.read.probe(frame.bytes));
    this.sendAck(nowNs);
    this.arm();
  }

  override handleData(frame: Frame, nowNs: number): void {
    const offset = widen(dataOffset(frame.bytes), this.reassembly.nextOffset);
    if (offset < 0) {
      this.context.counters.invalid++;
      return;
    }
    this.heard(nowNs);
    this.countData(frame.bytes);
    this.noteEcho(frame, nowNs);
    if (!this.stream.take(frame, offset)) {
      this.breach(nowNs);
      return;
    }
    if (this.isOver) return;
    this.stream.tellEnd();
    this.completeIfDone(nowNs);
    if (this.owesEcho) this.sendAck(nowNs);
  }

  override handleSpeculative(): void {
    this.context.counters.invalid++;
  }

  override handleChunk(): void {
    this.context.counters.invalid++;
  }

  override handleStop(frame: Frame, nowNs: number): void {
    this.heard(nowNs);
    this.noteProbe(CreditStop.read.probe(frame.bytes));
    this.sendAck(nowNs);
    this.arm();
  }

  override get dueSource(): DueSource {
    return this;
  }

  /** Nothing is ever due: windows say when to send. */
  sendDue(): number {
    return NEVER;
  }

  override creditTakenBack(): void {}

  protected override readFin(): void {}

  protected override stop(): void {}

  protected override onComplete(): void {}

  protected override stateDeadlineNs(): number {
    return NEVER;
  }

  protected override onStateTimer(): void {}

  protected override sendAck(nowNs: number): void {
    if (this.stateCode === ReceiverState.closed) return;
    const { fields } = this;
    const isComplete = this.stateCode === ReceiverState.complete;
    fields.flags = (isComplete ? WindowAckFlag.complete : 0) | (this.owesEcho ? WindowAckFlag.echo : 0);
    if (!this.owesEcho) fields.frameNumber = fields.arrivedWith = fields.remoteQueuing = fields.arrivalTime = 0;
    fields.probe = this.probe;
    fields.windowEnd = this.windowEnd;
    this.owesEcho = false;
    this.frames.windowAck(this.reassembly, fields, nowNs);
  }

  private noteEcho(frame: Frame, nowNs: number): void {
    const { fields } = this;
    fields.frameNumber = dataFrameNumber(frame.bytes);
    fields.arrivedWith = frame.bytes[Header.hopLimitAndEcn];
    const arrivedNs = Math.min(frame.arrivedNs, nowNs);
    fields.remoteQueuing = Math.min(Math.round((nowNs - arrivedNs) * MICROSECONDS), MOST_QUEUING_US);
    fields.arrivalTime = Math.floor(arrivedNs / ARRIVAL_UNIT_NS);
    this.owesEcho = true;
  }

  /** How far the sender may go: as much as the receive window takes, and no more at a time than what the host can be sent at once. */
  private get windowEnd(): number {
    const { hostCredits, frameBytes } = this.context.config;
    const atOnceBytes = hostCredits * (frameBytes - Data.overheadBytes);
    return Math.min(this.window.end, this.reassembly.nextOffset + atOnceBytes);
  }

  /** Whether a full frame fits between what has arrived and `windowEnd`. */
  private hasRoomWithin(windowEnd: number): boolean {
    return this.reassembly.highestEnd + this.context.config.frameBytes - Data.overheadBytes <= windowEnd;
  }
}
