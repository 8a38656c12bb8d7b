// Tested by test/core/credit-budget.test.ts
import type { BudgetMember, CreditBudget } from './credit-budget.js';
import { type PeerCredits, ShortestRtt } from './peer-credits.js';

/** One flow's part of the budget. A flow that rests gives it back and takes another later: the budget remembers the RTT of its peer. */
export class BudgetShare {
  private readonly budget: CreditBudget;
  private readonly slot: number;
  private readonly member: BudgetMember;
  private readonly shortestRtt = new ShortestRtt();
  private readonly peersCredits: PeerCredits;
  private outstanding = 0;
  private pipeline = 0;
  private linkShare = 0;
  /** Minimum RTT plus the queue bound; before the first sample, the RTT of its peer's flows. Parts of the budget by weight give equal rates. */
  private weightNs: number;
  /** A credit is due and waits for its turn. */
  isWaiting = false;
  /** Credits that it may still send in its turn. */
  private promised = 0;
  /** No credit has gone out since the flow began, or began again. */
  private isFresh = true;

  constructor(budget: CreditBudget, slot: number, member: BudgetMember) {
    this.budget = budget;
    this.slot = slot;
    this.member = member;
    this.peersCredits = budget.creditsOf(member.peer);
    const { shortestRtt } = this.peersCredits;
    const rttNs = shortestRtt.isBelieved ? shortestRtt.value : 0;
    this.weightNs = Math.max(1, rttNs + budget.longestQueueNs);
  }

  /** The flow's credits begin, or begin again. */
  begin(): void {
    this.budget.join(this.slot, this.member);
  }

  /** A credit that is due would have to wait for its turn. */
  get mustWait(): boolean {
    return this.budget.isShort;
  }

  /** Whether the flow leaves the others their part of the budget, or nobody waits for it. */
  get isGranted(): boolean {
    return this.promised > 0 || this.budget.grants(this.weightNs, this.outstanding);
  }

  /** Whether a credit that is due may go out now; if not, it waits for its turn. */
  allows(): boolean {
    if (this.promised > 0) {
      this.promised--;
      this.budget.useTurn();
      // The room may be less by now. A turn of one credit heeds that; a longer one does not end in the middle.
      if (this.budget.turnCredits > 1) return true;
    }
    this.isWaiting = !this.budget.allows(this.slot, this.isFresh);
    return !this.isWaiting;
  }

  /** The flow goes on: it sends credits when they are due, at the returned time at the earliest, or passes the turn. */
  takeTurn(nowNs: number): number {
    this.promised = this.budget.turnCredits;
    return this.budget.takeTurn(nowNs);
  }

  /** The flow cannot use the rest of its turn, if it has one: others have it. Without that, the last credits might come back while nobody takes his turn. */
  passTurn(): void {
    const { promised } = this;
    if (promised === 0) return;
    this.promised = 0;
    this.budget.passTurn(promised);
  }

  /** The flow's next credit is due at `dueNs`: others do not wait for that. */
  passTurnUntil(dueNs: number, nowNs: number): void {
    if (!this.budget.isSoon(dueNs, nowNs)) this.passTurn();
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

  /** An RTT was sampled while credits go out every `gapNs`, which is `linkShare` of the link's rate. */
  sampleRtt(rttNs: number, nowNs: number, gapNs: number, linkShare: number): void {
    this.shortestRtt.sample(rttNs, nowNs);
    this.setWeight(this.shortestRtt.value + this.budget.longestQueueNs);
    const { peersCredits } = this;
    peersCredits.shortestRtt.sample(rttNs, nowNs);
    const known = this.shortestRtt.isBelieved ? this.shortestRtt : peersCredits.shortestRtt;
    if (known.isBelieved) this.setPipeline(known.value / gapNs, linkShare);
    else if (this.budget.isLong(known.value)) this.setPipeline(known.trusted(known.value / gapNs), linkShare);
    peersCredits.answered(nowNs - rttNs);
    this.budget.findOvertaken(this.member.peer, peersCredits);
  }

  /** The flow sends no more credits. */
  giveBack(): void {
    this.budget.leave(this.slot);
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

  /** `credits` are under way when nothing queues, at a rate of `linkShare` of the link. */
  private setPipeline(credits: number, linkShare: number): void {
    if (credits === this.pipeline && linkShare === this.linkShare) return;
    this.budget.addPipeline(credits - this.pipeline, linkShare - this.linkShare);
    this.pipeline = credits;
    this.linkShare = linkShare;
  }
}
