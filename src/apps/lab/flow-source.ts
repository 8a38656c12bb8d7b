import type { XpassError } from '../../core/errors.js';
import type { FlowObserver, FlowWriter } from '../../core/flow-callbacks.js';
import type { Sender } from '../../net/sender.js';
import { Data } from '../../wire/layout.js';
import { MAX_PART_BYTES, patternBytes } from './stream-pattern.js';

/** Frames that wait in the send buffer after a refill, at least (ours): few enough for a flow that is stopped to end soon. */
const FRAMES_AHEAD = 16;

export interface SourceOptions {
  /** Infinity: until it is stopped. */
  readonly bytes: number;
  /** Largest UDP payload of the flow's frames. */
  readonly frameBytes: number;
  onClosed(error: XpassError | null): void;
}

/**
 * Keeps one flow supplied until its bytes are written or it is stopped, then ends it in order. Credits are its clock: it writes again when nearly all that it wrote is spent,
 * so that a flow without an end never runs dry and holds little.
 */
export class FlowSource implements FlowWriter, FlowObserver {
  private readonly options: SourceOptions;
  private readonly payloadBytes: number;
  private flow: Sender | null = null;
  private isOver = false;
  private creditsUntilRefill = 0;

  constructor(options: SourceOptions) {
    this.options = options;
    this.payloadBytes = options.frameBytes - Data.overheadBytes;
  }

  /** `flow` was opened with this as its writer: it begins. */
  start(flow: Sender): void {
    this.flow = flow;
    flow.observer = this;
    this.refill(flow);
  }

  /** Writes no more, and ends the flow once what is written has arrived. */
  stop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.flow?.end();
  }

  onCredit(): void {
    this.creditsUntilRefill--;
    if (this.creditsUntilRefill <= 0 && !this.isOver && this.flow !== null) this.refill(this.flow);
  }

  /** Acknowledgements may be lost, so they are not counted. */
  onAck(): void {
    const { flow } = this;
    if (!this.isOver && flow !== null && flow.unsentBytes < FRAMES_AHEAD * this.payloadBytes) this.refill(flow);
  }

  onRtt(): void {}

  onWritable(): void {
    const { flow } = this;
    if (!this.isOver && flow !== null) this.refill(flow);
  }

  onClosed(error: XpassError | null): void {
    this.isOver = true;
    this.options.onClosed(error);
  }

  private refill(flow: Sender): void {
    const { bytesWritten, bytesSent } = flow.statistics;
    const wantedBytes = Math.min(this.options.bytes, bytesSent + 2 * FRAMES_AHEAD * this.payloadBytes);
    let writtenBytes = bytesWritten;
    while (writtenBytes < wantedBytes) {
      const count = Math.min(MAX_PART_BYTES, wantedBytes - writtenBytes);
      if (!flow.write(patternBytes(flow.id, writtenBytes, count))) break;
      writtenBytes += count;
    }
    this.creditsUntilRefill = Math.floor((writtenBytes - bytesSent) / this.payloadBytes) - FRAMES_AHEAD;
    if (writtenBytes === this.options.bytes) this.stop();
  }
}
