import type { FlowObserver, FlowWriter } from '../core/flow-callbacks.js';
import type { Sender } from '../net/sender.js';
import { Data } from '../wire/layout.js';

export interface FeederOptions {
  /** Bytes to send; Infinity: until `end`. */
  readonly bytes: number;
  /** Largest UDP payload of the flow's frames. */
  readonly frameBytes: number;
  /** Frames that wait in the send buffer after a refill, at least; few let a flow end soon after it is told to. */
  readonly framesAhead: number;
  /** Frames that still wait when credits bring the next refill, at least 1: a flow that has none takes itself for idle. */
  readonly framesLeft: number;
  /** Bytes of the stream that may be written by now, for a stream that is held back; `refill` is to be called when it has grown. */
  allowedBytes?(): number;
  /**
   * The next bytes of the stream from `offset` on: 1 to `leftBytes`, of which `wantedBytes` are needed now. They must not change before they are
   * acknowledged.
   */
  part(offset: number, wantedBytes: number, leftBytes: number): Uint8Array;
}

/**
 * Keeps one flow supplied until its bytes are written or it is told to end, then ends it in order.
 *
 * Credits are its clock: it counts those that arrive and writes again when nearly all that it wrote is spent. So the flow never runs dry and holds
 * little, and a credit costs a subtraction and a comparison. A flow without credits is refilled as acknowledgements come.
 */
export class FlowFeeder implements Pick<FlowWriter, 'onWritable'>, Pick<FlowObserver, 'onCredit' | 'onAck'> {
  private readonly options: FeederOptions;
  private readonly sender: Sender;
  private readonly payloadBytes: number;
  private readonly aheadBytes: number;
  private writtenBytes = 0;
  private creditsUntilRefill = 0;
  private isOver = false;

  /** `refill` follows. Whoever writes and observes `sender` passes its calls on. */
  constructor(sender: Sender, options: FeederOptions) {
    this.sender = sender;
    this.options = options;
    this.payloadBytes = options.frameBytes - Data.overheadBytes;
    this.aheadBytes = options.framesAhead * this.payloadBytes;
  }

  /** Writes no more, and ends the flow once what is written has arrived. */
  end(): void {
    if (this.isOver) return;
    this.close();
    this.sender.end();
  }

  /** The flow is closed. */
  close(): void {
    this.isOver = true;
    this.creditsUntilRefill = Number.POSITIVE_INFINITY;
  }

  onCredit(): void {
    this.creditsUntilRefill--;
    if (this.creditsUntilRefill <= 0) this.refill();
  }

  /** Acknowledgements may be lost, so they are not counted. Bytes may have gone without credits, and none will come for these. */
  onAck(): void {
    const { unsentBytes } = this.sender;
    if (unsentBytes < this.aheadBytes / 2) this.refill();
    else if (!this.isOver) this.awaitCredits(unsentBytes);
  }

  onWritable(): void {
    this.refill();
  }

  /** Writes until this many bytes or more wait to be sent. */
  refill(aheadBytes = this.aheadBytes): void {
    if (this.isOver) return;
    const { options, sender } = this;
    let unsentBytes = sender.unsentBytes;
    const mostBytes = Math.min(options.bytes, options.allowedBytes?.() ?? Number.POSITIVE_INFINITY);
    while (unsentBytes < aheadBytes && this.writtenBytes < mostBytes) {
      const leftBytes = mostBytes - this.writtenBytes;
      const part = options.part(this.writtenBytes, Math.min(aheadBytes - unsentBytes, leftBytes), leftBytes);
      if (!sender.write(part)) {
        // `onWritable` comes.
        this.creditsUntilRefill = Number.POSITIVE_INFINITY;
        return;
      }
      this.writtenBytes += part.length;
      unsentBytes += part.length;
    }
    this.awaitCredits(unsentBytes);
    if (this.writtenBytes === options.bytes) this.end();
  }

  private awaitCredits(unsentBytes: number): void {
    this.creditsUntilRefill = Math.floor(unsentBytes / this.payloadBytes) - this.options.framesLeft;
  }
}
