// Tested by test/core/scenarios/limits.test.ts
import type { FlowReader } from './flow-callbacks.js';
import type { ReceiverFlow } from './receiver-flow.js';

export type { FlowObserver, FlowReader, FlowWriter } from './flow-callbacks.js';

/**
 * The side of a program that an endpoint talks to. All calls come from inside the endpoint's own verbs and may call any verb of the flow in question;
 * none may throw.
 */
export interface Application {
  /** A peer opens a flow: the reader that takes it, or null to refuse it with RESET REFUSED. */
  acceptFlow(flow: ReceiverFlow): FlowReader | null;
}

/** Takes flows from nobody: for a program that only sends. */
export const REFUSE_ALL: Application = { acceptFlow: () => null };
