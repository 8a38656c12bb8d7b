import { assert } from '../base/assert.js';

/** One peer's part: who waits for an answer, and who waits for a place, the longest first. Slots. */
interface PeerRequests {
  readonly unanswered: Set<number>;
  readonly waiting: Set<number>;
}

/**
 * Bounds the CREDIT_REQUESTs under way to a peer; the others wait for an answer. Thousands of flows that start at once would fill the peer's socket, and
 * repetitions would lengthen the queue (measured: 4 requests and 4 CREDIT_STOPs for each of 4,000 flows). A request that gets no answer in its time gives up
 * its place; its repetitions back off and need none. The papers have no such bound: there, a request costs hosts no time.
 */
export class RequestGate {
  /** Requests that had to wait. */
  held = 0;
  private readonly limit: number;
  private readonly send: (slot: number) => void;
  private readonly peers = new Map<number, PeerRequests>();

  /** `limit`: requests under way to each peer. `send` is called with the slot of a flow that had waited and has a place now. */
  constructor(limit: number, send: (slot: number) => void) {
    this.limit = limit;
    this.send = send;
  }

  /** Whether the flow in `slot` may send its request now, and has a place; if not, it waits for one. It must have neither. */
  enter(peer: number, slot: number): boolean {
    const requests = this.peers.get(peer) ?? this.newPeer(peer);
    const hasRoom = requests.unanswered.size < this.limit;
    if (!hasRoom) this.held++;
    const those = hasRoom ? requests.unanswered : requests.waiting;
    assert(!those.has(slot), 'a flow has one request at a time');
    those.add(slot);
    return hasRoom;
  }

  /** The flow in `slot` needs its place no more, or has no wish for one: the next one has it. */
  leave(peer: number, slot: number): void {
    const requests = this.peers.get(peer);
    if (requests === undefined || requests.waiting.delete(slot) || !requests.unanswered.delete(slot)) return;
    const [next] = requests.waiting;
    if (next !== undefined) {
      requests.waiting.delete(next);
      requests.unanswered.add(next);
      this.send(next);
    } else if (requests.unanswered.size === 0) this.peers.delete(peer);
  }

  private newPeer(peer: number): PeerRequests {
    const requests = { unanswered: new Set<number>(), waiting: new Set<number>() };
    this.peers.set(peer, requests);
    return requests;
  }
}
