import type { NumberRecord } from '../base/record-arena.js';
import { Ring } from '../base/ring.js';
import { MICROSECOND_NS } from '../base/time.js';
import { EndpointPlace } from './flow-record.js';
import { PeerCredits } from './peer-credits.js';

/** Below this many credits a host has no queue to fear. Ours: keeps slow links going, whose share would round to nothing. */
const LEAST_CREDITS = 4;

/**
 * Length of a turn, 1 to 4 credits. With hundreds of flows, turns of one credit cost 13 us a frame instead of 4: each frame finds another flow's memory in no
 * cache (docs/PERF-LOG.md). Below 1.3 Gbit/s, where frames of different flows would queue, a turn is one credit. Ours.
 */
const TURN_NS = 20 * MICROSECOND_NS;
const MOST_TURN_CREDITS = 4;
/** Flows that have their turn at a time, at least: shortens turns where the budget is small. Ours. */
const FLOWS_IN_TURN = 16;

/** One turn in four goes to the flow that has waited longest. Ours: otherwise a stream of new flows of one frame each starves the others. */
const OLD_TURN = 4;

/** Peers that are remembered after their flows; the one met first is forgotten. Ours. */
const MAX_PEERS = 256;

/** A host's link; `HostLink` is one. */
export interface BudgetLink {
  /** Time that one credit and its data take, ns. */
  readonly creditNs: number;
  /** It is known what the link carries: it is not unlimited. */
  readonly hasRate: boolean;
}

export interface BudgetOptions {
  /** Credits at most besides those that are under way when nothing queues: what the socket's buffer holds of data frames. */
  hostCredits: number;
  /** At first. */
  link: BudgetLink;
  /** Data that may queue for this host, as the time that it takes on its link; Infinity for no such bound. */
  queueBoundNs: number;
  /** The same as a part of the flows' shortest RTT, where that is longer. */
  queueBoundRtts: number;
  /** Flows that may wait at a time. */
  maxWaiting: number;
  /** Time that a late host makes up for, ns. */
  catchUpNs: number;
}

/** A flow that sends credits from the budget. */
export interface BudgetMember {
  readonly peer: number;
  /** It is the flow's turn; false when it does not want it any more. */
  resume(nowNs: number): boolean;
  /** Its credits that went out at `sentNs` or before are lost: data has come for later ones. */
  overtaken(sentNs: number, nowNs: number): void;
}

/**
 * Bounds the credits that all flows of a host have outstanding together: data cannot queue beyond what the host asked for, so this bounds the queue before
 * its link and in its socket. Credits under way when nothing queues are allowed besides (docs/decisions/0007-late-processes.md). One bound serves all
 * flows, and those that find it reached wait in turn. The papers have no such bound: there, processes are never late.
 */
export class CreditBudget {
  private readonly options: BudgetOptions;
  /** The record of the endpoint, for its clock. */
  private readonly numbers: Float64Array;
  private readonly at: number;
  /** By slot; a slot may have gone to another flow since its first one asked for its turn. */
  private readonly members: (BudgetMember | null)[] = [];
  /** Slots of the flows that wait, in their order: those that want their first credit, which go first as in RFC 8290 (new and old flows), and the others. */
  private readonly fresh: Ring<number>;
  private readonly waiting: Ring<number>;
  /** Turns that new flows had since an old one had. */
  private freshTurns = 0;
  private readonly peers = new Map<number, PeerCredits>();
  private readonly isWaiting: boolean[] = [];
  /** Credits whose data is on its way when nothing queues, summed over the flows: shortest RTT times rate of each. */
  private pipeline = 0;
  /** Sum of the flows' rates, as a share of the link. Flows that compete want more than 1 together. */
  private linkShare = 0;
  private outstandingCredits = 0;
  /** Credits that flows whose turn it is may still send. */
  private promised = 0;
  /** Places that came back, and are kept until they are enough for a turn. */
  private kept = 0;
  private creditNs = 0;
  private hasRate = false;
  private creditsOfTurn = 0;
  /** When the next turn is due. */
  private turnNs = 0;
  /** Sum of `BudgetShare.weightNs` of the flows that have credits outstanding. */
  private weightsNs = 0;

