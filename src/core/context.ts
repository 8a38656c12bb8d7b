import type { Crc32 } from '../base/crc32.js';
import type { Random } from '../base/random.js';
import type { Frame, FramePool } from '../wire/frame.js';
import type { EndpointConfig } from './config.js';
import type { EndpointCounters } from './counters.js';
import type { CreditBudget } from './credit-budget.js';
import type { Disorder } from './disorder.js';
import type { FlowRecords } from './flow-record.js';
import type { FlowTrace } from './flow-trace.js';
import type { FrameFiller } from './frame-filler.js';
import type { HeldMemory } from './held-memory.js';
import type { PeerPaths } from './path/spraying.js';
import type { PathMtus } from './path-mtus.js';
import type { RequestGate } from './request-gate.js';
import type { Speculation } from './speculation.js';

/** What a flow uses of its endpoint, and nothing else. */
export interface FlowContext {
  readonly config: EndpointConfig;
  readonly random: Random;
  readonly check: Crc32 | null;
  readonly pool: FramePool;
  readonly counters: EndpointCounters;
  /** Of all data that comes to the endpoint. */
  readonly disorder: Disorder;
  /** Of all flows that receive. */
  readonly held: HeldMemory;
  /** Where flows keep the numbers that every packet changes. */
  readonly records: FlowRecords;
  /** Puts an encoded frame in the output, behind every credit that was due before. */
  emit(frame: Frame, nowNs: number): void;
  /** Puts a frame in the output that was due at `dueNs`: a credit, or speculative data. */
  emitDue(frame: Frame, dueNs: number): void;
  /** Wants `onTimer` of the flow in `slot` at `deadlineNs` or earlier; a later deadline than one asked for before may be ignored. */
  arm(slot: number, deadlineNs: number): void;
  /** The next credit of the flow in `slot` is due at `dueNs`; NEVER for none. */
  schedule(slot: number, dueNs: number): void;
  /** What all receiving flows together may have outstanding. */
  readonly budget: CreditBudget;
  /** What is known of the paths to each peer. */
  readonly peerPaths: PeerPaths;
  /** What the paths to peers carry; null where every frame is taken to pass. */
  readonly mtus: PathMtus | null;
  /** What sending flows have asked of each peer. */
  readonly requests: RequestGate;
  /** What sending flows may send without credits; null where they may not. */
  readonly speculation: Speculation | null;
  /** Fills the frames that credits release; null where they have bytes of one flow alone. */
  readonly filler: FrameFiller | null;
  /** Hears what happens to flows; null where nobody does. */
  readonly trace: FlowTrace | null;
  /** The flow in `slot` lingers from now on. */
  lingers(slot: number): void;
  /** The flow in `slot` is closed and can be forgotten. */
  forget(slot: number): void;
}

/** Sends at the times that were asked for with `schedule`: a flow, or a part of it. */
export interface DueSource {
  /** Sends what was due by `nowNs`; returns when the next is due, NEVER for not now. */
  sendDue(nowNs: number): number;
}

/** A flow as its endpoint sees it. */
export interface TimedFlow {
  readonly slot: number;
  readonly peer: number;
  readonly id: number;
  /** A deadline asked for with `arm` has come; returns the next deadline, after `nowNs`; NEVER for none. */
  onTimer(nowNs: number): number;
}
