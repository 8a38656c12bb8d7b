// Tested by test/scenario/play/watch.test.ts
import type { XpassError } from '../base/errors.js';
import {
  ackCumulative,
  creditExplicitRate,
  creditSequence,
  dataCreditSequence,
  dataExplicitRate,
  dataFrameNumber,
  dataOffset,
  dataPayloadBytes,
  ecn,
  flags,
  flowId,
  frameType,
} from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { kindOf } from '../wire/frames.js';
import { DataFlag, Ecn, FrameType, HOP_BITS, ResetFlag } from '../wire/layout.js';
import { rateOfCode } from '../wire/rate-code.js';
import type { FlowTrace, TracedFlow } from './flow-trace.js';
import { ReceiverState } from './receiver-flow.js';
import type { ReceiverStatistics } from './receiver-statistics.js';
import { SenderState } from './sender-flow.js';
import type { SenderStatistics } from './sender-requests.js';

export type FlowRole = 'sender' | 'receiver';

/** Which flow a log is of. */
export interface FlowName {
  readonly role: FlowRole;
  readonly hostId: number;
  readonly peer: number;
  readonly id: number;
}

export type EventData = Readonly<Record<string, number | string | boolean | null>>;

/** Where the events of one flow go, in the order of their times. */
export interface FlowLog {
  event(atNs: number, name: string, data: EventData): void;
  /** No event follows. */
  end(): void;
}

/** Opens the log of a flow; null where no more flows are wanted. */
export type OpenLog = (flow: FlowName) => FlowLog | null;

interface Entry {
  readonly log: FlowLog | null;
  lastNs: number;
  state: number;
  before: SenderStatistics | ReceiverStatistics | null;
}

const STATE_NAMES: Readonly<Record<FlowRole, readonly string[]>> = {
  sender: Object.keys(SenderState),
  receiver: Object.keys(ReceiverState),
};

/** Turns what happens to the flows of one host into events: of each frame, and of each change of what the flow counts. */
export class FlowTracer implements FlowTrace {
  private readonly hostId: number;
  private readonly openLog: OpenLog;
  private readonly entries = new Map<string, Entry>();

  constructor(hostId: number, openLog: OpenLog) {
    this.hostId = hostId;
    this.openLog = openLog;
  }

  sent(frame: Frame): void {
    const { bytes, peer } = frame;
    const type = frameType(bytes);
    const role = sendingRole(type, bytes);
    const name = { role, peer, id: flowId(bytes) };
    const begins = type === FrameType.creditRequest || type === FrameType.data || type === FrameType.speculativeData;
    const entry = begins ? this.entryOf(name, frame.atNs) : this.entries.get(keyOf(name));
    if (entry !== undefined) say(entry, frame.atNs, `${eventOf(type)}_sent`, detailsOf(frame, type));
  }

  takenBack(frame: Frame, nowNs: number): void {
    const type = frameType(frame.bytes);
    const entry = this.entries.get(
      keyOf({ role: sendingRole(type, frame.bytes), peer: frame.peer, id: flowId(frame.bytes) }),
    );
    if (entry !== undefined) say(entry, nowNs, `${eventOf(type)}_dropped_by_nic`, detailsOf(frame, type));
  }

  received(flow: TracedFlow, frame: Frame, nowNs: number): void {
    const type = frameType(frame.bytes);
    const entry = this.entryFor(flow, nowNs);
    if (entry === undefined) return;
    say(entry, nowNs, `${eventOf(type)}_received`, detailsOf(frame, type));
    compare(entry, flow, nowNs);
  }

  fired(flow: TracedFlow, nowNs: number): void {
    const entry = this.entryFor(flow, nowNs);
    if (entry !== undefined) compare(entry, flow, nowNs);
  }

  closed(flow: TracedFlow, error: XpassError | null): void {
    const key = keyOf({ role: roleOf(flow), peer: flow.peer, id: flow.id });
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    compare(entry, flow, entry.lastNs);
    const reason = error === null ? { trigger: 'complete' } : { trigger: error.code, message: error.message };
    say(entry, entry.lastNs, 'flow_closed', reason);
    entry.log?.end();
    this.entries.delete(key);
  }

  /** Ends the logs of flows that are still open. */
  end(): void {
    for (const { log } of this.entries.values()) log?.end();
    this.entries.clear();
  }

  /** Undefined for a flow that is over: its last frame may have closed it. */
  private entryFor(flow: TracedFlow, nowNs: number): Entry | undefined {
    const name = { role: roleOf(flow), peer: flow.peer, id: flow.id };
    return flow.state === SenderState.closed ? this.entries.get(keyOf(name)) : this.entryOf(name, nowNs);
  }

  private entryOf(name: Omit<FlowName, 'hostId'>, atNs: number): Entry {
    const key = keyOf(name);
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const log = this.openLog({ ...name, hostId: this.hostId });
    const entry: Entry = { log, lastNs: 0, state: SenderState.closed, before: null };
    this.entries.set(key, entry);
    say(entry, atNs, 'flow_opened', { role: name.role, host: this.hostId, peer: name.peer, flow_id: name.id });
    return entry;
  }
}

