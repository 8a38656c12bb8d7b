/** A capture of frames in pcapng files (docs/CAPTURES.md): it never blocks whoever gives it frames, and counts what it could not write. */
import { assert } from '../../base/assert.js';
import { destinationHost, ecn, sourceHost } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import type { FrameTap } from '../../wire/frame-tap.js';
import { Header } from '../../wire/layout.js';
import { setHopLimit } from '../../wire/rewrite.js';
import { CaptureFiles, type Chunk } from './capture-files.js';
import { type CaptureFilter, parseFilter, type Seen } from './filter.js';
import { type Ends, endsOfHosts, headerBytes, newMadeUpEnds, writeHeaders } from './ip-headers.js';
import {
  type CaptureInterface,
  interfaceDescription,
  interfaceStatistics,
  type PacketBlock,
  packetBlockBytes,
  packetComment,
  type Stamp,
  sectionHeader,
  writePacketBlock,
} from './pcapng.js';

/** Chunks are written whole. Ours: a system call for 700 full frames, and 10 ms of them at 70,000 a second. */
const CHUNK_BYTES = 1024 * 1024;
/** What waits for the disk at most. Ours: half a second of 50,000 full frames a second in two directions. */
const MOST_CHUNKS = 64;
/** A file that somebody reads while it grows is this far behind at most (ours). */
const FLUSH_MS = 250;
/** Longest packet: the payload, both headers, and what its block and comment take. */
const LONGEST_BLOCK_BYTES = 66_000;
const WORD = 2 ** 32;

export interface CaptureSettings {
  readonly path: string;
  readonly filter: string | undefined;
  readonly sizeBytes: number;
  readonly files: number;
  /** Bytes of each datagram's payload that are kept at most. */
  readonly snapBytes: number;
}

/** One direction of a link, or of a socket. */
export interface CapturedPort extends CaptureInterface {
  readonly link: string;
}

export interface CaptureOptions extends CaptureSettings {
  readonly ports: readonly CapturedPort[];
  /** By PortDrop code. */
  readonly dropNames: readonly string[];
  /** Wall time at the time 0 of whoever gives the frames, ns since 1970. 0 in virtual time. */
  readonly originNs: bigint;
  /** Writes before it goes on: for a simulation, whose time waits. */
  readonly isSync?: boolean;
  onEnd(sentence: string): void;
}

/** What became of the frames that were seen. */
export interface CaptureSummary {
  readonly paths: readonly string[];
  readonly seen: number;
  readonly written: number;
  /** Wanted by the filter and not written. */
  readonly lost: number;
}

/** What is said of one frame. */
interface About {
  port: number;
  atNs: number;
  isDropped: boolean;
  isMarked: boolean;
  comment: Uint8Array | null;
  /** What `bytes` leaves out. */
  phantomBytes: number;
}

export class Capture {
  private readonly options: CaptureOptions;
  private readonly files: CaptureFiles;
  private readonly filter: CaptureFilter | null;
  private readonly received: Float64Array;
  private readonly accepted: Float64Array;
  private readonly lost: Float64Array;
  private readonly spare: Chunk[] = [];
  private chunk: Chunk;
  private view: DataView;
  private chunks = 1;
  private lastNs = 0;
  private readonly chunkBytes: number;
  private readonly timer: NodeJS.Timeout | null;
  private readonly ends = newMadeUpEnds();
  private readonly packet: PacketBlock;
  private readonly origin: Stamp;
  private readonly stamp: Stamp = { high: 0, low: 0 };
  private readonly marked = packetComment('marked CE');
  private readonly drops: readonly { plain: Uint8Array; marked: Uint8Array }[];
  private writtenPackets = 0;
  private unwrittenPackets = 0;

