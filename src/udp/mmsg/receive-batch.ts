// Tested by test/loopback/udp-mmsg.test.ts
import { SECOND_NS } from '../../base/time.js';
import { Ecn } from '../../wire/layout.js';
import { markCe } from '../../wire/rewrite.js';
import type { DatapathCounters, DatapathHandlers } from '../datapath.js';
import { MessageVector, NAME_WORDS } from './message-vector.js';
import { Linux, type Native, SOCKADDR_ROOM_BYTES } from './native.js';
import { SocketNames, SourceCache } from './socket-addresses.js';

/** A longer wait is an error: somebody has set the clock (ours). In 32 bits, so that V8 keeps it in place. */
const LONGEST_NS = 2 * SECOND_NS;

/** The kernel's clock that stamps arrivals, `struct timespec`, seconds modulo 2^32. It may be set: good for waits, not for times. */
export class KernelTime {
  private readonly native: Pick<Native, 'clock_gettime'>;
  private readonly words = new Int32Array(new ArrayBuffer(128), 0, 4);

  constructor(native: Pick<Native, 'clock_gettime'>) {
    this.native = native;
  }

  /** Reads it. */
  read(): void {
    this.native.clock_gettime(Linux.CLOCK_REALTIME, this.words);
  }

  /** From a stamp until it was read last, ns; -1 where that makes no sense. */
  sinceNs(seconds: number, nanoseconds: number): number {
    const ns = ((this.words[0] - seconds) | 0) * SECOND_NS + (this.words[2] - nanoseconds);
    return ns >= 0 && ns <= LONGEST_NS ? ns | 0 : -1;
  }
}

/** Messages of one call at most. Ours: at one credit a message, a call's price is a thirtieth of each. */
const MESSAGES = 32;
/** Distance between the memory of two messages: the largest UDP datagram, and some bytes so that their beginnings do not share lines of the cache. */
const STRIDE_BYTES = 65_536 + 4_160;
/** Datagrams up to here have views of one length: that of a credit is random. */
const SMALL_BYTES = 64;
/** RFC 3168 §5: the lower two bits of the traffic class. */
const ECN_MASK = 3;
/** `cmsg_len` fills 8 bytes and the next header begins at a multiple of 8. */
const ALIGNMENT = 8;

/** What one recvmmsg(2) brings; cuts what UDP_GRO joined (udp(7)) and marks frames whose IP header is marked CE. PROTOCOL §2.1 */
export class ReceiveBatch {
  private readonly native: Native;
  private readonly fd: number;
  private readonly vector: MessageVector;
  private readonly sources: SourceCache;
  private readonly clock: KernelTime;
  /** Views of the memory of each message, by the datagram's number in it. */
  private readonly views: Buffer[][] = Array.from({ length: MESSAGES }, () => []);
  private segmentBytes = 0;
  private trafficClass = 0;
  /** How long the message has waited in the socket, ns; -1 where the kernel does not say. */
  private waitedNs = -1;

  constructor(native: Native, fd: number) {
    this.native = native;
    this.fd = fd;
    this.clock = new KernelTime(native);
    const names = new SocketNames(native);
    this.sources = new SourceCache((name) => names.read(name));
    this.vector = new MessageVector(native, { messages: MESSAGES, pieces: 1, dataBytes: MESSAGES * STRIDE_BYTES });
    for (let message = 0; message < MESSAGES; message++) {
      this.vector.setPiece(message, 0, message * STRIDE_BYTES, STRIDE_BYTES);
      this.vector.setPieceCount(message, 1);
      this.offer(message);
    }
  }

  /** Receives once and hands over all of it. Returns the messages, -1 when there were none or it failed, as `errno` says. */
  receive(handlers: DatapathHandlers, counters: DatapathCounters): number {
    const count = this.native.recvmmsg(this.fd, this.vector.addresses[0], MESSAGES, Linux.MSG_DONTWAIT, null);
    if (count > 0) {
      counters.receiveCalls++;
      this.clock.read();
    }
    for (let message = 0; message < count; message++) {
      this.readControl(message);
      this.handOver(message, handlers, counters);
      this.offer(message);
    }
    return count;
  }

  /** Whether a call with `count` messages may have left others behind. */
  isFull(count: number): boolean {
    return count === MESSAGES;
  }

  private handOver(message: number, handlers: DatapathHandlers, counters: DatapathCounters): void {
    const total = this.vector.transferred(message);
    const source = this.sources.source(this.vector.names, message * NAME_WORDS);
    const isMarked = (this.trafficClass & ECN_MASK) === Ecn.congestionExperienced;
    const step = this.segmentBytes > 0 ? this.segmentBytes : Math.max(total, 1);
    counters.bytesIn += total;
    for (let offset = 0, index = 0; offset === 0 || offset < total; offset += step, index++) {
      const length = Math.min(step, total - offset);
      const bytes = this.view(message, index, { offset, length });
      counters.datagramsIn++;
      if (isMarked && length > 0 && markCe(bytes)) counters.congestionMarks++;
      handlers.onDatagram(bytes, length, source, this.waitedNs);
    }
  }

  /** The datagram. Views are kept: large datagrams come in few sizes; a small one's is longer than it, as its length says. */
  private view(message: number, index: number, at: { offset: number; length: number }): Buffer {
    const views = this.views[message];
    const start = message * STRIDE_BYTES + at.offset;
    const bytes = Math.max(at.length, SMALL_BYTES);
    const known = views[index];
    if (known !== undefined && known.byteOffset === start && known.length === bytes) return known;
    const made = this.vector.data.subarray(start, start + bytes);
    views[index] = made;
    return made;
  }

  private readControl(message: number): void {
    const { vector } = this;
    this.segmentBytes = 0;
    this.trafficClass = 0;
    this.waitedNs = -1;
    const end = vector.controlBytes(message);
    for (let at = 0; at < end; ) {
      const bytes = vector.controlWord(message, at, 0);
      const level = vector.controlWord(message, at, 2);
      const type = vector.controlWord(message, at, 3);
      const value = vector.controlWord(message, at, 4);
      if (level !== Linux.SOL_SOCKET) this.note(level, type, value);
      else if (type === Linux.SO_TIMESTAMPNS)
        this.waitedNs = this.clock.sinceNs(value, vector.controlWord(message, at, 6));
      at += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    }
  }

  /** IPv4's traffic class is one byte, and the rest of the word undefined; the others are `int`. */
  private note(level: number, type: number, value: number): void {
    if (level === Linux.SOL_UDP && type === Linux.UDP_GRO) this.segmentBytes = value;
    else if (level === Linux.SOL_IP && type === Linux.IP_TOS) this.trafficClass = value;
    else if (level === Linux.SOL_IPV6 && type === Linux.IPV6_TCLASS) this.trafficClass = value;
  }

  /** The kernel changed these fields, and takes them as room the next time. */
  private offer(message: number): void {
    this.vector.setNameBytes(message, SOCKADDR_ROOM_BYTES);
    this.vector.offerControl(message);
    this.vector.clearFlags(message);
  }
}
