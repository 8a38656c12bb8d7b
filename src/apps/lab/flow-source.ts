import type { XpassError } from '../../base/errors.js';
import type { FlowObserver, FlowWriter } from '../../core/flow-callbacks.js';
import type { Sender } from '../../net/sender.js';
import { FlowFeeder } from '../../services/flow-feeder.js';
import { MAX_PART_BYTES, patternBytes } from './stream-pattern.js';

/** Frames that wait in the send buffer after a refill, and when the next comes (ours): few enough for a flow that is stopped to end soon. */
const FRAMES_AHEAD = 32;
const FRAMES_LEFT = 16;

export interface SourceOptions {
  /** Infinity: until it is stopped. */
  readonly bytes: number;
  /** Largest UDP payload of the flow's frames. */
  readonly frameBytes: number;
  onClosed(error: XpassError | null): void;
}

/** Keeps one flow supplied with its pattern until its bytes are written or it is stopped, then ends it in order. */
export class FlowSource implements FlowWriter, FlowObserver {
  private readonly options: SourceOptions;
  private feeder: FlowFeeder | null = null;

  constructor(options: SourceOptions) {
    this.options = options;
  }

  /** `sender` was opened with this as its writer: it begins. */
  start(sender: Sender): void {
    const { bytes, frameBytes } = this.options;
    this.feeder = new FlowFeeder(sender, {
      bytes,
      frameBytes,
      framesAhead: FRAMES_AHEAD,
      framesLeft: FRAMES_LEFT,
      part: (offset, wantedBytes) => patternBytes(sender.id, offset, Math.min(wantedBytes, MAX_PART_BYTES)),
    });
    sender.observer = this;
    this.feeder.refill();
  }

  /** Writes no more, and ends the flow once what is written has arrived. */
  stop(): void {
    this.feeder?.end();
  }

  onCredit(): void {
    this.feeder?.onCredit();
  }

  onAck(): void {
    this.feeder?.onAck();
  }

  onRtt(): void {}

  onWritable(): void {
    this.feeder?.onWritable();
  }

  onClosed(error: XpassError | null): void {
    this.feeder?.close();
    this.options.onClosed(error);
  }
}
