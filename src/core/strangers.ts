// Tested by test/core/endpoint.test.ts
import { destinationHost, flowId, frameType, sourceHost } from '../wire/decode.js';
import { encodeReset } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { FrameType, ResetFlag } from '../wire/layout.js';
import type { FlowContext } from './context.js';
import { countDrop } from './drops.js';
import { ResetLimiter } from './reset-limiter.js';
import { VersionOffers } from './version-offer.js';

/** What an endpoint answers to frames that belong to no flow of it: counted, and answered as far as PROTOCOL §6.8 and §10 allow. */
export class Strangers {
  private readonly context: FlowContext;
  private readonly resets = new ResetLimiter();
  private readonly versions: VersionOffers;

  constructor(context: FlowContext) {
    this.context = context;
    this.versions = new VersionOffers(context.pool, context.check);
  }

  /** `frame` did not pass the check at the door, for this DropCode. */
  drop(code: number, frame: Frame, nowNs: number): void {
    countDrop(this.context.counters, code);
    const offer = this.versions.answer(code, frame, nowNs);
    if (offer !== null) this.context.emit(offer, nowNs);
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
    const frame = context.pool.take();
    frame.peer = cause.peer;
    const header = {
      destination: sourceHost(cause.bytes),
      source: destinationHost(cause.bytes),
      flowId: flowId(cause.bytes),
    };
    const fields = { code, flags: toReceiver ? 0 : ResetFlag.fromReceiver };
    frame.length = encodeReset(frame.bytes, header, fields, context.check);
    context.emit(frame, nowNs);
  }
}
