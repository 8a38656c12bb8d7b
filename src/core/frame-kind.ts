// Tested by test/core/endpoint.test.ts and test/core/endpoint-speculation.test.ts
import { flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import type { ReceiverFlow } from './receiver-flow.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { DataFlag, FrameType, RequestFlag } = layout;

/** A request or data of one kind of flow is not for a flow of the other. PROTOCOL §11.1 */
export function fitsKind(type: number, { bytes }: Frame, flow: ReceiverFlow): boolean {
  if (type === FrameType.speculativeData) return !flow.isReactive;
  if (type === FrameType.data) return ((flags(bytes) & DataFlag.reactive) !== 0) === flow.isReactive;
  return type !== FrameType.creditRequest || ((flags(bytes) & RequestFlag.reactive) !== 0) === flow.isReactive;
}

/** Data whose flow's opening may be behind it, or lost. PROTOCOL §11.1, §12.2 */
export function isEarly(type: number, { bytes }: Frame): boolean {
  if (type === FrameType.speculativeData) return true;
  const early = DataFlag.reactive | DataFlag.early;
  return type === FrameType.data && (flags(bytes) & early) === early;
}
