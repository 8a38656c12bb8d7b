// Tested by test/core/endpoint.test.ts and test/sim/late-host.test.ts
import type { BudgetFlows } from './credit-budget.js';
import { HotHost } from './flow-record.js';
import { ReceiverFlow } from './receiver-flow.js';

/** The flows of an endpoint, as its budget of credits sees them. A flow may have closed since it asked for its turn, and its slot have gone to another. */
export class WaitingFlows implements BudgetFlows {
  private readonly flows: readonly (object | null)[];
  private readonly numbers: Float64Array;
  private readonly at: number;

  /** `flows` by their slots; the endpoint's record begins at `numbers[at]`. */
  constructor(flows: readonly (object | null)[], numbers: Float64Array, at: number) {
    this.flows = flows;
    this.numbers = numbers;
    this.at = at;
  }

  wake(slot: number): boolean {
    const flow = this.flows[slot];
    return flow instanceof ReceiverFlow && flow.resumeCredits(this.nowNs);
  }

  overtaken(slot: number, peer: number, sentNs: number): void {
    const flow = this.flows[slot];
    if (flow instanceof ReceiverFlow && flow.peer === peer) flow.creditsOvertaken(sentNs, this.nowNs);
  }

  private get nowNs(): number {
    return this.numbers[this.at + HotHost.clockNs];
  }
}
