import { isZero32, read16, read32 } from './bytes.js';
import {
  Ack,
  Attach,
  Attached,
  CreditRequest,
  Data,
  FrameType,
  Header,
  MAX_FRAME_BYTES,
  MAX_HOST_ID,
  NO_HOST,
  VersionOffer,
  WindowAck,
} from './layout.js';

/** A DATA frame of one byte: no flow can do with less. PROTOCOL §3.3 */
const SMALLEST_DATA_BYTES = Data.overheadBytes + 1;
/** Everything a field can be ahead of another. PROTOCOL §1.3 */
const MAX_AHEAD = 2 ** 31 - 1;

/** Whether every field of a frame of the right length is one that a correct peer sends. PROTOCOL §2.7 `invalid` */
export function hasValidFields(bytes: Uint8Array, type: number): boolean {
  const destination = read16(bytes, Header.destination);
  const source = read16(bytes, Header.source);
  if (destination > MAX_HOST_ID || source > MAX_HOST_ID) return false;
  if (type <= FrameType.reset || type === FrameType.windowAck || type === FrameType.speculativeData)
    return hasValidFlow(bytes, destination, source) && hasValidFlowFields(bytes, type);
  if (type === FrameType.attach) return true;
  if (type === FrameType.version) return bytes[VersionOffer.lowest] <= bytes[VersionOffer.highest];
  return isZero32(bytes, Header.flowId) && hasValidSwitchFields(bytes, type);
}

/** A flow has an id and runs between two hosts, or between nobody's ids in direct mode. PROTOCOL §2.5, §8.1 */
function hasValidFlow(bytes: Uint8Array, destination: number, source: number): boolean {
  return (destination === NO_HOST) === (source === NO_HOST) && !isZero32(bytes, Header.flowId);
}

function hasValidFlowFields(bytes: Uint8Array, type: number): boolean {
  if (type === FrameType.ack) return hasValidRanges(bytes, Ack.ranges);
  if (type === FrameType.windowAck) return hasValidRanges(bytes, WindowAck.ranges);
  if (type !== FrameType.creditRequest) return true;
  return isFrameSize(read16(bytes, CreditRequest.maxFrameBytes)) && bytes[CreditRequest.weight] > 0;
}

/** Frames between a host and its switch, which has the id 0. PROTOCOL §3.8 to §3.12 */
function hasValidSwitchFields(bytes: Uint8Array, type: number): boolean {
  const destination = read16(bytes, Header.destination);
  const source = read16(bytes, Header.source);
  switch (type) {
    case FrameType.attach: {
      const frameBytes = read16(bytes, Attach.maxFrameBytes);
      return destination === NO_HOST && (frameBytes === 0 || isFrameSize(frameBytes));
    }
    case FrameType.attached:
      return source === NO_HOST && destination !== NO_HOST && hasValidTerms(bytes);
    case FrameType.attachRefused:
      return source === NO_HOST;
    default:
      return destination === NO_HOST && source !== NO_HOST;
  }
}

function hasValidTerms(bytes: Uint8Array): boolean {
  return isFrameSize(read16(bytes, Attached.maxFrameBytes)) && read16(bytes, Attached.keepAliveMs) > 0;
}

function isFrameSize(bytes: number): boolean {
  return bytes >= SMALLEST_DATA_BYTES && bytes <= MAX_FRAME_BYTES;
}

/** Ranges are ascending, not empty, touch neither the cumulative offset nor each other, and stay within half the number space of it. PROTOCOL §3.4, §3.14 */
function hasValidRanges(bytes: Uint8Array, first: number): boolean {
  const cumulative = read32(bytes, Ack.cumulative);
  const after = first + bytes[Ack.rangeCount] * Ack.rangeBytes;
  let ahead = 0;
  for (let at = first; at < after; at += Ack.rangeBytes / 2) {
    const next = (read32(bytes, at) - cumulative) >>> 0;
    if (next <= ahead) return false;
    ahead = next;
  }
  return ahead <= MAX_AHEAD;
}
