import type { Crc32 } from '../base/crc32.js';
import { type ChunkFields, writeChunk, writeChunkCount } from '../wire/chunks.js';
import { seal } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import type { SendBuffer } from './send-buffer.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { CHECK_BYTES, Chunks, Data } = layout;

/** Flows that one frame looks at in vain at most: those with more to send than it has room for stand in the way of none behind them (ours). */
const MAX_LOOKS = 16;

/** A flow that may send bytes with the credits of others to the same peer. */
export interface Rider {
  readonly peer: number;
  /** Adds to the frame under way, which goes at `nowNs`, what waits, if that fits. False: nothing waits any more. */
  board(filler: FrameFiller, nowNs: number): boolean;
  /** The frame with its bytes has been sent. The application may be told, and do anything. */
  onBoarded(nowNs: number): void;
}

/**
 * Fills the frames that credits release (PROTOCOL §13). A credit stands for a full frame, whose time on every link it has crossed is reserved. What its own flow leaves of that carries what other flows of this
 * host have for the same peer, as chunks of the same frame: one frame for a credit as ever, no longer than the longest.
 */
export class FrameFiller {
  /** Chunks of the frame under way, and payload bytes that one more may have; none where it is not above 0. */
  chunks = 0;
  roomBytes = 0;
  private readonly maxChunks: number;
  private readonly payloadBytes: number;
  private ownBytes = 0;
  private isLengths = false;
  private readonly fields: ChunkFields[];
  private readonly buffers: SendBuffer[] = [];
  /** Whose bytes are in frames that have gone, and who have not been told. */
  private readonly boarded: Rider[] = [];
  /** Who may have bytes that wait, by peer, the longest first. */
  private readonly waiting = new Map<number, Set<Rider>>();

  /** `maxChunks`: of one frame. */
  constructor(maxChunks: number, frameBytes: number) {
    this.maxChunks = Math.min(maxChunks, Chunks.maxChunks);
    this.payloadBytes = frameBytes - Data.overheadBytes;
    this.fields = Array.from({ length: this.maxChunks }, () => ({ flowId: 0, offset: 0, payloadBytes: 0, flags: 0 }));
  }

  /** `rider` has bytes that wait. */
  enter(rider: Rider): void {
    const riders = this.waiting.get(rider.peer);
    if (riders === undefined) this.waiting.set(rider.peer, new Set([rider]));
    else riders.add(rider);
  }

  /** `rider` is closed. */
  leave(rider: Rider): void {
    const riders = this.waiting.get(rider.peer);
    if (riders?.delete(rider) && riders.size === 0) this.waiting.delete(rider.peer);
  }

  /** A frame begins that has `ownBytes` of its own flow, whose stream is in `buffer`. */
  begin(ownBytes: number, { isLengths }: SendBuffer): void {
    this.ownBytes = ownBytes;
    this.isLengths = isLengths;
    this.chunks = 0;
    this.roomBytes = this.payloadBytes - ownBytes - (Chunks.chunks - Data.payload) - Chunks.chunkBytes;
  }

  /** Adds a chunk of flow `flowId` that has at most `roomBytes`. */
  add(flowId: number, offset: number, buffer: SendBuffer, { takenBytes, takenFlags }: Taken): void {
    const chunk = this.fields[this.chunks];
    chunk.flowId = flowId;
    chunk.offset = offset;
    chunk.payloadBytes = takenBytes;
    chunk.flags = takenFlags;
    this.buffers[this.chunks++] = buffer;
    this.roomBytes = this.chunks === this.maxChunks ? 0 : this.roomBytes - takenBytes - Chunks.chunkBytes;
  }

  /** Whether bytes of that buffer may go with those of the frame: a frame has bytes, or counts them. */
  fits({ isLengths }: SendBuffer): boolean {
    return isLengths === this.isLengths;
  }

  /** Fills what is left with what other flows to the peer of `carrier` have. */
  fill(carrier: Rider, nowNs: number): void {
    if (this.roomBytes <= 0) return;
    const riders = this.waiting.get(carrier.peer);
    if (riders !== undefined) this.fillFrom(riders, carrier, nowNs);
  }

  /** Puts table and payloads behind the header of `frame`; the own bytes are those of `buffer` from `offset`. */
  write(frame: Frame, buffer: SendBuffer, offset: number, check: Crc32 | null): void {
    let at = writeChunkCount(frame.bytes, this.chunks);
    for (let index = 0; index < this.chunks; index++) writeChunk(frame.bytes, index, this.fields[index]);
    frame.length = at;
    if (this.isLengths) {
      frame.phantomBytes = this.ownBytes + this.chunkedBytes + CHECK_BYTES;
      return;
    }
    if (this.ownBytes > 0) buffer.copy(offset, this.ownBytes, frame.bytes, at);
    at += this.ownBytes;
    for (let index = 0; index < this.chunks; index++) {
      const { offset: from, payloadBytes } = this.fields[index];
      this.buffers[index].copy(from, payloadBytes, frame.bytes, at);
      at += payloadBytes;
    }
    frame.length = seal(frame.bytes, at, check);
    // Or it would hold the bytes of flows that are long closed.
    this.buffers.length = 0;
  }

  /** The frame has been sent: those whose bytes it has go on. One of them may begin another frame. */
  settle(nowNs: number): void {
    for (let rider = this.boarded.pop(); rider !== undefined; rider = this.boarded.pop()) rider.onBoarded(nowNs);
  }

  private fillFrom(riders: Set<Rider>, carrier: Rider, nowNs: number): void {
    let looks = Math.min(riders.size, this.maxChunks + MAX_LOOKS);
    for (const rider of riders) {
      if (this.roomBytes <= 0 || looks-- === 0) break;
      if (rider === carrier) continue;
      const { chunks } = this;
      riders.delete(rider);
      if (rider.board(this, nowNs)) riders.add(rider);
      if (this.chunks > chunks) this.boarded.push(rider);
    }
    if (riders.size === 0) this.waiting.delete(carrier.peer);
  }

  private get chunkedBytes(): number {
    let sum = 0;
    for (let index = 0; index < this.chunks; index++) sum += this.fields[index].payloadBytes;
    return sum;
  }
}

/** What a SentStream has given out last. */
interface Taken {
  readonly takenBytes: number;
  readonly takenFlags: number;
}
