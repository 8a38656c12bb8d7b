// Tested by test/core/receiver-flow.test.ts and test/core/receiver-data.test.ts
import {
  type AckFields,
  encodeAck,
  encodeCredit,
  encodeWindowAck,
  type FlowHeader,
  type WindowAckFields,
} from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { Reset } from '../wire/frames.js';
import { Ack, AckFlag, Credit, CreditFlag, ResetFlag, WindowAck } from '../wire/layout.js';
import { maxAckRanges, SomeRanges } from './ack-ranges.js';
import type { FlowContext } from './context.js';
import type { Reassembly } from './reassembly.js';

/** Ranges of an ACK that the next one repeats: a hole is a loss after that many frames. PROTOCOL §5.2 */
const REPEATED_RANGES = 3;

/** Filled anew for every credit of whichever flow. */
const CREDIT_FIELDS = { flags: 0, sequence: 0, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 0 };
const RANGES = new SomeRanges();
/** The same for every ACK; its ranges for those of reactive flows too. */
const ACK_FIELDS: AckFields = { flags: 0, cumulative: 0, probe: 0, ranges: RANGES };

/** Writes the frames that a flow's receiver sends. */
export class ReceiverFrames implements FlowHeader {
  // It is its own header: one object less to touch for each credit.
  readonly destination: number;
  readonly source: number;
  readonly flowId: number;
  readonly peer: number;
  private readonly context: FlowContext;
  /** Least padding of a credit, and the number of sizes from there on. */
  private leastPaddingBytes: number;
  private paddingChoices: number;
  /** Rate code of the next credit, set by `setExplicitRate`. */
  rateCode = 0;
  private hop = 0;
  /** Bits of CreditFlag, of every credit. */
  private creditFlags = 0;
  /** Of every frame but credits. */
  pathId: number;
  /** Ranges in an ACK at most. */
  private mostRanges = 0;
  /** Index of the first range of the next ACK. */
  private firstRange = 0;

  constructor(context: FlowContext, header: FlowHeader, peer: number) {
    this.context = context;
    this.destination = header.destination;
    this.source = header.source;
    this.flowId = header.flowId;
    this.pathId = header.pathId ?? 0;
    this.peer = peer;
    const { creditSizeJitterBytes } = context.config;
    this.leastPaddingBytes = Credit.maxPaddingBytes / 2 - creditSizeJitterBytes;
    this.paddingChoices = 2 * creditSizeJitterBytes + 1;
  }

  /** `pathId`: 0 for a credit that follows its flow. Its rate code and hop are those of `setExplicitRate`. */
  credit(sequence: number, pathId: number, dueNs: number): void {
    const frame = this.context.pool.take();
    const fields = CREDIT_FIELDS;
    fields.flags = this.creditFlags;
    fields.sequence = sequence;
    fields.pathId = pathId;
    fields.paddingBytes = this.padding();
    fields.rateCode = this.rateCode;
    fields.hop = this.hop;
    frame.length = encodeCredit(frame.bytes, this, fields, this.context.check);
    frame.peer = this.peer;
    this.context.emitDue(frame, dueNs);
  }

  /** Credits ask for an explicit rate from now on, with this rate code of their flow and the hop that limits it. PROTOCOL §9.7 */
  setExplicitRate(rateCode: number, hop: number): void {
    if (this.rateCode === 0) this.narrowPadding();
    this.rateCode = rateCode;
    this.hop = hop;
  }

  /** Every frame but credits goes by this path from now on. */
  setPath(pathId: number): void {
    this.pathId = pathId;
  }

  /** Its credits are of the low class. PROTOCOL §9.8 */
  setLowClass(): void {
    this.creditFlags = CreditFlag.lowClass;
  }

  /** ACKs have at most `frameBytes`. */
  fitInto(frameBytes: number, isReactive: boolean): void {
    this.mostRanges = maxAckRanges(frameBytes, isReactive);
  }

  /** Of what has `arrived`; `flags`: bits of AckFlag. */
  ack(arrived: Reassembly, probe: number, flags: number, nowNs: number): void {
    const fields = ACK_FIELDS;
    const first = this.turnRanges(arrived.ranges.count);
    fields.cumulative = arrived.nextOffset;
    fields.probe = probe;
    fields.flags = first > 0 ? flags | AckFlag.beyond : flags;
    const frame = this.frameFor(arrived, first, Ack.bytes);
    frame.length = encodeAck(frame.bytes, this, fields, this.context.check);
    this.sendAck(frame, nowNs);
  }

  /** The next ACK tells the lowest ranges. */
  restartRanges(): void {
    this.firstRange = 0;
  }

  /** The same of a reactive flow; `fields` have the rest, and are filled. */
  windowAck(arrived: Reassembly, fields: WindowAckFields, nowNs: number): void {
    fields.cumulative = arrived.nextOffset;
    fields.ranges = RANGES;
    const frame = this.frameFor(arrived, 0, WindowAck.bytes);
    frame.length = encodeWindowAck(frame.bytes, this, fields, this.context.check);
    this.sendAck(frame, nowNs);
  }

  reset(code: number, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = Reset.encode(frame.bytes, this, { code, flags: ResetFlag.fromReceiver }, this.context.check);
    this.send(frame, nowNs);
  }

  /** Random, so that credits of several switches do not meet in one order for ever. PROTOCOL §4.4 */
  private padding(): number {
    return this.leastPaddingBytes + Math.floor(this.context.random.next() * this.paddingChoices);
  }

  /** The two bytes of the explicit rate are part of the padding; the mean size stays what meters and paces count with. */
  private narrowPadding(): void {
    const { explicitBytes, maxPaddingBytes } = Credit;
    this.leastPaddingBytes = Math.max(explicitBytes, this.leastPaddingBytes);
    this.paddingChoices = maxPaddingBytes - 2 * this.leastPaddingBytes + 1;
  }

  /** Index of the first of `count` ranges that an ACK tells; the next one goes on from there, and begins anew behind the last. */
  private turnRanges(count: number): number {
    const { mostRanges } = this;
    const first = this.firstRange < count ? this.firstRange : 0;
    this.firstRange = first + mostRanges < count ? first + Math.max(1, mostRanges - REPEATED_RANGES) : 0;
    return first;
  }

  /** A frame for an ACK with `fixedBytes` and the ranges of `arrived` from `first` on. In a world of lengths, buffers are too small for all ranges. */
  private frameFor({ ranges }: Reassembly, first: number, fixedBytes: number): Frame {
    RANGES.take(ranges, first, this.mostRanges);
    const frame = this.context.pool.take();
    frame.reserve(fixedBytes + RANGES.count * Ack.rangeBytes);
    return frame;
  }

  private sendAck(frame: Frame, nowNs: number): void {
    RANGES.letGo();
    this.send(frame, nowNs);
  }

  private send(frame: Frame, nowNs: number): void {
    frame.peer = this.peer;
    this.context.emit(frame, nowNs);
  }
}
