import { DeadlineHeap } from '../base/deadline-heap.js';
import { counter, initialValues, type Values } from '../base/metric.js';
import { checkFrame, destinationHost, flowId } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { PathChallenge, PathMoved, PathResponse } from '../wire/frames.js';
import { NO_HOST, SEALED_EXTRA_BYTES } from '../wire/layout.js';
import { BITS_BYTES, lowerHalf, randomBits } from '../wire/proofs.js';
import type { Acquaintance, Agreement } from './acquaintance.js';
import type { HandshakeOptions, Handshakes } from './handshakes.js';
import { Move, Validation } from './path-validation.js';
import { RateLimit } from './rate-limit.js';

/** PROTOCOL §7.8 */
export const PATH_METRICS = {
  claims: counter('frames', 'PATH_MOVEDs that prove an association'),
  challenges: counter('frames', 'Challenges sent to addresses that a peer may have moved to'),
  moves: counter('events', 'Peers that have moved to another address'),
  ownMoves: counter('events', 'Peers that this host told of a move of its own'),
  forged: counter('frames', 'Dropped: PATH frames made by nobody of the association, or seen before'),
  unasked: counter('frames', 'Dropped: PATH frames that nobody waited for'),
  suppressed: counter('frames', 'Dropped: PATH_MOVEDs above their rate limit'),
};

/** Counts of the addresses of one host's peers since it was made. docs/METRICS.md, "Paths", has the meaning of each. */
export type PathCounters = Values<typeof PATH_METRICS>;

/** PATH_MOVEDs a second whose proofs are looked at, of all peers together: 2 us each (ours). */
const CLAIMS_PER_SECOND = 1_000;
/** A hint that comes so soon after another begins no move (ours): frames of the old path are under way for about this long. */
const HINT_NS = 100e6;

/** Who keeps the addresses of peers. */
export interface PeerMover {
  /** Peer `peer` is reached at the address of peer `to` from now on. */
  move(peer: number, to: number): void;
}

export interface PathEvents {
  /** Null where peers do not move: behind a switch, and on a socket that is connected to the only one. */
  readonly peers: PeerMover | null;
  /** PATH_MOVED names an association that this host does not have. */
  onUnknown(frame: Frame): void;
}

/** What is known of the addresses of one peer. */
class PeerPath {
  /** Of the association in force: what the peer names it by, and what this host does. */
  readonly ownId: number;
  readonly peerId: number;
  readonly isInitiator: boolean;
  readonly validation = new Validation();
  move: Move | null = null;

  constructor({ ci, cr, isInitiator }: Agreement) {
    this.isInitiator = isInitiator;
    this.ownId = lowerHalf(isInitiator ? ci : cr);
    this.peerId = lowerHalf(isInitiator ? cr : ci);
  }
}

/**
 * Peers in direct mode that change their addresses (PROTOCOL §7.8). Who hears that its association is not known says PATH_MOVED, which names the association
 * and proves it; the answer challenges the new address; the peer's number stands for that address once the challenge comes back. A flood of unknown
 * addresses costs one look-up a frame: nothing is computed for a name that no association has.
 */
export class Paths {
  readonly counters: PathCounters = initialValues(PATH_METRICS);
  private readonly options: HandshakeOptions;
  private readonly handshakes: Handshakes;
  private readonly events: PathEvents;
  private readonly paths = new Map<Acquaintance, PeerPath>();
  private readonly byId = new Map<number, Acquaintance>();
  /** By slot: whose deadline it is. */
  private readonly moving: (Acquaintance | undefined)[] = [];
  private readonly deadlines = new DeadlineHeap();
  private readonly claims = new RateLimit(CLAIMS_PER_SECOND);
  private nowNs = 0;

  constructor(options: HandshakeOptions, handshakes: Handshakes, events: PathEvents) {
    this.options = options;
    this.handshakes = handshakes;
    this.events = events;
  }

  /** An association with `who` is in force. */
  agreed(who: Acquaintance): void {
    if (this.options.hostId !== NO_HOST || who.agreed === null) return;
    this.forget(who);
    const path = new PeerPath(who.agreed);
    this.paths.set(who, path);
    this.byId.set(path.ownId, who);
  }

  /** Nothing is known of `who` any more. */
  forget(who: Acquaintance): void {
    const path = this.paths.get(who);
    if (path === undefined) return;
    this.stop(who, path);
    this.paths.delete(who);
    // 32 bits may be those of two associations: the later one keeps them.
    if (this.byId.get(path.ownId) === who) this.byId.delete(path.ownId);
  }

  /** How the peer names its association with this host; null where it has none in direct mode. */
  idOf(who: Acquaintance): number | null {
    return this.paths.get(who)?.ownId ?? null;
  }

  /** The peer has said NO_ASSOCIATION; `bits` are 0 where it may only not know the address. True where a move is tried, or under way. */
  hinted(who: Acquaintance, bits: number, nowNs: number): boolean {
    this.nowNs = nowNs;
    const path = this.paths.get(who);
    if (path === undefined || who.agreed === null || who.hailing !== null) return false;
    if (bits !== 0) {
      // In answer to PATH_MOVED: the association itself is gone.
      if (path.move === null || bits !== path.peerId) return true;
      // A NAT may have given the peer's address to the host that says so: the peer has the time of the move to tell where it is.
      if (!path.isInitiator) return true;
      this.stop(who, path);
      who.hintedNs = Number.NEGATIVE_INFINITY;
      return false;
    }
    if (path.move !== null || nowNs < who.hintedNs + HINT_NS) return true;
    who.hintedNs = nowNs;
    path.move = new Move(this.options.times);
    this.moving[who.slot] = who;
    this.tellMoved(who, path, path.move);
    return true;
  }

