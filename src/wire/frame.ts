import { viewOf } from './bytes.js';
import type { KeptViews } from './kept-views.js';
import { WIRE_OVERHEAD_BYTES } from './layout.js';

/** One frame on its way: its bytes and what machines need to know. Frames are pooled; a machine owns what it takes until it hands it on. */
export class Frame {
  // What each queue and each hop needs comes first: V8 lays fields out in this order, and the first 64 bytes are one cache line.
  /** The one behind it in a `FrameQueue`. */
  next: Frame | null = null;
  /** When the frame's last bit reaches whoever handles it next, ns. Set by the machine that emits the frame. */
  atNs = 0;
  /** Index of the port by which the frame leaves a fabric. */
  port = 0;
  /**
   * As a port or a fabric has read it from `bytes`; the same holds for the next three. What waits in many queues need not bring its bytes back into
   * the cache for each.
   */
  type = 0;
  /** 0: not sprayed. PROTOCOL §2.4 */
  pathId = 0;
  /** Within a fabric: what is left of the hop limit; `bytes` have what it was at its entry. */
  hopLimit = 0;
  /** Within a fabric: the port by which it will leave. */
  exitPort = 0;
  /** Bytes that exist in `bytes`. */
  length = 0;
  /**
   * Bytes that the simulator counts and does not store: payload and check of a DATA frame whose `bytes` end before its payload. 0 on real sockets and in every
   * other frame. PROTOCOL §3.3
   */
  phantomBytes = 0;
  /** The UDP payload; only `bytes[0 .. length)` counts. */
  bytes: Uint8Array;
  /** The other end: the driver's id of a UDP address on a switch or in direct mode; the peer's host id behind a switch. */
  peer = 0;
  /**
   * When the frame reached the host that handles it, by that host's clock; what is later than `handleFrame`, or not known, counts as that. Set by
   * drivers of hosts.
   */
  arrivedNs = Number.POSITIVE_INFINITY;
  /** Set by drivers whose datagrams lie in the same memory again and again. */
  views: KeptViews | null = null;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Makes sure that the buffer holds so many bytes; what was in it may be lost. */
  reserve(bytes: number): void {
    if (this.bytes.length < bytes) this.bytes = new Uint8Array(bytes);
  }

  /** `length` bytes of the frame from `at` on: an object of their own, unless the driver keeps views. */
  part(at: number, length: number): Uint8Array {
    return this.views === null ? viewOf(this.bytes, at, length) : this.views.of(this.bytes, at, length);
  }

  /** What the frame occupies on Ethernet. PROTOCOL §1.1 */
  get wireBytes(): number {
    return this.length + this.phantomBytes + WIRE_OVERHEAD_BYTES;
  }
}

/** A bounded store of frames with buffers of one size; an empty pool makes new ones, a full one lets them go. */
export class FramePool {
  private readonly free: Frame[] = [];
  private readonly makeBytes: () => Uint8Array;
  private readonly capacity: number;

  /** `makeBytes` makes one buffer, so that a driver can choose Node's Buffer and the pure world need not know. */
  constructor(makeBytes: () => Uint8Array, capacity: number) {
    this.makeBytes = makeBytes;
    this.capacity = capacity;
  }

  take(): Frame {
    const frame = this.free.pop() ?? new Frame(this.makeBytes());
    frame.length = 0;
    frame.phantomBytes = 0;
    return frame;
  }

  give(frame: Frame): void {
    if (this.free.length < this.capacity) this.free.push(frame);
  }
}
