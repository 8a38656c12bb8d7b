import { assert } from '../../base/assert.js';
import type { XpassError } from '../../base/errors.js';
import { NEVER } from '../../base/time.js';
import type { FlowObserver, FlowWriter } from '../../core/flow-callbacks.js';
import type { SenderStatistics } from '../../core/sender-requests.js';
import type { Sender } from '../../net/sender.js';
import { Data } from '../../wire/layout.js';
import { FlowFeeder } from '../flow-feeder.js';
import type { BlockTimes } from './block-times.js';
import type { DurationHistogram } from './histogram.js';
import type { Pace } from './messages.js';

/** One write. All flows write the same bytes again and again: a flow keeps references, so the data costs its copies into frames only. */
const CHUNK_BYTES = 65_536;
const CHUNK = pattern(CHUNK_BYTES);
/** Frames that wait in the send buffer after a refill, at least (ours): few enough for a flow to end soon after it is told to. */
const FRAMES_AHEAD = 8;

export interface SourceOptions {
  /** First message of the stream; its bytes do not count. */
  readonly header: Uint8Array;
  /** Bytes to send; Infinity for no such limit. */
  readonly bytes: number;
  /** Largest UDP payload of the flow's frames. */
  readonly frameBytes: number;
  /** Gaps between arriving credits, of all flows of a test. */
  readonly gaps: DurationHistogram;
  /** Round trips that the sender of a reactive flow measures, of all flows of a test. */
  readonly rtts: DurationHistogram;
  /** Absent: as fast as credits come. */
  readonly pace?: Pace;
  /** Of one write at most. */
  readonly lengthBytes?: number;
  /** Of a flow that fills itself. */
  readonly blocks: BlockTimes | null;
  now(): number;
  /** The flow sends what `ask` gives it and nothing else. */
  readonly isAsked?: boolean;
  onClosed(error: XpassError | null): void;
}

/** Keeps one flow busy until its time is over or its bytes are sent, then ends it in order; records the gaps between its credits. */
export class PerfSource implements FlowWriter, FlowObserver {
  private readonly options: SourceOptions;
  private readonly firstBytes: number;
  private sender: Sender | null = null;
  private feeder: FlowFeeder | null = null;
  private endNs = NEVER;
  /** NEVER before the first. */
  private lastCreditNs = NEVER;
  private recordFromNs = 0;
  private isRecording = false;
  private lostBefore = 0;
  private readonly writeBytes: number;
  /** Parts of messages that wait to be written. */
  private readonly asked: Uint8Array[] = [];
  private askedBytes = 0;
  /** Where the first of them begins in the stream. */
  private askedFrom = 0;
  private startNs = 0;
  private pacedNs = 0;
  /** Of the latest call that told the time. */
  private nowNs = 0;

  constructor(options: SourceOptions) {
    this.options = options;
    this.writeBytes = Math.min(CHUNK_BYTES, options.lengthBytes ?? CHUNK_BYTES);
    this.firstBytes = Math.min(this.writeBytes, FRAMES_AHEAD * (options.frameBytes - Data.overheadBytes));
  }

  /** Bytes that the receiver has, without the header. */
  get acknowledgedBytes(): number {
    return Math.max(0, (this.sender?.acknowledgedBytes ?? 0) - this.options.header.length);
  }

  /** Since the flow began. */
  get counts(): Pick<SenderStatistics, 'framesRepaired' | 'bytesSent' | 'bytesAcknowledged'> {
    return this.sender?.statistics ?? NOTHING_SENT;
  }

  /** Data frames of the measurement that were taken for lost and sent again. */
  get lostFrames(): number {
    return this.isRecording ? this.repairedFrames - this.lostBefore : 0;
  }

  /** `sender` was opened with this as its writer. */
  attach(sender: Sender): void {
    const { bytes, frameBytes } = this.options;
    this.sender = sender;
    this.feeder = new FlowFeeder(sender, {
      bytes,
      frameBytes,
      framesAhead: FRAMES_AHEAD,
      framesLeft: 1,
      allowedBytes: () => this.allowedBytes(),
      part: (offset, _, leftBytes) => this.part(offset, leftBytes),
    });
    sender.observer = this;
  }

