// Tested by test/core/endpoint.test.ts
import { SECOND_NS } from '../base/time.js';
import { DropCode, destinationHost, flowId, frameType, sourceHost } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { Reset, Version } from '../wire/frames.js';
import { FrameType, ResetFlag, VERSION } from '../wire/layout.js';
import type { FlowContext } from './context.js';
import type { EndpointCounters } from './counters.js';

/** RESETs for unknown flows, a second. PROTOCOL §6.8 */
const RESETS_PER_SECOND = 100;
/** Peers whose last VERSION is remembered: it bounds the memory; peers whose numbers agree modulo this share one. */
const VERSION_PLACES = 256;
const VERSIONS = { lowest: VERSION, highest: VERSION };

/** A token bucket of one second for the RESETs of a host. */
export class ResetLimiter {
  private tokens = RESETS_PER_SECOND;
  private refilledNs = 0;

  allow(nowNs: number): boolean {
    const refill = ((nowNs - this.refilledNs) * RESETS_PER_SECOND) / SECOND_NS;
    this.tokens = Math.min(RESETS_PER_SECOND, this.tokens + refill);
    this.refilledNs = nowNs;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}

/** Answers frames that belong to no flow of an endpoint, as far as PROTOCOL §6.8 and §10 allow, and counts them. */
export class UnknownFlows {
  private readonly context: FlowContext;
  private readonly resets = new ResetLimiter();
  /** When each peer got its last VERSION. */
  private readonly versionNs = new Float64Array(VERSION_PLACES).fill(Number.NEGATIVE_INFINITY);

  constructor(context: FlowContext) {
    this.context = context;
  }

  /** `frame` did not pass the check at the door, for this DropCode. A frame of an unknown version gets an answer: one per peer and second. PROTOCOL §3.13 */
  drop(code: number, frame: Frame, nowNs: number): void {
    countDrop(this.context.counters, code);
    if (code !== DropCode.version || frame.length < Version.minBytes) return;
    const place = frame.peer & (VERSION_PLACES - 1);
    if (frameType(frame.bytes) === FrameType.version || nowNs < this.versionNs[place] + SECOND_NS) return;
    this.versionNs[place] = nowNs;
    const offer = this.answerTo(frame);
    offer.length = Version.encode(offer.bytes, headerTo(frame), VERSIONS, this.context.check);
    this.context.emit(offer, nowNs);
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

/** Whether a VERSION frame means that its sender cannot be talked to: one that speaks our version answered a frame that was corrupted on the way. */
export function refusesVersion(lowest: number, highest: number): boolean {
  return VERSION < lowest || VERSION > highest;
}

function headerTo({ bytes }: Frame) {
  return { destination: sourceHost(bytes), source: destinationHost(bytes), flowId: flowId(bytes) };
}

/** Counts a frame that the check at the door refused. PROTOCOL §2.7 */
function countDrop(counters: EndpointCounters, code: number): void {
  if (code === DropCode.short) counters.short++;
  else if (code === DropCode.version) counters.version++;
  else if (code === DropCode.type) counters.type++;
  else if (code === DropCode.check) counters.check++;
  else if (code === DropCode.length) counters.length++;
  else if (code === DropCode.extension) counters.extension++;
  else counters.invalid++;
}
