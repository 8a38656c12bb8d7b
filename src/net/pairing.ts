import type { FlowReader } from '../core/flow-callbacks.js';
import type { Receiver } from './receiver.js';

/** Takes a flow that a peer opened as the answer to one of ours, or refuses it with null. */
export type AcceptReply = (reply: Receiver) => FlowReader | null;

/** Knows who waits for flows that answer flows of this host. PROTOCOL §6.1 */
export class Pairing {
  private readonly waiting = new Map<number, AcceptReply>();

  /** From now on flows of `peer` that name our flow `id` as their pair go to `accept`. */
  expect(peer: number, id: number, accept: AcceptReply): void {
    this.waiting.set(keyOf(peer, id), accept);
  }

  /** No answer to our flow `id` is wanted any more. */
  forget(peer: number, id: number): void {
    this.waiting.delete(keyOf(peer, id));
  }

  /** Who reads the answer; null for nobody. */
  take(reply: Receiver): FlowReader | null {
    return this.waiting.get(keyOf(reply.peer, reply.pairedFlowId))?.(reply) ?? null;
  }
}

/** Ids are unique for each peer only. Peers have 16 bits and ids 32, which a number holds exactly. */
function keyOf(peer: number, id: number): number {
  return peer * 2 ** 32 + id;
}
