import { Ring } from '../base/ring.js';
import { MICROSECOND_NS } from '../base/time.js';
import { PeerCredits } from './peer-credits.js';

/** A host that is this far from using its link has no queue to fear; it keeps slow links going whose share would round to nothing (ours). */
const LEAST_CREDITS = 4;

/**
 * A turn is as many credits as the host's link carries in this time, but no more than so many, and one at the least. Where hundreds of flows wait, credits one by one mean that each data frame is of another flow than the one before, whose
 * memory is in no cache: 13 us of our own code a frame instead of 4 (docs/PERF-LOG.md). Below 1.3 Gbit/s, where frames of different flows that arrive together would queue, a turn is one credit of full frames (ours).
 */
const TURN_NS = 20 * MICROSECOND_NS;
const MOST_TURN_CREDITS = 4;
/** So many flows have their turn at a time at the least, which shortens turns where the budget is small (ours). */
const FLOWS_IN_TURN = 16;

/** Of so many turns one goes to the flow that has waited longest, even if new ones wait (ours): flows of a frame each that came as fast as the link carries them would leave the others nothing. */
const OLD_TURN = 4;

/** Peers that are remembered after their flows; the one that was met first is forgotten (ours). */
const MAX_PEERS = 256;

export interface BudgetOptions {
  /** Credits at most, whatever the link: what the socket's buffer holds of data frames. */
  hostCredits: number;
  /** Time that one credit and its data take on the link at first, ns. */
  creditNs: number;
  /** Data that may queue for this host, as the time that it takes on its link; Infinity for no such bound. */
  queueBoundNs: number;
  /** The same as a part of the flows' shortest RTT, where that is longer. */
  queueBoundRtts: number;
  /** Flows that may wait at a time. */
  maxWaiting: number;
  /** A host that is late makes up for so much time, ns. */
  catchUpNs: number;
}

/** The flows that share a budget, as it sees them. */
export interface BudgetFlows {
  /** It is the turn of the flow in `slot`; false when the flow does not want it any more. */
  wake(slot: number): boolean;
  /** The credits of the flow in `slot`, if it is one from `peer`, that went out at `sentNs` or before are lost: data has come for later ones. */
  overtaken(slot: number, peer: number, sentNs: number): void;
}

/**
 * Credits that all flows of a host have outstanding together. Data that comes to a host cannot queue beyond what it asked for, so a bound on the credits is
 * one on the queue before its link, and on what its socket holds. What is under way when nothing queues is allowed besides (docs/decisions/0007-late-processes.md).
 * There is one bound for all flows, since a flow with a higher one would leave the others nothing; those that find it reached wait in turn. The papers have no such bound: there, processes are not late.
 */
export class CreditBudget {
  private readonly options: BudgetOptions;
  private readonly flows: BudgetFlows;
  /** Slots of the flows that wait, in their order: those that want their first credit, which go first as in RFC 8290 (new and old flows), and the others. */
  private readonly fresh: Ring<number>;
  private readonly waiting: Ring<number>;
  /** Turns that new flows had since an old one had. */
  private freshTurns = 0;
  private readonly peers = new Map<number, PeerCredits>();
  private readonly isWaiting: boolean[] = [];
  /** Credits whose data is on its way when nothing queues, summed over the flows: shortest RTT times rate of each. */
  private pipeline = 0;
  /** Sum of the flows' rates in links. Flows that compete want more than one link together. */
  private links = 0;
  private outstandingCredits = 0;
  /** Credits that flows whose turn it is may still send. */
  private promised = 0;
  /** Places that came back, and are kept until they are enough for a turn. */
  private kept = 0;
  private creditNs = 0;
  private creditsOfTurn = 0;
  /** When the next turn is due. */
  private turnNs = 0;
  /** Sum of `BudgetShare.weightNs` of the flows that have credits outstanding. */
  private weightsNs = 0;

  constructor(options: BudgetOptions, flows: BudgetFlows) {
    this.options = options;
    this.flows = flows;
    this.fresh = new Ring<number>(options.maxWaiting);
    this.waiting = new Ring<number>(options.maxWaiting);
    this.setCreditTime(options.creditNs);
  }

  /** Credits of a turn. */
  get turnCredits(): number {
    return this.creditsOfTurn;
  }

  /** A credit and its data take this long on the link from now on, ns. */
  setCreditTime(creditNs: number): void {
    this.creditNs = creditNs;
    this.creditsOfTurn = creditsOfTurn({ ...this.options, creditNs });
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

  /** Tells the flows from `peer` whose credits were overtaken. Paths differ by what may queue for this host, or by a round trip where that is longer. */
  findOvertaken(peer: number, credits: PeerCredits): void {
    const marginNs = Math.max(this.longestQueueNs, credits.shortestRtt.value);
    for (let slot = credits.takeOvertaken(marginNs); slot >= 0; slot = credits.takeOvertaken(marginNs))
      this.flows.overtaken(slot, peer, credits.overtakenNs);
  }

  /** A flow has `change` more credits under way when nothing queues, and its rate is by `links` links higher. */
  addPipeline(change: number, links: number): void {
    this.pipeline += change;
    this.links += links;
  }

  /** Data that queues for this host makes a flow's RTT so much longer at most, ns; 0 where that has no bound. */
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

  /** A flow that has credits outstanding weighs so much more, or less. */
  addWeight(changeNs: number): void {
    this.weightsNs += changeNs;
  }

  /**
   * Whether a flow that weighs `weightNs` and has `outstanding` credits may have one more. While others wait, a flow leaves them what is more than its part: the turns alone would let one whose path has died
   * keep each credit until its life is over and take one more at each turn, until it had them all. Four flows of which one had lost its path stood still for 1.7 s.
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
    return (this.pipeline / Math.max(1, this.links)) * this.creditNs;
  }

  /** A flow takes its turn: returns when it may send the first of its credits. Turns come no faster than credits leave the host, or its NIC would drop what many flows were woken for by data that came together. */
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
    const fitting = (pipelineNs + this.queueNs(pipelineNs)) / this.creditNs;
    return Math.min(this.options.hostCredits, Math.max(LEAST_CREDITS, fitting));
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

  /** So many credits of a turn will not be sent: others may. */
  passTurn(credits: number): void {
    this.promised -= credits;
    this.passOn(credits);
  }

  /** So many places are free: a turn for each that waits, as far as they go. The last ones are not kept, for nothing comes back any more that would make them a whole turn. */
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
      if (this.flows.wake(slot)) return true;
    }
    return false;
  }

  private nextWaiting(): number | undefined {
    if (this.waiting.length > 0 && (this.fresh.length === 0 || ++this.freshTurns >= OLD_TURN)) {
      this.freshTurns = 0;
      return this.waiting.shift();
    }
    return this.fresh.shift();
  }
}

function creditsOfTurn({ hostCredits, creditNs, queueBoundNs }: BudgetOptions): number {
  const most = Math.min(hostCredits, queueBoundNs / creditNs) / FLOWS_IN_TURN;
  return Math.max(1, Math.floor(Math.min(MOST_TURN_CREDITS, most, TURN_NS / creditNs)));
}
