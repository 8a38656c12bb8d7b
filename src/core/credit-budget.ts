import { Ring } from '../base/ring.js';
import { PeerCredits, ShortestRtt } from './peer-credits.js';

/** A host that is this far from using its link has no queue to fear; it keeps slow links going whose share would round to nothing (ours). */
const LEAST_CREDITS = 4;

/** Of so many turns one goes to the flow that has waited longest, even if new ones wait (ours): flows of a frame each that came as fast as the link carries them would leave the others nothing. */
const OLD_TURN = 4;

/** Peers that are remembered after their flows; the one that was met first is forgotten (ours). */
const MAX_PEERS = 256;

export interface BudgetOptions {
  /** Credits at most, whatever the link: what the socket's buffer holds of data frames. */
  hostCredits: number;
  /** Time that one credit and its data take on the link, ns. */
  creditNs: number;
  /** Data that may queue for this host, as the time that it takes on its link; Infinity for no such bound. */
  queueBoundNs: number;
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
  /** Flows whose turn it is, each with room for a credit. */
  private turns = 0;
  /** When the next turn is due. */
  private turnNs = 0;
  /** Sum of `BudgetShare.weightNs` of the flows that have credits outstanding. */
  private weightsNs = 0;

  constructor(options: BudgetOptions, flows: BudgetFlows) {
    this.options = options;
    this.flows = flows;
    this.fresh = new Ring<number>(options.maxWaiting);
    this.waiting = new Ring<number>(options.maxWaiting);
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
    const [oldest] = this.peers.keys();
    if (this.peers.size >= MAX_PEERS) this.peers.delete(oldest);
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
    const { queueBoundNs } = this.options;
    return Number.isFinite(queueBoundNs) ? queueBoundNs : 0;
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
    return (this.pipeline / Math.max(1, this.links)) * this.options.creditNs;
  }

  /** A flow takes its turn: returns when it may send its credit. Turns come no faster than credits leave the host, or its NIC would drop what many flows were woken for by data that came together. */
  takeTurn(nowNs: number): number {
    const { creditNs, catchUpNs } = this.options;
    this.turns++;
    this.turnNs = Math.max(this.turnNs + creditNs, nowNs - catchUpNs);
    return this.turnNs;
  }

  /** A turn is over, used or not. */
  endTurn(): void {
    this.turns--;
  }

  private hasRoom(): boolean {
    return this.outstandingCredits + this.turns < this.size;
  }

  /** Credits that fit, and a fraction. */
  private get size(): number {
    const { hostCredits, creditNs, queueBoundNs } = this.options;
    return Math.min(hostCredits, Math.max(LEAST_CREDITS, (this.pipelineNs() + queueBoundNs) / creditNs));
  }

  /** A flow has `change` more credits outstanding, fewer when it is negative: as many others get their turn. */
  add(change: number): void {
    this.outstandingCredits += change;
    for (let turns = -change; turns > 0; turns--) this.wakeNext();
  }

  /** A flow whose turn it is wants no credit: the next one has it. Without that, the last credits might come back while nobody takes his turn. */
  wakeNext(): void {
    for (let slot = this.nextWaiting(); slot !== undefined; slot = this.nextWaiting()) {
      this.isWaiting[slot] = false;
      if (this.flows.wake(slot)) return;
    }
  }

  private nextWaiting(): number | undefined {
    if (this.waiting.length > 0 && (this.fresh.length === 0 || ++this.freshTurns >= OLD_TURN)) {
      this.freshTurns = 0;
      return this.waiting.shift();
    }
    return this.fresh.shift();
  }
}

