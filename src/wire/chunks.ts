// Tested by test/wire/codec.test.ts and test/core/endpoint-chunks.test.ts
/**
 * DATA with CHUNKS has a table of chunks before its own payload and their bytes behind it (PROTOCOL §3.16). Offsets are those of the whole UDP payload, also
 * where the payload is only counted.
 */
import { read16, read32, write16, write32 } from './bytes.js';
import type { Frame } from './frame.js';
import { CHECK_BYTES, Chunks, Data, DataFlag, FrameType, Header } from './layout.js';

/** One chunk: bytes of a flow that may be another than the frame's. */
export interface ChunkFields {
  flowId: number;
  /** Stream offset of its first byte. */
  offset: number;
  payloadBytes: number;
  /** Bits of `DataFlag`: end, repair, more. */
  flags: number;
}

/** Whether a frame is DATA with CHUNKS; in other types the bit means nothing. */
export function hasChunks(bytes: Uint8Array): boolean {
  return (bytes[Header.flags] & DataFlag.chunks) !== 0 && (bytes[Header.versionAndType] & 0x0f) === FrameType.data;
}

/** Of a filled frame; 1 to 64. */
export function chunkCount(bytes: Uint8Array): number {
  return bytes[Chunks.chunkCount];
}

/** Of which flow chunk `index` is. */
export function chunkFlowId(bytes: Uint8Array, index: number): number {
  return read32(bytes, entryOf(index) + Chunks.flowId);
}

/** Bytes of the stream of chunk `index`. */
export function chunkPayloadBytes(bytes: Uint8Array, index: number): number {
  return read16(bytes, entryOf(index) + Chunks.payloadBytes);
}

/** Where the table of `count` chunks ends and the payloads begin. */
export function tableEnd(count: number): number {
  return Chunks.chunks + count * Chunks.chunkBytes;
}

/** All that a filled frame has beside its own payload and what every DATA frame has: the table, and the bytes of its chunks. */
export function chunkTableBytes(bytes: Uint8Array): number {
  const count = chunkCount(bytes);
  let sum = tableEnd(count) - Data.payload;
  for (let index = 0; index < count; index++) sum += chunkPayloadBytes(bytes, index);
  return sum;
}

/** Whether the table lies within a frame that is long enough for a DATA frame, and its chunks do too. */
export function hasRoomForChunks(frame: Frame): boolean {
  const end = tableEnd(chunkCount(frame.bytes));
  const isWhole = frame.phantomBytes > 0 ? frame.length === end : frame.length >= end + CHECK_BYTES;
  return isWhole && frame.length + frame.phantomBytes >= Data.overheadBytes + chunkTableBytes(frame.bytes);
}

/** Whether every field of the table is one that a correct peer sends. PROTOCOL §2.7 `invalid` */
export function hasValidChunks(bytes: Uint8Array): boolean {
  const count = chunkCount(bytes);
  if (count === 0 || count > Chunks.maxChunks || (bytes[Header.flags] & DataFlag.reactive) !== 0) return false;
  for (let index = 0; index < count; index++) {
    const at = entryOf(index);
    const hasFlow = (bytes[at] | bytes[at + 1] | bytes[at + 2] | bytes[at + 3]) !== 0;
    if (!hasFlow || chunkPayloadBytes(bytes, index) === 0) return false;
  }
  return true;
}

/** Writes the number of chunks; returns where the payloads begin. */
export function writeChunkCount(bytes: Uint8Array, count: number): number {
  bytes[Chunks.chunkCount] = count;
  bytes[Chunks.chunkCount + 1] = 0;
  return tableEnd(count);
}

export function writeChunk(bytes: Uint8Array, index: number, chunk: ChunkFields): void {
  const at = entryOf(index);
  write32(bytes, at + Chunks.flowId, chunk.flowId);
  write32(bytes, at + Chunks.offset, chunk.offset);
  write16(bytes, at + Chunks.payloadBytes, chunk.payloadBytes);
  bytes[at + Chunks.flags] = chunk.flags;
  bytes[at + Chunks.flags + 1] = 0;
}

/**
 * Makes `into` the DATA frame of chunk `index`, with that chunk's flags and the frame's addresses and marks; credit sequence and *unused* mean nothing. The
 * chunk's bytes start at `at`; returns where the next ones start. It has no check: the frame's covered it.
 */
export function takeChunk(frame: Frame, index: number, at: number, into: Frame): number {
  const { bytes } = frame;
  const entry = entryOf(index);
  const count = chunkPayloadBytes(bytes, index);
  into.reserve(Data.overheadBytes + count);
  into.bytes.set(bytes.subarray(0, Data.payload));
  into.bytes[Header.flags] = bytes[entry + Chunks.flags] & CHUNK_FLAGS;
  into.bytes.set(bytes.subarray(entry + Chunks.flowId, entry + Chunks.offset), Header.flowId);
  into.bytes.set(bytes.subarray(entry + Chunks.offset, entry + Chunks.payloadBytes), Data.offset);
  into.peer = frame.peer;
  const isCounted = frame.phantomBytes > 0;
  into.length = isCounted ? Data.payload : Data.overheadBytes + count;
  into.phantomBytes = isCounted ? count + CHECK_BYTES : 0;
  if (!isCounted) into.bytes.set(bytes.subarray(at, at + count), Data.payload);
  return at + count;
}

/** Others mean nothing in a chunk. */
const CHUNK_FLAGS = DataFlag.end | DataFlag.repair | DataFlag.more;

function entryOf(index: number): number {
  return Chunks.chunks + index * Chunks.chunkBytes;
}