  /** Takes PATH_MOVED, PATH_CHALLENGE and PATH_RESPONSE. */
  handle(frame: Frame, type: number, nowNs: number): void {
    this.nowNs = nowNs;
    if (this.options.hostId !== NO_HOST) this.counters.unasked++;
    else if (type === PathMoved.type) this.handleMoved(frame);
    else if (type === PathChallenge.type) this.handleChallenge(frame);
    else this.handleResponse(frame);
  }

  advance(nowNs: number): void {
    this.nowNs = nowNs;
    while (this.deadlines.peekDeadline() <= nowNs) this.fire(this.moving[this.deadlines.peekSlot()] as Acquaintance);
  }

  nextTimeout(): number {
    return this.deadlines.peekDeadline();
  }

  private fire(who: Acquaintance): void {
    const path = this.paths.get(who) as PeerPath;
    const move = path.move as Move;
    if (!move.isOver(this.nowNs)) {
      this.tellMoved(who, path, move);
      return;
    }
    this.stop(who, path);
    if (who.agreed !== null && this.handshakes.mayHail(who, this.nowNs)) this.handshakes.hail(who, this.nowNs);
  }

  private stop(who: Acquaintance, path: PeerPath): void {
    path.move = null;
    this.moving[who.slot] = undefined;
    this.deadlines.remove(who.slot);
  }

  private tellMoved(who: Acquaintance, path: PeerPath, move: Move): void {
    move.sent(this.nowNs);
    this.deadlines.set(who.slot, move.nextTimeout());
    this.send(who, who.peer, (bytes, header) =>
      PathMoved.encode(bytes, { ...header, flowId: path.peerId }, {}, this.options.check),
    );
  }

  private handleMoved(frame: Frame): void {
    const who = this.byId.get(flowId(frame.bytes));
    const path = who && this.paths.get(who);
    if (who === undefined || path === undefined || who.agreed === null) {
      this.events.onUnknown(frame);
      return;
    }
    if (!this.claims.allow(this.nowNs)) {
      this.counters.suppressed++;
      return;
    }
    if (!this.isProved(who, frame, PathMoved)) return;
    this.counters.claims++;
    // Who has this address already hears it all the same: its frames were late ones of another address.
    const challenge = path.validation.begin(frame.peer, this.nowNs, () => randomBits(this.options.random));
    if (challenge === null) return;
    this.counters.challenges++;
    this.send(who, frame.peer, (bytes, header) =>
      PathChallenge.encode(bytes, header, { challenge }, this.options.check),
    );
  }

  private handleChallenge(frame: Frame): void {
    const who = this.handshakes.find(frame.peer);
    const path = who === null ? undefined : this.paths.get(who);
    if (who === null || path === undefined) {
      this.counters.unasked++;
      return;
    }
    if (!this.isProved(who, frame, PathChallenge)) return;
    who.heardNs = this.nowNs;
    const challenge = PathChallenge.read.challenge(frame.bytes, new Uint8Array(BITS_BYTES));
    this.send(who, who.peer, (bytes, header) =>
      PathResponse.encode(bytes, { ...header, flowId: path.peerId }, { challenge }, this.options.check),
    );
    if (path.move === null) return;
    this.stop(who, path);
    this.counters.ownMoves++;
  }

  private handleResponse(frame: Frame): void {
    const who = this.byId.get(flowId(frame.bytes));
    const path = who && this.paths.get(who);
    if (who === undefined || path === undefined) {
      this.counters.unasked++;
      return;
    }
    if (!this.isProved(who, frame, PathResponse)) return;
    const response = PathResponse.read.challenge(frame.bytes, new Uint8Array(BITS_BYTES));
    if (!path.validation.accept(frame.peer, response, this.nowNs)) {
      this.counters.unasked++;
      return;
    }
    who.heardNs = this.nowNs;
    if (frame.peer === who.peer || this.events.peers === null) return;
    this.stop(who, path);
    this.events.peers.move(who.peer, frame.peer);
    this.counters.moves++;
  }

  /** Whether the frame is of this kind and of the association with `who`; it is plain then. */
  private isProved({ agreed }: Acquaintance, frame: Frame, { minBytes, type }: PathKind): boolean {
    const bytes = minBytes + (this.options.keys === null ? 0 : SEALED_EXTRA_BYTES);
    const isProved =
      frame.length === bytes &&
      agreed !== null &&
      agreed.seal.prove(frame) &&
      checkFrame(frame, null) === type &&
      destinationHost(frame.bytes) === NO_HOST;
    if (!isProved) this.counters.forged++;
    return isProved;
  }

  /** To the number of an address, sealed for `who`. */
  private send(
    { agreed }: Acquaintance,
    peer: number,
    encode: (bytes: Uint8Array, header: FlowHeader) => number,
  ): void {
    if (agreed === null || agreed.seal.isOver) return;
    const frame = this.options.pool.take();
    frame.peer = peer;
    frame.atNs = this.nowNs;
    frame.length = encode(frame.bytes, { destination: NO_HOST, source: NO_HOST, flowId: 0 });
    agreed.seal.seal(frame);
    this.handshakes.output.push(frame);
  }
}

type PathKind = Pick<typeof PathMoved, 'minBytes' | 'type'>;

/** Taken by `Paths.handle`. */
export function isPathType(type: number): boolean {
  return type === PathMoved.type || type === PathChallenge.type || type === PathResponse.type;
}
