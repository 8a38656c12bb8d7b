import { Spraying, type SprayOptions } from './spraying.js';

/** Peers whose paths are remembered (ours: about a KiB each). The one whose flows began longest ago is forgotten for one more. */
export const MAX_PEERS = 1024;

/** What the host's flows to and from one peer know of the paths. */
class PeerPath {
  /** Of the latest credit with a path id that came from the peer; 0: none came. */
  latestId = 0;
  spraying: Spraying | null = null;
}

/**
 * What a host knows of its paths to each peer. All flows with the peer share it, and it is kept after they end: a flow of a few frames has no time to learn it.
 * Bounded; flows of a peer that was forgotten go on with what they know.
 */
export class PeerPaths {
  private readonly counters: { pathEvictions: number };
  /** By peer, the one whose flows began longest ago first. */
  private readonly peers = new Map<number, PeerPath>();

  constructor(counters: { pathEvictions: number }) {
    this.counters = counters;
  }

  /** What the credits to `peer` are spread by, for a flow that begins. Other options than those of the flow before begin anew. */
  spraying(peer: number, options: SprayOptions, nowNs: number): Spraying {
    const known = this.of(peer);
    if (known.spraying?.isFor(options)) known.spraying.forgetOld(nowNs);
    else known.spraying = new Spraying(options, nowNs);
    return known.spraying;
  }

  /** The path id of the latest credit from `peer`: by it the first frames of a new flow go. 0 where none is known. */
  latestId(peer: number): number {
    return this.peers.get(peer)?.latestId ?? 0;
  }

  /** Where a flow notes that id; for reading and writing. */
  of(peer: number): { latestId: number; spraying: Spraying | null } {
    const known = this.peers.get(peer) ?? new PeerPath();
    this.peers.delete(peer);
    this.peers.set(peer, known);
    if (this.peers.size > MAX_PEERS) {
      const [oldest] = this.peers.keys();
      this.peers.delete(oldest);
      this.counters.pathEvictions++;
    }
    return known;
  }
}