  /** Opens the file. Throws a ConfigError for the filter and the system's error for the file. */
  constructor(options: CaptureOptions) {
    const { ports, dropNames, originNs, filter, snapBytes } = options;
    this.options = options;
    this.filter = filter === undefined ? null : parseFilter(filter);
    this.origin = { high: Number(originNs >> 32n), low: Number(originNs & 0xffffffffn) };
    this.packet = { interfaceId: 0, stamp: this.stamp, captured: 0, original: 0, comment: null };
    this.drops = dropNames.map((name) => {
      const reason = `dropped: ${words(name)}`;
      return { plain: packetComment(reason), marked: packetComment(`${reason}, marked CE`) };
    });
    this.received = new Float64Array(ports.length);
    this.accepted = new Float64Array(ports.length);
    this.lost = new Float64Array(ports.length);
    const header = Buffer.concat([
      sectionHeader('xpass'),
      // The limit of the link type's packets: ours plus headers.
      ...ports.map((port) => interfaceDescription(port, snapBytes + headerBytes(this.ends))),
    ]);
    this.chunkBytes = Math.max(LONGEST_BLOCK_BYTES, Math.min(CHUNK_BYTES, Math.floor(options.sizeBytes / 8)));
    this.chunk = newChunk(this.chunkBytes);
    this.view = viewOf(this.chunk);
    this.files = new CaptureFiles({
      ...options,
      isSync: options.isSync ?? false,
      header,
      trailer: () => this.trailer(),
      onWritten: (chunk, isWritten) => this.takeBack(chunk, isWritten),
    });
    this.timer = options.isSync === true ? null : setInterval(() => this.flush(), FLUSH_MS);
    this.timer?.unref();
  }

  /** Looks at the frames of a port of `ports`. */
  tap(port: number): FrameTap {
    const marks = new Set<Frame>();
    return {
      sent: (frame, atNs) => {
        const isMarked = marks.size > 0 && marks.delete(frame);
        this.frame(frame, {
          port,
          atNs,
          isMarked,
          isDropped: false,
          comment: isMarked ? this.marked : null,
          phantomBytes: 0,
        });
      },
      marked: (frame) => {
        marks.add(frame);
      },
      dropped: (frame, code, atNs) => {
        const isMarked = marks.size > 0 && marks.delete(frame);
        const { plain, marked } = this.drops[code];
        this.frame(frame, {
          port,
          atNs,
          isMarked,
          isDropped: true,
          comment: isMarked ? marked : plain,
          phantomBytes: 0,
        });
      },
    };
  }

  /** A datagram as a socket has it. */
  datagram(
    port: number,
    bytes: Uint8Array,
    ends: Ends,
    about: { readonly length: number; readonly atNs: number },
  ): void {
    const { length, atNs } = about;
    this.packetAt(bytes, length, ends, {
      port,
      atNs,
      isMarked: false,
      isDropped: false,
      comment: null,
      phantomBytes: 0,
    });
  }

  /** A frame that its host has dropped before it had a datagram. */
  droppedFrame(port: number, frame: Frame, code: number, about: { readonly ends: Ends; readonly atNs: number }): void {
    const comment = this.drops[code].plain;
    const { atNs, ends } = about;
    this.packetAt(frame.bytes, frame.length, ends, {
      port,
      atNs,
      isMarked: false,
      isDropped: true,
      comment,
      phantomBytes: 0,
    });
  }

  /** Resolves when everything is in the file, or never will be. */
  async close(): Promise<CaptureSummary> {
    if (this.timer !== null) clearInterval(this.timer);
    if (this.chunk.length > 0) this.files.append(this.chunk);
    await this.files.idle();
    this.files.close();
    return this.summary();
  }

  /** The same for one that writes before it goes on. */
  closeNow(): CaptureSummary {
    assert(this.options.isSync === true, 'only a capture that has written everything ends at once');
    if (this.chunk.length > 0) this.files.append(this.chunk);
    this.files.close();
    return this.summary();
  }

  private summary(): CaptureSummary {
    const { writtenPackets: written, unwrittenPackets } = this;
    const lost = sum(this.lost) + unwrittenPackets;
    return { paths: this.files.paths, seen: sum(this.received), written, lost };
  }

  private frame(frame: Frame, about: About): void {
    const { bytes, length } = frame;
    about.phantomBytes = frame.phantomBytes;
    if (length < Header.bytes) return;
    const first = bytes[Header.hopLimitAndEcn];
    setHopLimit(bytes, frame.hopLimit);
    this.packetAt(bytes, length, endsOfHosts(sourceHost(bytes), destinationHost(bytes), this.ends), about);
    bytes[Header.hopLimitAndEcn] = first;
  }