  /** Begins to send, until `endNs`; NEVER for no such limit. Gaps are recorded from `recordFromNs` on. Times of the host's clock. */
  start({ nowNs, endNs, recordFromNs }: { nowNs: number; endNs: number; recordFromNs: number }): void {
    const { sender, feeder } = this;
    assert(sender !== null && feeder !== null, 'a source has its flow before it starts');
    this.startNs = nowNs;
    this.pacedNs = nowNs;
    this.nowNs = nowNs;
    this.endNs = endNs;
    this.recordFromNs = recordFromNs;
    sender.write(this.options.header);
    feeder.refill(this.firstBytes);
  }

  /** Lets a paced flow go on; `PACE_MS` after the last call, or sooner. */
  pace(nowNs: number): void {
    this.pacedNs = nowNs;
    this.look(nowNs);
    if (nowNs >= this.endNs) this.end();
    else this.feeder?.refill();
  }

  /** Sends a message on a flow that sends nothing by itself. Its bytes must not change any more. */
  ask(message: Uint8Array): void {
    for (let at = 0; at < message.length; at += CHUNK_BYTES) this.asked.push(message.subarray(at, at + CHUNK_BYTES));
    this.askedBytes += message.length;
    this.feeder?.refill();
  }

  /** Writes no more and ends the flow once what is written has arrived. */
  end(): void {
    this.feeder?.end();
  }

  onCredit(nowNs: number): void {
    this.look(nowNs);
    const isFirst = this.lastCreditNs === NEVER;
    if (!this.isRecording && nowNs >= this.recordFromNs) this.record();
    if (!isFirst && this.isRecording) this.options.gaps.record(nowNs - this.lastCreditNs);
    this.lastCreditNs = nowNs;
    if (nowNs >= this.endNs) this.end();
    // More than the request told of sets MORE on the first frames: a long path would wait a round trip for it (PROTOCOL §4.8).
    else if (isFirst) this.feeder?.refill((this.sender?.unsentBytes ?? 0) + 1);
    else this.feeder?.onCredit();
  }

  onAck(nowNs: number): void {
    this.look(nowNs);
    if (!this.isRecording && nowNs >= this.recordFromNs) this.record();
    if (nowNs >= this.endNs) this.end();
    else this.feeder?.onAck();
  }

  onRtt(rttNs: number): void {
    if (this.isRecording) this.options.rtts.record(rttNs);
  }

  onWritable(): void {
    this.feeder?.onWritable();
  }

  onClosed(error: XpassError | null): void {
    const { blocks, bytes, now } = this.options;
    if (error === null) blocks?.end(Number.isFinite(bytes), now(), this.recordFromNs);
    this.feeder?.close();
    this.options.onClosed(error);
  }

  /** Gives the flow up, with this code of a RESET, if it is still open. */
  abort(code?: number): void {
    this.sender?.reset(code);
  }

  /** Acknowledgements of a flow with credits are told to nobody: each credit, and each look of a paced flow, finds those before it. */
  private look(nowNs: number): void {
    this.nowNs = nowNs;
    this.options.blocks?.acknowledge(this.acknowledgedBytes, nowNs, this.recordFromNs);
  }

  /** The measurement begins. */
  private record(): void {
    this.isRecording = true;
    this.lostBefore = this.repairedFrames;
  }

  private get repairedFrames(): number {
    return this.counts.framesRepaired;
  }

  private allowedBytes(): number {
    const { isAsked = false, pace } = this.options;
    if (isAsked) return this.askedBytes;
    if (pace === undefined) return Number.POSITIVE_INFINITY;
    const dueBytes = (pace.rateBps * (this.pacedNs - this.startNs)) / 8e9;
    const quantum = Math.max(1, pace.burstBytes);
    return (Math.floor(dueBytes / quantum) + 1) * quantum;
  }

  /** A part stays until the next is wanted: a write may be refused. */
  private askedPart(offset: number): Uint8Array {
    if (this.askedFrom < offset) this.askedFrom += this.asked.shift()?.length ?? 0;
    return this.asked[0];
  }

  private part(offset: number, leftBytes: number): Uint8Array {
    if (this.options.isAsked === true) return this.askedPart(offset);
    const bytes = Math.min(offset === 0 ? this.firstBytes : this.writeBytes, leftBytes);
    this.options.blocks?.write(offset + bytes, this.nowNs);
    return bytes === CHUNK_BYTES ? CHUNK : CHUNK.subarray(0, bytes);
  }
}

const NOTHING_SENT = { framesRepaired: 0, bytesSent: 0, bytesAcknowledged: 0 };

function pattern(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = at;
  return bytes;
}
