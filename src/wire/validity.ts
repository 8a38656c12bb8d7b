import { isZero32, read16, read32 } from './bytes.js';
import { FIELD_CHECKS, kindOf } from './frames.js';
import { Ack, CONTROL_CODES, FrameType, Header, MAX_HOST_ID, NO_HOST, WindowAck } from './layout.js';

/** Everything a field can be ahead of another. PROTOCOL §1.3 */
const MAX_AHEAD = 2 ** 31 - 1;

/** Whether every field of a frame of the right length is one that a correct peer sends. PROTOCOL §2.7 `invalid` */
export function hasValidFields(bytes: Uint8Array, type: number): boolean {
  const destination = read16(bytes, Header.destination);
  const source = read16(bytes, Header.source);
  if (destination > MAX_HOST_ID || source > MAX_HOST_ID) return false;
  if (type < FrameType.version) {
    const areHosts = (destination === NO_HOST) === (source === NO_HOST);
    if (!areHosts || isZero32(bytes, Header.flowId)) return false;
    if (type === FrameType.ack) return hasValidRanges(bytes, Ack.ranges);
    if (type === FrameType.windowAck) return hasValidRanges(bytes, WindowAck.ranges);
  } else if (type >= CONTROL_CODES) {
    const hasValidId = kindOf(type).hasBitsForId === true || isZero32(bytes, Header.flowId);
    if (!hasValidId || !hasValidEnds(type, destination, source)) return false;
  }
  const check = FIELD_CHECKS[type];
  return check === null || check(bytes);
}

/** Of a control frame. A switch has the id 0, hosts in direct mode too. PROTOCOL §8.1, §8.2 */
function hasValidEnds(type: number, destination: number, source: number): boolean {
  const { direction, mayLackId = false } = kindOf(type);
  if (direction === 'host to host') return (destination === NO_HOST) === (source === NO_HOST);
  const [host, ofSwitch] = direction === 'host to switch' ? [source, destination] : [destination, source];
  return ofSwitch === NO_HOST && (mayLackId || host !== NO_HOST);
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
