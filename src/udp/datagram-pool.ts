import { Frame, FramePool } from '../wire/frame.js';

/** Memory that free buffers keep at most. */
const FREE_BYTES = 4 * 1024 * 1024;
/** Free frames kept at most: a full poll of 32 datagrams on each of 32 ports. */
const FREE_FRAMES = 1_024;

/** Up to here a loop copies faster than a call does. */
const SMALL_BYTES = 64;

const NO_BYTES = new Uint8Array(0);

/** Frames that a pool of buffers of `frameBytes` keeps. */
export function poolCapacity(frameBytes: number): number {
  return Math.max(16, Math.min(FREE_FRAMES, Math.floor(FREE_BYTES / frameBytes)));
}

/** A pool of Buffers that nothing else shares, since the kernel may still read from them after `send` returned. */
export function bufferPool(frameBytes: number): FramePool {
  return new FramePool(() => Buffer.allocUnsafeSlow(frameBytes), poolCapacity(frameBytes));
}

/** Pool of a machine that keeps received frames, as a switch: `wrap` frames a datagram's buffer without a copy; short ones are not reused. */
export class DatagramPool extends FramePool {
  private readonly wrappers: Frame[] = [];
  private readonly bufferBytes: number;
  private readonly kept: number;
  /** Free frames with buffers. */
  private spare = 0;

  constructor(frameBytes: number) {
    const kept = poolCapacity(frameBytes);
    super(() => Buffer.allocUnsafeSlow(frameBytes), kept);
    this.bufferBytes = frameBytes;
    this.kept = kept;
  }

  /** A frame around a datagram that arrived; the bytes belong to the frame from now on. */
  wrap(bytes: Uint8Array): Frame {
    const frame = this.wrappers.pop() ?? new Frame(bytes);
    frame.bytes = bytes;
    frame.length = bytes.length;
    return frame;
  }

  /** A frame that holds a copy of `bytes[0 .. length)`, which are only lent. */
  copy(bytes: Uint8Array, length: number): Frame {
    if (length > this.bufferBytes) return this.wrap(Uint8Array.prototype.slice.call(bytes, 0, length));
    const frame = this.take();
    if (length <= SMALL_BYTES) for (let at = 0; at < length; at++) frame.bytes[at] = bytes[at];
    else frame.bytes.set(length === bytes.length ? bytes : bytes.subarray(0, length));
    frame.length = length;
    return frame;
  }

  override take(): Frame {
    if (this.spare > 0) this.spare--;
    return super.take();
  }

  override give(frame: Frame): void {
    if (frame.bytes.length === this.bufferBytes && this.spare < this.kept) {
      this.spare++;
      super.give(frame);
      return;
    }
    frame.bytes = NO_BYTES;
    if (this.wrappers.length < this.kept) this.wrappers.push(frame);
  }
}
