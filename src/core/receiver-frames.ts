// Tested by test/core/receiver-flow.test.ts and test/core/receiver-data.test.ts
import {
  type AckFields,
  type AckRanges,
  encodeAck,
  encodeCredit,
  encodeReset,
  encodeWindowAck,
  type FlowHeader,
  type WindowAckFields,
} from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import type { FlowContext } from './context.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Ack, Credit, ResetFlag, WindowAck } = layout;

/** Filled anew for every credit of whichever flow. */
const CREDIT_FIELDS = { sequence: 0, pathId: 0, paddingBytes: 0 };
/** Those of no flow, so that what is below keeps none in memory that is closed. */
const NO_RANGES: AckRanges = { count: 0, start: () => 0, end: () => 0 };
/** The same for every ACK. */
const ACK_FIELDS: AckFields = { flags: 0, cumulative: 0, probe: 0, ranges: NO_RANGES };

/** Writes the frames that a flow's receiver sends, and counts their wire bytes for PROTOCOL §4.6. */
export class ReceiverFrames implements FlowHeader {
  // It is its own header: one object less to touch for each credit.
  readonly destination: number;
  readonly source: number;
  readonly flowId: number;
  private readonly peer: number;
  wireBytesSent = 0;
  private readonly context: FlowContext;
  /** Padding of a credit: so many bytes at the least, and how many more it may be. */
  private readonly leastPaddingBytes: number;
  private readonly paddingChoices: number;
  /** Of every frame but credits. */
  pathId: number;
  private readonly ranges: AckRanges;

  /** `ranges`: what every ACK tells of what has arrived beyond the cumulative offset. */
  constructor(context: FlowContext, header: FlowHeader, peer: number, ranges: AckRanges) {
    this.context = context;
    this.destination = header.destination;
    this.source = header.source;
    this.flowId = header.flowId;
    this.pathId = header.pathId ?? 0;
    this.peer = peer;
    this.ranges = ranges;
    const { creditSizeJitterBytes } = context.config;
    this.leastPaddingBytes = Credit.maxPaddingBytes / 2 - creditSizeJitterBytes;
    this.paddingChoices = 2 * creditSizeJitterBytes + 1;
  }

  /** As of CreditIssuer. */
  prefetch(): number {
    return this.flowId ^ this.paddingChoices;
  }

  /** `pathId`: 0 for a credit that follows its flow. */
  credit(sequence: number, pathId: number, dueNs: number): void {
    const frame = this.context.pool.take();
    const fields = CREDIT_FIELDS;
    fields.sequence = sequence;
    fields.pathId = pathId;
    fields.paddingBytes = this.padding();
    frame.length = encodeCredit(frame.bytes, this, fields, this.context.check);
    this.address(frame);
    this.context.emitCredit(frame, dueNs);
  }

  /** Every frame but credits goes by this path from now on. */
  setPath(pathId: number): void {
    this.pathId = pathId;
  }

  /** `flags`: bits of AckFlag. */
  ack(cumulative: number, probe: number, flags: number, nowNs: number): void {
    const frame = this.context.pool.take();
    const fields = ACK_FIELDS;
    // Buffers of a world of lengths are smaller than a full list of ranges.
    frame.reserve(Ack.bytes + this.ranges.count * Ack.rangeBytes);
    fields.ranges = this.ranges;
    fields.cumulative = cumulative;
    fields.probe = probe;
    fields.flags = flags;
    frame.length = encodeAck(frame.bytes, this, fields, this.context.check);
    fields.ranges = NO_RANGES;
    this.send(frame, nowNs);
  }

  windowAck(fields: WindowAckFields, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.reserve(WindowAck.bytes + fields.ranges.count * Ack.rangeBytes);
    frame.length = encodeWindowAck(frame.bytes, this, fields, this.context.check);
    this.send(frame, nowNs);
  }

  reset(code: number, nowNs: number): void {
    const frame = this.context.pool.take();
    frame.length = encodeReset(frame.bytes, this, { code, flags: ResetFlag.fromReceiver }, this.context.check);
    this.send(frame, nowNs);
  }

  /** Random, so that credits of several switches do not meet in one order for ever. PROTOCOL §4.4 */
  private padding(): number {
    return this.leastPaddingBytes + Math.floor(this.context.random.next() * this.paddingChoices);
  }

  private send(frame: Frame, nowNs: number): void {
    this.address(frame);
    this.context.emit(frame, nowNs);
  }

  private address(frame: Frame): void {
    frame.peer = this.peer;
    this.wireBytesSent += frame.wireBytes;
  }
}