/** One flow's part of the budget. A flow that rests has given it back, and takes another when its credits begin again: what is worth remembering, the RTT of its peer, the budget remembers. */
export class BudgetShare {
  private readonly budget: CreditBudget;
  private readonly slot: number;
  private readonly peer: number;
  private readonly shortestRtt = new ShortestRtt();
  private readonly peersCredits: PeerCredits;
  private outstanding = 0;
  private pipeline = 0;
  private links = 0;
  /** Its RTT at most, but for its own path's queues, and that of other flows from its peer before it has one: with parts of the budget that are as these, flows have equal rates. */
  private weightNs: number;
  /** A credit is due and waits for its turn. */
  isWaiting = false;
  /** The turn has come, and no credit has been sent since. */
  private hasTurn = false;
  /** No credit has gone out since the flow began, or began again. */
  private isFresh = true;

  constructor(budget: CreditBudget, slot: number, peer: number) {
    this.budget = budget;
    this.slot = slot;
    this.peer = peer;
    this.peersCredits = budget.creditsOf(peer);
    const { shortestRtt } = this.peersCredits;
    const rttNs = shortestRtt.isBelieved ? shortestRtt.value : 0;
    this.weightNs = Math.max(1, rttNs + budget.longestQueueNs);
  }

  /** A credit that is due would have to wait for its turn. */
  get mustWait(): boolean {
    return this.budget.isShort;
  }

  /** Whether the flow leaves the others their part of the budget, or nobody waits for it. */
  get isGranted(): boolean {
    return this.budget.grants(this.weightNs, this.outstanding);
  }

  /** Whether a credit that is due may go out now; if not, it waits for its turn. */
  allows(): boolean {
    this.endTurn();
    this.isWaiting = !this.budget.allows(this.slot, this.isFresh);
    return !this.isWaiting;
  }

  /** The flow goes on: it sends a credit when one is due, at the returned time at the earliest, or passes the turn. */
  takeTurn(nowNs: number): number {
    this.hasTurn = true;
    return this.budget.takeTurn(nowNs);
  }

  /** The flow cannot use its turn, if it has one. */
  passTurn(): void {
    if (this.endTurn()) this.budget.wakeNext();
  }

  private endTurn(): boolean {
    const { hasTurn } = this;
    if (hasTurn) this.budget.endTurn();
    this.hasTurn = false;
    return hasTurn;
  }

  /** A credit goes out. */
  noteSent(nowNs: number): void {
    this.isFresh = false;
    this.peersCredits.sent(this.slot, nowNs);
  }

  /** So many of its credits may still bring data. */
  setOutstanding(credits: number): void {
    const change = credits - this.outstanding;
    if (change === 0) return;
    if (credits === 0) this.budget.addWeight(-this.weightNs);
    else if (this.outstanding === 0) this.budget.addWeight(this.weightNs);
    this.outstanding = credits;
    this.budget.add(change);
  }

  /** An RTT was sampled while credits go out every `gapNs`, which makes so much of a link. */
  sampleRtt(rttNs: number, nowNs: number, gapNs: number, links: number): void {
    this.shortestRtt.sample(rttNs, nowNs);
    this.setWeight(this.shortestRtt.value + this.budget.longestQueueNs);
    const { peersCredits } = this;
    peersCredits.shortestRtt.sample(rttNs, nowNs);
    const known = this.shortestRtt.isBelieved ? this.shortestRtt : peersCredits.shortestRtt;
    if (known.isBelieved) this.setPipeline(known.value / gapNs, links);
    peersCredits.answered(nowNs - rttNs);
    this.budget.findOvertaken(this.peer, peersCredits);
  }

  /** The flow sends no more credits. */
  giveBack(): void {
    this.isWaiting = false;
    this.isFresh = true;
    this.setPipeline(0, 0);
    this.setOutstanding(0);
    this.passTurn();
  }

  private setWeight(weightNs: number): void {
    if (weightNs === this.weightNs) return;
    if (this.outstanding > 0) this.budget.addWeight(weightNs - this.weightNs);
    this.weightNs = weightNs;
  }

  /** `credits` are under way when nothing queues, at a rate of so many links. */
  private setPipeline(credits: number, links: number): void {
    if (credits === this.pipeline && links === this.links) return;
    this.budget.addPipeline(credits - this.pipeline, links - this.links);
    this.pipeline = credits;
    this.links = links;
  }
}
