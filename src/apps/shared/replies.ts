import type { Application, FlowReader } from '../../core/application.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import type { SenderFlow } from '../../core/sender-flow.js';

interface Expectation {
  readonly peer: number;
  accept(reply: ReceiverFlow): FlowReader | null;
}

/** The application of a program that opens flows itself: takes the flows that answer those, one each, and refuses all others. PROTOCOL §6.1 */
export class Replies implements Application {
  private readonly expectations = new Map<number, Expectation>();

  /** `accept` is asked for the reader when the peer of `flow` opens a flow that names `flow` as its pair. */
  expect(flow: SenderFlow, accept: (reply: ReceiverFlow) => FlowReader | null): void {
    this.expectations.set(flow.id, { peer: flow.peer, accept });
  }

  /** No reply to `flow` is wanted any more. */
  forget(flow: SenderFlow): void {
    this.expectations.delete(flow.id);
  }

  acceptFlow(reply: ReceiverFlow): FlowReader | null {
    const expectation = this.expectations.get(reply.pairedFlowId);
    if (expectation === undefined || expectation.peer !== reply.peer) return null;
    this.expectations.delete(reply.pairedFlowId);
    return expectation.accept(reply);
  }
}
