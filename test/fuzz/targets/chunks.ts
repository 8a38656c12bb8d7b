import { crc32 } from '../../../src/base/crc32.js';
import { chunkCount, chunkPayloadBytes, takeChunk } from '../../../src/wire/chunks.js';
import { checkFrame, dataPayloadAt, dataPayloadBytes, flags, frameType } from '../../../src/wire/decode.js';
import { seal } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { CHECK_BYTES, DataFlag, FrameType } from '../../../src/wire/layout.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { hostileFrame } from './hostile-frames.js';

/** The kind of a hostile frame that is filled. */
const FILLED = 3;
const FIRST_CHANGE = 12;

/** The table of a filled frame: one that passes the door lies within the frame, and each of its chunks is a data frame of its own. */
export const chunks: Target = {
  name: 'chunks',
  seeds: () => [
    Uint8Array.from([0, 0, 0]),
    Uint8Array.from([0, 0, 0, 0, 0, 2, 30, 0, 0, 0, 40, 0, 0, 0, 20]),
    Uint8Array.from([2, 50, 7, 60, 9, 0, 0, 0, 0, 0, 3, 30, 0, 0, 0, 40, 0, 0, 0, 20]),
  ],
  run: (input) => {
    const choices = new Input(input);
    const changes = Array.from({ length: choices.below(4) }, () => [choices.u8(), choices.u8()] as const);
    const frame = hostileFrame(new Input(Uint8Array.from([FILLED, 0, ...choices.rest()])));
    for (const [at, value] of changes)
      frame.bytes[FIRST_CHANGE + (at % Math.max(1, frame.length - FIRST_CHANGE))]! ^= value;
    if (checkFrame(frame, null) !== FrameType.data || (flags(frame.bytes) & DataFlag.chunks) === 0) return;
    checkChunks(frame);
  },
};

function checkChunks(frame: Frame): void {
  const into = new Frame(new Uint8Array(64));
  const ownBytes = dataPayloadBytes(frame);
  must(ownBytes >= 0, 'no payload is shorter than nothing');
  let at = dataPayloadAt(frame.bytes) + ownBytes;
  for (let index = 0; index < chunkCount(frame.bytes); index++) {
    const payloadBytes = chunkPayloadBytes(frame.bytes, index);
    at = takeChunk(frame, index, at, into);
    must(into.length <= into.bytes.length, 'the buffer holds the chunk');
    must(dataPayloadBytes(into) === payloadBytes, 'a chunk has the bytes that the table says');
    seal(into.bytes, into.length - CHECK_BYTES, crc32);
    must(checkFrame(into, crc32) === FrameType.data && frameType(into.bytes) === FrameType.data, 'a chunk is a frame');
  }
  must(at === frame.length - CHECK_BYTES, 'the chunks end where the check begins');
}