function keyOf({ role, peer, id }: Omit<FlowName, 'hostId'>): string {
  return `${role} ${peer} ${id}`;
}

function roleOf({ statistics }: TracedFlow): FlowRole {
  return 'bytesWritten' in statistics ? 'sender' : 'receiver';
}

/** Of the host that sends a frame. */
function sendingRole(type: number, bytes: Uint8Array): FlowRole {
  const isReceivers =
    type === FrameType.credit ||
    type === FrameType.ack ||
    type === FrameType.windowAck ||
    (type === FrameType.reset && (flags(bytes) & ResetFlag.fromReceiver) !== 0);
  return isReceivers ? 'receiver' : 'sender';
}

/** `credit`, `data`, `ack`, or the name of another frame. */
function eventOf(type: number): string {
  return type === FrameType.windowAck ? 'ack' : kindOf(type).name.toLowerCase();
}

function detailsOf(frame: Frame, type: number): EventData {
  const { bytes } = frame;
  if (type === FrameType.credit)
    return { sequence: creditSequence(bytes), offer_bps: offerBps(creditExplicitRate(bytes)), ce: isMarked(bytes) };
  if (type === FrameType.data) return dataDetails(frame);
  if (type === FrameType.speculativeData) return { offset: dataOffset(bytes), length: dataPayloadBytes(frame) };
  if (type === FrameType.ack || type === FrameType.windowAck) return { cumulative_offset: ackCumulative(bytes) };
  return {};
}

function dataDetails(frame: Frame): EventData {
  const { bytes } = frame;
  const isReactive = (flags(bytes) & DataFlag.reactive) !== 0;
  const echo = isReactive
    ? { frame_number: dataFrameNumber(bytes) }
    : { credit: dataCreditSequence(bytes), offer_bps: offerBps(dataExplicitRate(bytes)) };
  const isRepair = (flags(bytes) & DataFlag.repair) !== 0;
  return { offset: dataOffset(bytes), length: dataPayloadBytes(frame), ...echo, repair: isRepair, ce: isMarked(bytes) };
}

function isMarked(bytes: Uint8Array): boolean {
  return ecn(bytes) === Ecn.congestionExperienced;
}

/** Null where the credit asks for no rate. */
function offerBps(explicitRate: number): number | null {
  const code = explicitRate >>> HOP_BITS;
  return code === 0 ? null : rateOfCode(code);
}

/** Times of one flow never run back: a credit carries the time at which it was due. */
function say(entry: Entry, atNs: number, name: string, data: EventData): void {
  entry.lastNs = Math.max(entry.lastNs, atNs);
  entry.log?.event(entry.lastNs, name, data);
}

/** Says what has changed since it was looked at last. */
function compare(entry: Entry, flow: TracedFlow, nowNs: number): void {
  const { state } = flow;
  const statistics = flow.statistics as SenderStatistics | ReceiverStatistics;
  const { before } = entry;
  entry.before = statistics;
  if (state !== entry.state) {
    const names = STATE_NAMES[roleOf(flow)];
    say(entry, nowNs, 'state_changed', { old: names[entry.state], new: names[state] });
    entry.state = state;
  }
  if (statistics.rttNs > 0 && statistics.rttNs !== before?.rttNs)
    say(entry, nowNs, 'rtt_updated', { smoothed_rtt: statistics.rttNs / 1e6 });
  if ('bytesWritten' in statistics) compareSender(entry, statistics, before as SenderStatistics | null);
  else compareReceiver(entry, statistics, before as ReceiverStatistics | null);
}

function compareSender(entry: Entry, now: SenderStatistics, before: SenderStatistics | null): void {
  const repaired = now.bytesRepaired - (before?.bytesRepaired ?? 0);
  if (repaired > 0) say(entry, entry.lastNs, 'loss_repaired', { length: repaired });
  const unused = now.creditsUnused - (before?.creditsUnused ?? 0);
  if (unused > 0) say(entry, entry.lastNs, 'credits_unused', { count: unused });
  if (now.windowFrames !== (before?.windowFrames ?? 0))
    say(entry, entry.lastNs, 'window_updated', { window_frames: now.windowFrames });
}

function compareReceiver(entry: Entry, now: ReceiverStatistics, before: ReceiverStatistics | null): void {
  if (now.rateBps !== (before?.rateBps ?? 0)) say(entry, entry.lastNs, 'rate_updated', { rate_bps: now.rateBps });
  const used = now.creditsUsed - (before?.creditsUsed ?? 0);
  const unused = now.creditsUnused - (before?.creditsUnused ?? 0);
  const dropped = now.creditsDropped - (before?.creditsDropped ?? 0);
  if (used > 0 || unused > 0 || dropped > 0) say(entry, entry.lastNs, 'credits_settled', { used, unused, dropped });
  // A late echo turns a dropped credit into a used one.
  if (dropped > 0) say(entry, entry.lastNs, 'loss_detected', { credits: dropped });
}
