// Tested by test/core/scenarios/limits.test.ts
import type { FlowReader } from './flow-callbacks.js';
import type { ReceiverFlow } from './receiver-flow.js';

export type { FlowObserver, FlowReader, FlowWriter } from './flow-callbacks.js';

/** A credit algorithm by its name in the registry of core/credit, and what differs from its defaults. */
export interface CreditChoice {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number>>;
}

/**
 * The side of a program that an endpoint talks to. All calls come from inside the endpoint's own verbs and may call any verb of the flow in question;
 * none may throw.
 */
export interface Application {
  /**
   * The credit algorithm for a flow that a peer opens as the answer to `pairedFlowId` (PROTOCOL §6.1); null or absent for the endpoint's own.
   * Its name and parameters are valid.
   */
  creditChoice?(peer: number, pairedFlowId: number): CreditChoice | null;
  /** A peer opens a flow: the reader that takes it, or null to refuse it with RESET REFUSED. */
  acceptFlow(flow: ReceiverFlow): FlowReader | null;
}

/** Takes flows from nobody: for a program that only sends. */
export const REFUSE_ALL: Application = { acceptFlow: () => null };
