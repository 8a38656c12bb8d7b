/**
 * What the flows of a lab carry: the same bytes for everybody, begun at a place that follows from the flow's id. So a sender gives away parts of one buffer
 * without copying, and a receiver that gets bytes of another flow, or of another place in its own, finds that out.
 */

/** The pattern repeats after so many bytes: a prime, so that no frame size or power of two fits into it (ours). */
const PERIOD_BYTES = 65_521;
/** Longest part that `patternBytes` gives at once; more than the payload of any frame. */
export const MAX_PART_BYTES = 65_536;

const PATTERN = makePattern(PERIOD_BYTES + MAX_PART_BYTES);

/** `count` bytes of a flow's stream from `offset` on, at most MAX_PART_BYTES. The buffer is shared: not to be written to. */
export function patternBytes(flowId: number, offset: number, count: number): Buffer {
  const at = (flowId + offset) % PERIOD_BYTES;
  return PATTERN.subarray(at, at + count);
}

/** Whether `bytes` are what the flow carries from `offset` on. */
export function isPattern(bytes: Uint8Array, flowId: number, offset: number): boolean {
  for (let from = 0; from < bytes.length; from += MAX_PART_BYTES) {
    const part = bytes.subarray(from, from + MAX_PART_BYTES);
    if (!patternBytes(flowId, offset + from, part.length).equals(part)) return false;
  }
  return true;
}

/** A linear congruential generator modulo 2^32 (Numerical Recipes, 3rd edition, 7.1) and its upper byte. */
function makePattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < PERIOD_BYTES; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  bytes.copy(bytes, PERIOD_BYTES, 0, length - PERIOD_BYTES);
  return bytes;
}
