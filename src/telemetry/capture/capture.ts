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
/** Copied byte by byte (ours, measured). */
const LONGEST_LOOP_BYTES = 48;
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
  private chunks = 1;
  private lastNs = 0;
  private readonly chunkBytes: number;
  private readonly timer: NodeJS.Timeout | null;
  private readonly ends = newMadeUpEnds();
  private readonly packet: PacketBlock;
  /** Of the frame that is written just now; records that stay, so that no frame costs an object. */
  private readonly about: About = {
    port: 0,
    atNs: 0,
    isDropped: false,
    isMarked: false,
    comment: null,
    phantomBytes: 0,
  };
  private readonly udp = { payload: 0, ecn: 0 };
  private readonly snapBytes: number;
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
    this.snapBytes = snapBytes;
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
        this.note(port, atNs, isMarked, isMarked ? this.marked : null);
        this.frame(frame);
      },
      marked: (frame) => {
        marks.add(frame);
      },
      dropped: (frame, code, atNs) => {
        const isMarked = marks.size > 0 && marks.delete(frame);
        const { plain, marked } = this.drops[code];
        this.note(port, atNs, isMarked, isMarked ? marked : plain);
        this.about.isDropped = true;
        this.frame(frame);
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
    this.note(port, about.atNs, false, null);
    this.packetAt(bytes, about.length, ends);
  }

  /** A frame that its host has dropped before it had a datagram. */
  droppedFrame(port: number, frame: Frame, code: number, about: { readonly ends: Ends; readonly atNs: number }): void {
    this.note(port, about.atNs, false, this.drops[code].plain);
    this.about.isDropped = true;
    this.packetAt(frame.bytes, frame.length, about.ends);
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

  /** Begins a frame. */
  private note(port: number, atNs: number, isMarked: boolean, comment: Uint8Array | null): void {
    const { about } = this;
    about.port = port;
    about.atNs = atNs;
    about.isMarked = isMarked;
    about.isDropped = false;
    about.comment = comment;
    about.phantomBytes = 0;
  }

  private frame(frame: Frame): void {
    const { bytes, length } = frame;
    this.about.phantomBytes = frame.phantomBytes;
    if (length < Header.bytes) return;
    const first = bytes[Header.hopLimitAndEcn];
    setHopLimit(bytes, frame.hopLimit);
    this.packetAt(bytes, length, endsOfHosts(sourceHost(bytes), destinationHost(bytes), this.ends));
    bytes[Header.hopLimitAndEcn] = first;
  }

  private packetAt(bytes: Uint8Array, length: number, ends: Ends): void {
    const { about, packet } = this;
    const { port, comment, atNs } = about;
    this.received[port]++;
    if (atNs > this.lastNs) this.lastNs = atNs;
    if (this.filter !== null && !this.filter(seen(bytes, length, about, this.options.ports[port]))) return;
    this.accepted[port]++;
    const headers = headerBytes(ends);
    const payload = Math.min(length, this.snapBytes);
    const blockBytes = packetBlockBytes(headers + payload, comment);
    if (this.files.isEnded || !this.makeRoom(blockBytes)) {
      this.lost[port]++;
      return;
    }
    const { chunk, udp } = this;
    udp.payload = length + about.phantomBytes;
    udp.ecn = length > 0 ? ecn(bytes) : 0;
    packet.interfaceId = port;
    packet.captured = headers + payload;
    packet.original = headers + udp.payload;
    packet.comment = comment;
    this.setStamp(atNs, this.stamp);
    const payloadAt = writeHeaders(chunk.view, writePacketBlock(chunk, chunk.length, packet), ends, udp);
    copyInto(chunk.bytes, payloadAt, bytes, payload);
    chunk.length += blockBytes;
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

function newChunk(size: number): Chunk {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer), length: 0, packets: 0 };
}

/** Copies the first `length` bytes. A loop is faster than a view of a few bytes. */
function copyInto(to: Uint8Array, at: number, from: Uint8Array, length: number): void {
  if (length > LONGEST_LOOP_BYTES) to.set(length === from.length ? from : from.subarray(0, length), at);
  else for (let index = 0; index < length; index++) to[at + index] = from[index];
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
