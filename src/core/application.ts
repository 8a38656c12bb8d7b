// Tested by test/core/scenarios/limits.test.ts
import type { FlowReader } from './flow-callbacks.js';
import type { ReceiverFlow } from './receiver-flow.js';

/** A credit algorithm by its name in the registry of core/credit, and what differs from its defaults. */
export interface CreditChoice {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
}

/** What an endpoint asks of a program. Calls come from inside the endpoint's verbs, may call any verb of the flow, and must not throw. */
export interface Application {
  /** Algorithm of a flow that a peer opens as the answer to `pairedFlowId` (PROTOCOL §6.1), valid; null or absent for the endpoint's own. */
  creditChoice?(peer: number, pairedFlowId: number): CreditChoice | null;
  /** A peer opens a flow: the reader that takes it, or null to refuse it with RESET REFUSED. */
  acceptFlow(flow: ReceiverFlow): FlowReader | null;
}

/** Takes flows from nobody: for a program that only sends. */
export const REFUSE_ALL: Application = { acceptFlow: () => null };