  constructor(options: BudgetOptions, { numbers, at }: NumberRecord) {
    this.options = options;
    this.numbers = numbers;
    this.at = at;
    this.fresh = new Ring<number>(options.maxWaiting);
    this.waiting = new Ring<number>(options.maxWaiting);
    this.setLink(options.link);
  }

  /** Credits of a turn. */
  get turnCredits(): number {
    return this.creditsOfTurn;
  }

  /** The link is another from now on. */
  setLink({ creditNs, hasRate }: BudgetLink): void {
    this.creditNs = creditNs;
    this.hasRate = hasRate;
    this.creditsOfTurn = creditsOfTurn(this.options, creditNs);
  }

  /** Whether it can ever hold a credit back. Where it cannot, flows do not report to it, and its `outstanding` stays 0. */
  get isBounded(): boolean {
    return (
      this.options.hostCredits !== Number.POSITIVE_INFINITY || this.options.queueBoundNs !== Number.POSITIVE_INFINITY
    );
  }

  get outstanding(): number {
    return this.outstandingCredits;
  }

  /** The flow in `slot` sends credits from now on. */
  join(slot: number, member: BudgetMember): void {
    this.members[slot] = member;
  }

  /** It sends none for now. */
  leave(slot: number): void {
    this.members[slot] = null;
  }

  /** What all flows from `peer` tell: short ones end before they know their own RTT. */
  creditsOf(peer: number): PeerCredits {
    const known = this.peers.get(peer);
    if (known !== undefined) return known;
    if (this.peers.size === MAX_PEERS) {
      const [oldest] = this.peers.keys();
      this.peers.delete(oldest);
    }
    const credits = new PeerCredits();
    this.peers.set(peer, credits);
    return credits;
  }

  /** Tells the flows from `peer` whose credits were overtaken. Paths differ by the queue bound, or by an RTT where that is longer. */
  findOvertaken(peer: number, credits: PeerCredits): void {
    const marginNs = Math.max(this.longestQueueNs, credits.shortestRtt.value);
    for (let slot = credits.takeOvertaken(marginNs); slot >= 0; slot = credits.takeOvertaken(marginNs)) {
      const member = this.members[slot];
      if (member?.peer === peer) member.overtaken(credits.overtakenNs, this.nowNs);
    }
  }

  /** A flow has `credits` more under way when nothing queues, and its rate is higher by `linkShare` of the link; negative for fewer. */
  addPipeline(credits: number, linkShare: number): void {
    this.pipeline += credits;
    this.linkShare += linkShare;
  }

  /** Queue bound: by how much data that queues for this host lengthens an RTT at most, ns; 0 without a bound. */
  get longestQueueNs(): number {
    const boundNs = this.queueNs(this.pipelineNs());
    return Number.isFinite(boundNs) ? boundNs : 0;
  }

  /** Whether this RTT, and not `queueBoundNs`, says what may queue. */
  isLong(rttNs: number): boolean {
    return this.options.queueBoundRtts * rttNs > this.options.queueBoundNs;
  }

  /** What may queue on paths of this RTT. */
  private queueNs(rttNs: number): number {
    return Math.max(this.options.queueBoundNs, this.options.queueBoundRtts * rttNs);
  }

  /** Adds to the weight of the flows that have credits outstanding. */
  addWeight(changeNs: number): void {
    this.weightsNs += changeNs;
  }

  /**
   * Whether a flow of this weight and with `outstanding` credits may have one more. While others wait, a flow takes no more than its part. By turns alone, a
   * flow whose path has died would collect all credits: four flows, one without a path, stood still for 1.7 s.
   */
  grants(weightNs: number, outstanding: number): boolean {
    if (outstanding === 0 || !this.isAwaited) return true;
    return outstanding * this.weightsNs < this.size * weightNs;
  }

  /** Flows wait, or the next one would have to. */
  get isShort(): boolean {
    return this.isAwaited || !this.hasRoom();
  }

