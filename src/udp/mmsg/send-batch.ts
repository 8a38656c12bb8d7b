// Tested by test/loopback/udp-mmsg.test.ts
import { ecn, frameType } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import { MtuProbe } from '../../wire/frames.js';
import { Ecn } from '../../wire/layout.js';
import { isRefusal } from '../socket-errors.js';
import { MessageVector, NAME_WORDS } from './message-vector.js';
import { Linux, type Native } from './native.js';
import type { Target } from './socket-addresses.js';

/** Messages of one call (ours), and one more for what has to be sent again by itself. */
const MESSAGES = 64;
const SPARE = MESSAGES;
/** Frames that the kernel takes as one message: UDP_MAX_SEGMENTS of Linux's include/linux/udp.h, which newer kernels have raised. */
const MAX_SEGMENTS = 64;
/** The largest UDP payload over IPv4, which joined frames must not exceed either. */
const MAX_MESSAGE_BYTES = 65_507;
/** Two messages of the largest size: copies stay in the cache. Room for eight took 2 to 6 % more for a frame of 8,972 bytes. */
const DATA_BYTES = 128 * 1024;
/** Frames begin at a multiple of a cache line. */
const LINE_BYTES = 64;
/** Up to here a loop copies faster than a call does. */
const SMALL_BYTES = 64;
const INITIAL_PEERS = 64;
/** Tries in a row after which EMSGSIZE is about this frame (ours): answers of routers to three earlier ones rarely come at one time. */
const SIZE_TRIES = 3;

/** What became of a message. */
export interface SendOutcome {
  /** It could not be sent, for this reason: `errno`. */
  onError(errno: number, peer: number, frameBytes: number): void;
}

export interface SendBatchOptions {
  /** The kernel cuts messages into datagrams. */
  readonly canSegment: boolean;
  /** Where a connected socket sends is IPv4. */
  readonly isFour: boolean;
  readonly outcome: SendOutcome;
}

const TOS = { level: Linux.SOL_IP, type: Linux.IP_TOS, bytes: 4 };
const TRAFFIC_CLASS = { level: Linux.SOL_IPV6, type: Linux.IPV6_TCLASS, bytes: 4 };
const SEGMENT = { level: Linux.SOL_UDP, type: Linux.UDP_SEGMENT, bytes: 2 };
/** What the socket puts into the IP header where a message says nothing: that of credits and data. PROTOCOL §2.1 */
export const USUAL_ECN = Ecn.capable0;

/** Errors of a kernel without memory for the moment, sendmsg(2): they say nothing about what it can cut. */
const NO_MEMORY: ReadonlySet<string> = new Set(['ENOBUFS', 'ENOMEM']);

/** Frames for one sendmmsg(2); those of a size to a peer are one UDP_SEGMENT message (udp(7)), with the frame's ECN. Order holds per peer. */
export class SendBatch {
  /** System calls that took something. */
  calls = 0;
  private count = 0;
  private readonly native: Native;
  private readonly fd: number;
  private readonly outcome: SendOutcome;
  private readonly vector: MessageVector;
  private canSegment: boolean;
  private usedBytes = 0;
  /** Messages of this batch that the kernel has taken. */
  private done = 0;
  /** Of each message: bytes of its first frame and of all, frames, and whether the last was shorter. */
  private readonly segmentBytes = new Int32Array(MESSAGES + 1);
  private readonly totalBytes = new Int32Array(MESSAGES + 1);
  private readonly frames = new Int32Array(MESSAGES + 1);
  private readonly ecnBits = new Int32Array(MESSAGES + 1);
  private readonly isFour = new Uint8Array(MESSAGES + 1);
  private readonly peers = new Int32Array(MESSAGES + 1);
  /** By peer: the number of its newest message, counted from 1 since the start; of this batch when it is above `batchStart`. */
  private newest = new Float64Array(INITIAL_PEERS);
  private batchStart = 0;

  constructor(native: Native, fd: number, options: SendBatchOptions) {
    this.native = native;
    this.fd = fd;
    this.outcome = options.outcome;
    this.canSegment = options.canSegment;
    if (options.isFour) this.isFour.fill(1);
    this.vector = new MessageVector(native, { messages: MESSAGES + 1, pieces: MAX_SEGMENTS, dataBytes: DATA_BYTES });
  }

