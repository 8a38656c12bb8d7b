import type { Crc32 } from '../base/crc32.js';
import { type ChunkFields, writeChunk, writeChunkCount } from '../wire/chunks.js';
import { seal } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { CHECK_BYTES, Chunks, Data } from '../wire/layout.js';
import type { SendBuffer } from './send-buffer.js';

/** Flows that one frame looks at in vain at most. Ours: those with more bytes than it has room for do not block those behind them. */
const MAX_LOOKS = 16;

/** A flow that may send bytes with the credits of others to the same peer. */
export interface PiggybackFlow {
  readonly peer: number;
  /** Adds what waits to the frame that goes at `nowNs`, if it fits. False: nothing waits any more. */
  piggyback(filler: FrameFiller, nowNs: number): boolean;
  /** The frame with its bytes has been sent. The application may be told, and do anything. */
  onPiggybacked(nowNs: number): void;
}

/** Fills the frames that credits release (PROTOCOL §13): what the credit's flow leaves carries chunks of other flows to the same peer. */
export class FrameFiller {
  /** Chunks of the frame under way, and payload bytes that one more may have; none where it is not above 0. */
  chunks = 0;
  roomBytes = 0;
  private readonly maxChunks: number;
  private ownBytes = 0;
  private isLengths = false;
  private readonly fields: ChunkFields[];
  private readonly buffers: SendBuffer[] = [];
  /** Flows with bytes in frames that have gone, not told yet. */
  private readonly piggybacked: PiggybackFlow[] = [];
  /** Flows that may have bytes waiting, by peer, the longest waiting first. */
  private readonly waiting = new Map<number, Set<PiggybackFlow>>();

  /** `maxChunks`: of one frame. */
  constructor(maxChunks: number) {
    this.maxChunks = Math.min(maxChunks, Chunks.maxChunks);
    this.fields = Array.from({ length: this.maxChunks }, () => ({ flowId: 0, offset: 0, payloadBytes: 0, flags: 0 }));
  }

  /** `flow` has bytes that wait. */
  enter(flow: PiggybackFlow): void {
    const flows = this.waiting.get(flow.peer);
    if (flows === undefined) this.waiting.set(flow.peer, new Set([flow]));
    else flows.add(flow);
  }

  /** `flow` is closed. */
  leave(flow: PiggybackFlow): void {
    const flows = this.waiting.get(flow.peer);
    if (flows?.delete(flow) && flows.size === 0) this.waiting.delete(flow.peer);
  }

  /** A frame of `payloadBytes` at most begins that has `ownBytes` of its own flow, whose stream is in `buffer`. */
  begin(ownBytes: number, { isLengths }: SendBuffer, payloadBytes: number): void {
    this.ownBytes = ownBytes;
    this.isLengths = isLengths;
    this.chunks = 0;
    this.roomBytes = payloadBytes - ownBytes - (Chunks.chunks - Data.payload) - Chunks.chunkBytes;
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
  fill(carrier: PiggybackFlow, nowNs: number): void {
    if (this.roomBytes <= 0) return;
    const flows = this.waiting.get(carrier.peer);
    if (flows !== undefined) this.fillFrom(flows, carrier, nowNs);
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
    for (let flow = this.piggybacked.pop(); flow !== undefined; flow = this.piggybacked.pop())
      flow.onPiggybacked(nowNs);
  }

  private fillFrom(flows: Set<PiggybackFlow>, carrier: PiggybackFlow, nowNs: number): void {
    let looks = Math.min(flows.size, this.maxChunks + MAX_LOOKS);
    for (const flow of flows) {
      if (this.roomBytes <= 0 || looks-- === 0) break;
      if (flow === carrier) continue;
      const { chunks } = this;
      flows.delete(flow);
      if (flow.piggyback(this, nowNs)) flows.add(flow);
      if (this.chunks > chunks) this.piggybacked.push(flow);
    }
    if (flows.size === 0) this.waiting.delete(carrier.peer);
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
