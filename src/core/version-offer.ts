import type { Crc32 } from '../base/crc32.js';
import { DropCode, destinationHost, flowId, frameType, sourceHost } from '../wire/decode.js';
import { encodeVersion } from '../wire/encode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameType, VERSION, VersionOffer } from '../wire/layout.js';

/** The answer to a frame that was dropped with `code`: a VERSION frame if its version was the reason, else null. PROTOCOL §3.13 */
export function offerVersion(code: number, cause: Frame, pool: FramePool, check: Crc32 | null): Frame | null {
  if (code !== DropCode.version || cause.length < VersionOffer.bytes || frameType(cause.bytes) === FrameType.version)
    return null;
  const frame = pool.take();
  frame.peer = cause.peer;
  const header = {
    destination: sourceHost(cause.bytes),
    source: destinationHost(cause.bytes),
    flowId: flowId(cause.bytes),
  };
  frame.length = encodeVersion(frame.bytes, header, { lowest: VERSION, highest: VERSION }, check);
  return frame;
}
