import { Ring } from '../base/ring.js';

/** A host that is this far from using its link has no queue to fear; it keeps slow links going whose share would round to nothing (ours). */
const LEAST_CREDITS = 4;

export interface BudgetOptions {
  /** Credits at most, whatever the link: what the socket's buffer holds of data frames. */
  hostCredits: number;
  /** Time that one credit and its data take on the link, ns. */
  creditNs: number;
  /** Data that may queue for this host, as the time that it takes on its link; Infinity for no such bound. */
  queueBoundNs: number;
  maxFlows: number;
}

/**
 * Credits that all flows of a host have outstanding together. Data that comes to a host cannot queue beyond what it asked for, so a bound on the credits is
 * one on the queue before its link, and on what its socket holds. What is under way when nothing queues is allowed besides (docs/decisions/0007-late-processes.md).
 * There is one bound for all flows, since a flow with a higher one would leave the others nothing; those that find it reached wait in turn. The papers have no such bound: there, processes are not late.
 */
export class CreditBudget {
  private readonly options: BudgetOptions;
  private readonly wake: (slot: number) => void;
  private readonly waiting: Ring<number>;
  private readonly isWaiting: boolean[] = [];
  /** Credits whose data is on its way when nothing queues, summed over the flows: shortest RTT times rate of each. */
  private pipeline = 0;
  /** Sum of the flows' rates in links. Flows that compete want more than one link together. */
  private links = 0;
  private outstandingCredits = 0;

  /** `wake` is called with the slot of a flow that may try again. */
  constructor(options: BudgetOptions, wake: (slot: number) => void) {
    this.options = options;
    this.wake = wake;
    this.waiting = new Ring<number>(options.maxFlows);
  }

  get outstanding(): number {
    return this.outstandingCredits;
  }

  /** A flow has `change` more credits under way when nothing queues, and its rate is by `links` links higher. */
  addPipeline(change: number, links: number): void {
    this.pipeline += change;
    this.links += links;
  }

  /** Whether the flow in `slot` may send a credit; if not, it waits. */
  allows(slot: number): boolean {
    if (this.hasRoom()) return true;
    if (this.isWaiting[slot] !== true && this.waiting.push(slot)) this.isWaiting[slot] = true;
    return false;
  }

  /** The flows' mean shortest RTT, weighed by their rates, as far as they fill the link. */
  private pipelineNs(): number {
    return (this.pipeline / Math.max(1, this.links)) * this.options.creditNs;
  }

  private hasRoom(): boolean {
    const { hostCredits, creditNs, queueBoundNs } = this.options;
    const { outstandingCredits } = this;
    if (outstandingCredits >= hostCredits) return false;
    return outstandingCredits < LEAST_CREDITS || outstandingCredits * creditNs < this.pipelineNs() + queueBoundNs;
  }

  /** A flow has `change` more credits outstanding, fewer when it is negative. */
  add(change: number): void {
    this.outstandingCredits += change;
    for (let count = change; count < 0; count++) {
      const slot = this.waiting.shift();
      if (slot === undefined) return;
      this.isWaiting[slot] = false;
      this.wake(slot);
    }
  }
}

/** One flow's part of the budget. */
export class BudgetShare {
  private readonly budget: CreditBudget;
  private outstanding = 0;
  private pipeline = 0;
  private links = 0;

  constructor(budget: CreditBudget) {
    this.budget = budget;
  }

  setOutstanding(credits: number): void {
    const change = credits - this.outstanding;
    if (change === 0) return;
    this.outstanding = credits;
    this.budget.add(change);
  }

  /** `credits` are under way when nothing queues, at a rate of so many links. */
  setPipeline(credits: number, links: number): void {
    if (credits === this.pipeline && links === this.links) return;
    this.budget.addPipeline(credits - this.pipeline, links - this.links);
    this.pipeline = credits;
    this.links = links;
  }

  giveBack(): void {
    this.setPipeline(0, 0);
    this.setOutstanding(0);
  }
}
