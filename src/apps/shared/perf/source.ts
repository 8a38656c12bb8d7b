import { assert } from '../../../base/assert.js';
import * as time from '../../../base/time.js';
import type { FlowObserver, FlowWriter } from '../../../core/application.js';
import type { XpassError } from '../../../core/errors.js';
import type { SenderFlow } from '../../../core/sender-flow.js';
import * as layout from '../../../wire/layout.js';
import type { DurationHistogram } from './histogram.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { Data, ResetCode } = layout;

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
  /** As UdpHost.run. */
  run(action: (nowNs: number) => void): void;
  onClosed(error: XpassError | null): void;
}

/**
 * Keeps one flow busy until its time is over or its bytes are sent, then ends it in order.
 *
 * Credits are its clock: it counts those that arrive and writes again when nearly all that it wrote is spent. So little waits in the buffer, the flow never
 * runs dry, the end needs no timer, and a credit costs a subtraction and a comparison besides its record in the histogram.
 */
export class PerfSource implements FlowWriter, FlowObserver {
  private readonly options: SourceOptions;
  private readonly payloadBytes: number;
  private flow: SenderFlow | null = null;
  private bytesLeft: number;
  private endNs = NEVER;
  private ended = false;
  private closed = false;
  private creditsUntilRefill = 0;
  /** NEVER before the first. */
  private lastCreditNs = NEVER;
  private recordFromNs = 0;
  private isRecording = false;
  private lostBefore = 0;

  constructor(options: SourceOptions) {
    this.options = options;
    this.payloadBytes = options.frameBytes - Data.overheadBytes;
    this.bytesLeft = options.bytes;
  }

  /** Bytes that the receiver has, without the header. */
  get acknowledgedBytes(): number {
    const { bytesAcknowledged = 0 } = this.flow?.statistics ?? {};
    return Math.max(0, bytesAcknowledged - this.options.header.length);
  }

  /** Data frames of the measurement that were taken for lost and sent again. */
  get lostFrames(): number {
    return this.isRecording ? (this.flow?.statistics.framesRepaired ?? 0) - this.lostBefore : 0;
  }

  /** `flow` was opened with this as its writer. */
  attach(flow: SenderFlow): void {
    this.flow = flow;
    flow.observer = this;
  }

  /** Begins to send, until `endNs`; NEVER for no such limit. Gaps are recorded from `recordFromNs` on. */
  start(nowNs: number, { endNs, recordFromNs }: { endNs: number; recordFromNs: number }): void {
    const { flow } = this;
    assert(flow !== null, 'a source has its flow before it starts');
    this.endNs = endNs;
    this.recordFromNs = recordFromNs;
    flow.write(this.options.header, nowNs);
    const bytes = Math.min(CHUNK_BYTES, FRAMES_AHEAD * this.payloadBytes);
    this.refill(flow, nowNs, bytes, bytes);
  }

  /** Writes no more and ends the flow once what is written has arrived. */
  end(nowNs: number): void {
    if (this.ended || this.flow === null) return;
    this.ended = true;
    this.creditsUntilRefill = Number.POSITIVE_INFINITY;
    this.flow.end(nowNs);
  }

  onCredit(nowNs: number): void {
    const isFirst = this.lastCreditNs === NEVER;
    if (!this.isRecording && nowNs >= this.recordFromNs) this.record();
    if (!isFirst && this.isRecording) this.options.gaps.record(nowNs - this.lastCreditNs);
    this.lastCreditNs = nowNs;
    this.creditsUntilRefill--;
    if (nowNs >= this.endNs) this.end(nowNs);
    // More than the request told of sets MORE on the first frames: a long path would wait a round trip for it (PROTOCOL §4.8).
    else if (isFirst && this.flow !== null) this.refill(this.flow, nowNs, this.unsentBytes + 1);
    else if (this.creditsUntilRefill <= 0 && this.flow !== null) this.refill(this.flow, nowNs);
  }

  /** Acknowledgements may be lost, so they are not counted. */
  onAck(nowNs: number): void {
    const { flow } = this;
    if (flow === null || this.ended) return;
    if (!this.isRecording && nowNs >= this.recordFromNs) this.record();
    if (nowNs >= this.endNs) this.end(nowNs);
    else if (flow.unsentBytes < (FRAMES_AHEAD * this.payloadBytes) / 2) this.refill(flow, nowNs);
  }

  onRtt(rttNs: number): void {
    if (this.isRecording) this.options.rtts.record(rttNs);
  }

  onWritable(): void {
    const { flow } = this;
    if (!this.ended && flow !== null) this.options.run((nowNs) => this.refill(flow, nowNs));
  }

  onClosed(error: XpassError | null): void {
    this.ended = true;
    this.closed = true;
    this.options.onClosed(error);
  }

  /** Gives the flow up, with this code, if it is still open. */
  abort(nowNs: number, code: number = ResetCode.aborted): void {
    if (!this.closed) this.flow?.reset(nowNs, code);
  }

  /** The measurement begins. */
  private record(): void {
    this.isRecording = true;
    this.lostBefore = this.flow?.statistics.framesRepaired ?? 0;
  }

  private get unsentBytes(): number {
    const { bytesWritten = 0, bytesSent = 0 } = this.flow?.statistics ?? {};
    return bytesWritten - bytesSent;
  }

  /** Writes chunks until `aheadBytes` or more wait. */
  private refill(
    flow: SenderFlow,
    nowNs: number,
    aheadBytes: number = FRAMES_AHEAD * this.payloadBytes,
    chunkBytes: number = CHUNK_BYTES,
  ): void {
    let unsent = this.unsentBytes;
    while (unsent < aheadBytes && this.bytesLeft > 0) {
      const count = Math.min(chunkBytes, this.bytesLeft);
      if (!flow.write(count === CHUNK_BYTES ? CHUNK : CHUNK.subarray(0, count), nowNs)) {
        this.creditsUntilRefill = Number.POSITIVE_INFINITY;
        return;
      }
      this.bytesLeft -= count;
      unsent += count;
    }
    // One frame is left over, so that the flow does not take itself for idle in between.
    this.creditsUntilRefill = Math.floor(unsent / this.payloadBytes) - 1;
    if (this.bytesLeft === 0) this.end(nowNs);
  }
}

function pattern(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = at;
  return bytes;
}