  private packetAt(bytes: Uint8Array, length: number, ends: Ends, about: About): void {
    const { port, comment } = about;
    this.received[port]++;
    if (about.atNs > this.lastNs) this.lastNs = about.atNs;
    if (this.filter !== null && !this.filter(seen(bytes, length, about, this.options.ports[port]))) return;
    this.accepted[port]++;
    const headers = headerBytes(ends);
    const payload = Math.min(length, this.options.snapBytes);
    const captured = headers + payload;
    if (this.files.isEnded || !this.makeRoom(packetBlockBytes(captured, comment))) {
      this.lost[port]++;
      return;
    }
    const { packet, chunk } = this;
    packet.interfaceId = port;
    packet.captured = captured;
    const whole = length + about.phantomBytes;
    packet.original = headers + whole;
    packet.comment = comment;
    this.setStamp(about.atNs, this.stamp);
    const at = writePacketBlock(this.view, chunk.length, packet);
    const payloadAt = writeHeaders(chunk.bytes, at, ends, { payload: whole, ecn: length > 0 ? ecn(bytes) : 0 });
    chunk.bytes.set(payload === bytes.length ? bytes : bytes.subarray(0, payload), payloadAt);
    chunk.length += packetBlockBytes(captured, comment);
    chunk.packets++;
  }

  /** False where too much waits for the disk. */
  private makeRoom(bytes: number): boolean {
    if (this.chunk.length + bytes <= this.chunkBytes) return true;
    let next = this.spare.pop();
    if (next === undefined) {
      if (this.chunks === MOST_CHUNKS && this.options.isSync !== true) return false;
      next = newChunk(this.chunkBytes);
      this.chunks++;
    }
    const full = this.chunk;
    this.chunk = next;
    this.view = viewOf(next);
    this.files.append(full);
    return true;
  }

  private flush(): void {
    if (this.chunk.length > 0 && this.files.waiting.length === 0) this.makeRoom(this.chunkBytes);
  }

  private takeBack(chunk: Chunk, isWritten: boolean): void {
    if (isWritten) this.writtenPackets += chunk.packets;
    else this.unwrittenPackets += chunk.packets;
    chunk.length = 0;
    chunk.packets = 0;
    this.spare.push(chunk);
  }

  private trailer(): Uint8Array {
    const start = this.origin;
    const end = { high: 0, low: 0 };
    this.setStamp(this.lastNs, end);
    const blocks = this.options.ports.map((_, port) => {
      const [received, accepted, dropped] = [this.received[port], this.accepted[port], this.lost[port]];
      return interfaceStatistics(port, { start, end, received, accepted, dropped, delivered: accepted - dropped });
    });
    return Buffer.concat(blocks);
  }

  /** The sum of two numbers of 64 bits: no double holds it. */
  private setStamp(atNs: number, into: Stamp): void {
    const ns = Math.max(0, Math.round(atNs));
    const low = this.origin.low + (ns % WORD);
    into.high = this.origin.high + Math.floor(ns / WORD) + (low >= WORD ? 1 : 0);
    into.low = low % WORD;
  }
}

function seen(bytes: Uint8Array, length: number, about: About, port: CapturedPort): Seen {
  const { isDropped, isMarked } = about;
  return { bytes, length, isDropped, isMarked, port: port.name, link: port.link };
}

function newChunk(bytes: number): Chunk {
  return { bytes: new Uint8Array(bytes), length: 0, packets: 0 };
}

function viewOf({ bytes }: Chunk): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sum(counts: Float64Array): number {
  return counts.reduce((total, each) => total + each, 0);
}

/** `creditQueueFull` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** For a log: what came of a capture. */
export function captureSentence({ paths, seen, written, lost }: CaptureSummary): string {
  const rest = lost === 0 ? '' : `; ${lost} could not be written`;
  return `captured ${written} of ${seen} frames in ${paths.join(', ')}${rest}`;
}
