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
 * Credits are its clock: at each it writes again if nearly all that it wrote is sent. So the flow never runs dry and holds little. A flow without credits
 * is refilled as acknowledgements come.
 */
export class FlowFeeder implements Pick<FlowWriter, 'onWritable'>, Pick<FlowObserver, 'onCredit' | 'onAck'> {
  private readonly options: FeederOptions;
  private readonly sender: Sender;
  private readonly aheadBytes: number;
  /** Unsent bytes at which a credit brings a refill: `framesLeft`, and the frame that this credit sends. */
  private readonly leftBytes: number;
  private writtenBytes = 0;
  /** The send buffer took no more. */
  private isFull = false;
  private isOver = false;

  /** `refill` follows. Whoever writes and observes `sender` passes its calls on. */
  constructor(sender: Sender, options: FeederOptions) {
    this.sender = sender;
    this.options = options;
    const payloadBytes = options.frameBytes - Data.overheadBytes;
    this.aheadBytes = options.framesAhead * payloadBytes;
    this.leftBytes = (options.framesLeft + 1) * payloadBytes;
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
  }

  onCredit(): void {
    if (this.sender.unsentBytes <= this.leftBytes) this.refill();
  }

  onAck(): void {
    if (this.sender.unsentBytes < this.aheadBytes / 2) this.refill();
  }

  onWritable(): void {
    this.isFull = false;
    this.refill();
  }

  /** Writes until this many bytes or more wait to be sent. */
  refill(aheadBytes = this.aheadBytes): void {
    if (this.isOver || this.isFull) return;
    const { options, sender } = this;
    let unsentBytes = sender.unsentBytes;
    const mostBytes = Math.min(options.bytes, options.allowedBytes?.() ?? Number.POSITIVE_INFINITY);
    while (unsentBytes < aheadBytes && this.writtenBytes < mostBytes) {
      const leftBytes = mostBytes - this.writtenBytes;
      const part = options.part(this.writtenBytes, Math.min(aheadBytes - unsentBytes, leftBytes), leftBytes);
      // Before `write`, in which bytes may go and a refill follow.
      this.writtenBytes += part.length;
      if (!sender.write(part)) {
        this.writtenBytes -= part.length;
        // `onWritable` comes.
        this.isFull = true;
        return;
      }
      unsentBytes += part.length;
    }
    if (this.writtenBytes === options.bytes) this.end();
  }
}