  /** Copies a frame; false when there is no room before the next `flush`. `target` is null on a connected socket. */
  add(frame: Frame, peer: number, target: Target | null): boolean {
    const { length } = frame;
    if (this.usedBytes + length > DATA_BYTES) return false;
    const open = this.newestOf(peer);
    if (open >= 0 && this.takes(open, frame)) {
      this.append(open, frame);
      return true;
    }
    if (this.count === MESSAGES) return false;
    this.begin(this.count++, frame, { peer, target });
    return true;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Hands all to the kernel; false when it takes no more now, and the rest waits for the next call. */
  flush(): boolean {
    while (this.done < this.count) {
      const { native, fd, vector, done } = this;
      const taken = native.sendmmsg(fd, vector.addresses[done], this.count - done, Linux.MSG_DONTWAIT);
      if (taken > 0) {
        this.done += taken;
        this.calls++;
      } else if (!this.failed(native.errno())) return false;
    }
    this.batchStart += this.count;
    this.count = this.done = this.usedBytes = 0;
    return true;
  }

  /** Returns whether to go on: the message is gone one way or another. */
  private failed(errno: number): boolean {
    const name = this.native.errorName(errno);
    if (name === 'EAGAIN') return false;
    if (name === 'EINTR') return true;
    const message = this.done;
    // A refusal that an earlier datagram met; this one was not tried. It is reported once, and tried again by itself.
    const isOld = isRefusal(name);
    if (isOld) this.outcome.onError(errno, this.peers[message], this.segmentBytes[message]);
    // This one may be too long, or a router has said so of an earlier one.
    const mayBeOld = isOld || name === 'EMSGSIZE';
    if (mayBeOld || this.frames[message] > 1) {
      const wentAlone = this.sendOneByOne(message);
      if (!mayBeOld && wentAlone && !NO_MEMORY.has(name)) this.canSegment = false;
    } else this.outcome.onError(errno, this.peers[message], this.segmentBytes[message]);
    this.done++;
    return true;
  }

  /** Without segmentation: where the device or the path's MTU does not allow it. Returns whether all frames went. */
  private sendOneByOne(message: number): boolean {
    let wentAlone = true;
    const { vector } = this;
    vector.names.copyWithin(SPARE * NAME_WORDS, message * NAME_WORDS, (message + 1) * NAME_WORDS);
    vector.setNameBytes(SPARE, vector.nameBytes(message));
    vector.setPieceCount(SPARE, 1);
    vector.clearControl(SPARE);
    this.addClass(SPARE, message);
    for (let piece = 0; piece < this.frames[message]; piece++) {
      vector.borrowPiece(SPARE, message, piece);
      const errno = this.sendSpare();
      if (errno === 0) continue;
      wentAlone = false;
      this.outcome.onError(errno, this.peers[message], vector.pieceBytes(message, piece));
    }
    return wentAlone;
  }

  /** Returns 0, or what is wrong with this frame itself: what a router said of an earlier one is told once, and this one is tried again. */
  private sendSpare(): number {
    const { native, fd, vector } = this;
    for (let tries = 1; ; tries++) {
      if (native.sendmmsg(fd, vector.addresses[SPARE], 1, Linux.MSG_DONTWAIT) > 0) return 0;
      const errno = native.errno();
      if (native.errorName(errno) !== 'EMSGSIZE' || tries === SIZE_TRIES) return errno;
    }
  }

  /** The message of this batch to which the peer's last frame was added; -1 when there is none. */
  private newestOf(peer: number): number {
    if (peer >= this.newest.length) this.grow(peer);
    return this.newest[peer] - this.batchStart - 1;
  }

  private takes(message: number, frame: Frame): boolean {
    const segment = this.segmentBytes[message];
    const total = this.totalBytes[message];
    const frames = this.frames[message];
    return (
      this.canSegment &&
      message >= this.done &&
      frame.length > 0 &&
      frame.length <= segment &&
      total === frames * segment &&
      frames < MAX_SEGMENTS &&
      total + frame.length <= MAX_MESSAGE_BYTES &&
      ecnOf(frame) === this.ecnBits[message]
    );
  }

  private begin(message: number, frame: Frame, to: { peer: number; target: Target | null }): void {
    const { vector } = this;
    this.segmentBytes[message] = frame.length;
    this.totalBytes[message] = this.frames[message] = 0;
    this.ecnBits[message] = ecnOf(frame);
    this.peers[message] = to.peer;
    // Where a path drops a message of several frames for the length of the first, a probe would take what is behind it along.
    this.newest[to.peer] = isProbe(frame) ? 0 : this.batchStart + message + 1;
    vector.clearControl(message);
    if (to.target === null) vector.setNameBytes(message, 0);
    else {
      vector.names.set(to.target.words, message * NAME_WORDS);
      vector.setNameBytes(message, to.target.bytes);
      this.isFour[message] = to.target.isFour ? 1 : 0;
    }
    this.addClass(message, message);
    this.append(message, frame);
  }

  private append(message: number, frame: Frame): void {
    const piece = this.frames[message]++;
    const offset = this.usedBytes;
    this.copy(frame, offset);
    this.usedBytes = Math.ceil((offset + frame.length) / LINE_BYTES) * LINE_BYTES;
    this.totalBytes[message] += frame.length;
    this.vector.setPiece(message, piece, offset, frame.length);
    this.vector.setPieceCount(message, piece + 1);
    if (piece === 1) this.vector.addControl(message, SEGMENT, this.segmentBytes[message]);
  }

  private copy({ bytes, length }: Frame, offset: number): void {
    const { data } = this.vector;
    if (length <= SMALL_BYTES) for (let at = 0; at < length; at++) data[offset + at] = bytes[at];
    else data.set(length === bytes.length ? bytes : bytes.subarray(0, length), offset);
  }

  /** Says the ECN bits of message `like` where they are not the socket's own. */
  private addClass(message: number, like: number): void {
    const bits = this.ecnBits[like];
    if (bits !== USUAL_ECN) this.vector.addControl(message, this.isFour[like] === 1 ? TOS : TRAFFIC_CLASS, bits);
  }

  private grow(peer: number): void {
    const larger = new Float64Array(Math.max(2 * this.newest.length, peer + 1));
    larger.set(this.newest);
    this.newest = larger;
  }
}

function isProbe({ bytes, length }: Frame): boolean {
  return length >= MtuProbe.minBytes && frameType(bytes) === MtuProbe.type;
}

function ecnOf(frame: Frame): number {
  return frame.length === 0 ? Ecn.notCapable : ecn(frame.bytes);
}
