// Tested by test/core/endpoint.test.ts
import { DropCode, destinationHost, flowId, frameType, sourceHost } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { Reset } from '../wire/frames.js';
import { FrameType, ResetFlag } from '../wire/layout.js';
import type { FlowContext } from './context.js';
import type { EndpointCounters } from './counters.js';
import { RateLimit } from './rate-limit.js';

/** RESETs for unknown flows, a second. PROTOCOL §6.8 */
const RESETS_PER_SECOND = 100;

/** Answers frames that belong to no flow of an endpoint, as far as PROTOCOL §6.8 allows, and counts them. */
export class UnknownFlows {
  private readonly context: FlowContext;
  private readonly resets = new RateLimit(RESETS_PER_SECOND);

  constructor(context: FlowContext) {
    this.context = context;
  }

  /** Does not take the flow that `frame` opens. `code`: one of ResetCode. */
  refuse(frame: Frame, code: number, nowNs: number): null {
    this.context.counters.flowsRefused++;
    this.reset(frame, code, nowNs);
    return null;
  }

  /** Answers `cause` with a RESET, for a flow that does not exist here. PROTOCOL §6.8 */
  reset(cause: Frame, code: number, nowNs: number): void {
    const { context } = this;
    if (!this.resets.allow(nowNs)) {
      context.counters.resetsSuppressed++;
      return;
    }
    const type = frameType(cause.bytes);
    const toReceiver = type === FrameType.credit || type === FrameType.ack || type === FrameType.windowAck;
    const frame = this.answerTo(cause);
    const fields = { code, flags: toReceiver ? 0 : ResetFlag.fromReceiver };
    frame.length = Reset.encode(frame.bytes, headerTo(cause), fields, context.check);
    context.emit(frame, nowNs);
  }

  private answerTo({ peer }: Frame): Frame {
    const frame = this.context.pool.take();
    frame.peer = peer;
    return frame;
  }
}

function headerTo({ bytes }: Frame) {
  return { destination: sourceHost(bytes), source: destinationHost(bytes), flowId: flowId(bytes) };
}

/** Counts a frame that `checkFrame` refused. PROTOCOL §2.7 */
export function countDrop(counters: EndpointCounters, code: number): void {
  if (code === DropCode.short) counters.short++;
  else if (code === DropCode.version) counters.version++;
  else if (code === DropCode.type) counters.type++;
  else if (code === DropCode.check) counters.check++;
  else if (code === DropCode.length) counters.length++;
  else if (code === DropCode.extension) counters.extension++;
  else counters.invalid++;
}
