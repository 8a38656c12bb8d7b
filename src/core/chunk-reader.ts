// Tested by test/core/endpoint-chunks.test.ts
import { chunkCount, takeChunk } from '../wire/chunks.js';
import { dataPayloadAt, dataPayloadBytes } from '../wire/decode.js';
import { Frame } from '../wire/frame.js';

/** Takes filled frames apart: gives each chunk as a frame of its own. PROTOCOL §13.2 */
export class ChunkReader {
  private readonly handle: (chunk: Frame) => void;
  /** The one chunk at a time; made for the first, and grows with what comes. */
  private chunk: Frame | null = null;

  /** `handle`: takes a chunk, which is valid during the call only. */
  constructor(handle: (chunk: Frame) => void) {
    this.handle = handle;
  }

  /** `frame`: a filled frame that has passed the check at the door. */
  takeApart(frame: Frame): void {
    this.chunk ??= new Frame(new Uint8Array(0));
    const count = chunkCount(frame.bytes);
    let at = dataPayloadAt(frame.bytes) + dataPayloadBytes(frame);
    for (let index = 0; index < count; index++) {
      at = takeChunk(frame, index, at, this.chunk);
      this.handle(this.chunk);
    }
  }
}