  /** Whether the flow in `slot` may send a credit; if not, it waits. `isFresh`: it is the first since the flow began, or began again. */
  allows(slot: number, isFresh = false): boolean {
    if (this.hasRoom()) return true;
    if (this.isWaiting[slot] !== true && (isFresh ? this.fresh : this.waiting).push(slot)) this.isWaiting[slot] = true;
    return false;
  }

  private get isAwaited(): boolean {
    return this.waiting.length > 0 || this.fresh.length > 0;
  }

  /** The flows' mean shortest RTT, weighed by their rates, as far as they fill the link. */
  private pipelineNs(): number {
    return (this.pipeline / Math.max(1, this.linkShare)) * this.creditNs;
  }

  /** A flow takes its turn: returns when its first credit may go. Turns come no faster than credits leave the host, or the NIC would drop them. */
  takeTurn(nowNs: number): number {
    const { creditNs } = this;
    const { catchUpNs } = this.options;
    const startNs = Math.max(this.turnNs + creditNs, nowNs - catchUpNs);
    this.promised += this.turnCredits;
    this.turnNs = startNs + (this.turnCredits - 1) * creditNs;
    return startNs;
  }

  /** A credit of a turn goes out, or looks again whether there is room. */
  useTurn(): void {
    this.promised--;
  }

  private hasRoom(): boolean {
    return this.outstandingCredits + this.promised + this.kept < this.size;
  }

  /** Credits that fit, and a fraction. */
  private get size(): number {
    const pipelineNs = this.pipelineNs();
    const pipeline = pipelineNs / this.creditNs;
    const fitting = pipeline + this.queueNs(pipelineNs) / this.creditNs;
    // What is under way when nothing queues is in no buffer. Where nobody says what the link carries, nobody knows how much that is.
    const elsewhere = this.hasRate ? pipeline : 0;
    return Math.min(elsewhere + this.options.hostCredits, Math.max(LEAST_CREDITS, fitting));
  }

  /** A flow has `change` more credits outstanding, fewer when it is negative: others get their turn. */
  add(change: number): void {
    this.outstandingCredits += change;
    if (change < 0) this.passOn(-change);
  }

  /** A credit that is due at `dueNs` is no reason to end a turn: a whole one may take as long. */
  isSoon(dueNs: number, nowNs: number): boolean {
    return dueNs <= nowNs + TURN_NS;
  }

  /** Passes unused credits of a turn on to others. */
  passTurn(credits: number): void {
    this.promised -= credits;
    this.passOn(credits);
  }

  /** `places` credits may go: gives a turn to each flow that waits, as far as they reach. A rest is not kept when nothing more can come back. */
  private passOn(places: number): void {
    this.kept = this.isAwaited ? this.kept + places : 0;
    while (this.kept >= this.turnCredits || (this.kept > 0 && this.outstandingCredits + this.promised === 0)) {
      this.kept = Math.max(0, this.kept - this.turnCredits);
      if (!this.wakeNext()) this.kept = 0;
    }
  }

  /** False where nobody waits. */
  private wakeNext(): boolean {
    for (let slot = this.nextWaiting(); slot !== undefined; slot = this.nextWaiting()) {
      this.isWaiting[slot] = false;
      if (this.members[slot]?.resume(this.nowNs)) return true;
    }
    return false;
  }

  private get nowNs(): number {
    return this.numbers[this.at + EndpointPlace.clockNs];
  }

  private nextWaiting(): number | undefined {
    if (this.waiting.length > 0 && (this.fresh.length === 0 || ++this.freshTurns >= OLD_TURN)) {
      this.freshTurns = 0;
      return this.waiting.shift();
    }
    return this.fresh.shift();
  }
}

function creditsOfTurn({ hostCredits, queueBoundNs }: BudgetOptions, creditNs: number): number {
  const most = Math.min(hostCredits, queueBoundNs / creditNs) / FLOWS_IN_TURN;
  return Math.max(1, Math.floor(Math.min(MOST_TURN_CREDITS, most, TURN_NS / creditNs)));
}
