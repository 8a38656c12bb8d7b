import * as layout from './layout.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { WIRE_OVERHEAD_BYTES } = layout;

/**
 * One frame on its way through a machine: the bytes and what the machines around them need to know.
 * Frames are pooled; a machine that takes one owns it until it hands it on.
 */
export class Frame {
  // What each queue and each hop needs comes first: V8 lays fields out in this order, and the first 64 bytes are one cache line.
  /** The one behind it in a `FrameQueue`. */
  next: Frame | null = null;
  /** When the frame's last bit reaches whoever handles it next, ns. Set by the machine that emits the frame. */
  atNs = 0;
  /** Index of the port by which the frame leaves a fabric. */
  port = 0;
  /** As a port or a fabric has read it from `bytes`; the same holds for the next three. What waits in many queues need not bring its bytes back into the cache for each. */
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
   * Bytes that the simulator only counts and never stores: the payload and the check of a DATA frame whose `bytes` end before its payload. So the wire
   * bytes are those of the real frame. 0 on real sockets and in every other frame. PROTOCOL §3.3
   */
  phantomBytes = 0;
  /** The UDP payload; only `bytes[0 .. length)` counts. */
  bytes: Uint8Array;
  /**
   * Who is at the other end of the datagram: the id that the driver gave to a UDP address on a switch or in direct mode; the peer's host id behind a
   * switch.
   */
  peer = 0;
  /** When the frame reached the host that handles it, by that host's clock; what is later than `handleFrame`, or not known, counts as that. Set by drivers of hosts. */
  arrivedNs = Number.POSITIVE_INFINITY;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Makes sure that the buffer holds so many bytes; what was in it may be lost. */
  reserve(bytes: number): void {
    if (this.bytes.length < bytes) this.bytes = new Uint8Array(bytes);
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
