// Tested by test/core/door.test.ts
import type { XpassError } from '../base/errors.js';
import { FrameQueue } from '../wire/frame-queue.js';
import type { Bits64 } from '../wire/proofs.js';
import type { FrameSeal, Initiation } from './association.js';

/** A handshake that is complete on this side. */
export interface Agreement {
  readonly ci: Bits64;
  readonly cr: Bits64;
  readonly seal: FrameSeal;
  /** This host has said HELLO. */
  readonly isInitiator: boolean;
  /** Of WELCOME, to say it again. */
  readonly message: Uint8Array;
}

/** What this host has answered to a HELLO: its address is proved, and the peer has not shown yet that it got the answer. */
export interface Offer {
  readonly agreement: Agreement;
  readonly sinceNs: number;
}

/** A HELLO under way. */
export interface Hailing {
  readonly ci: Bits64;
  readonly initiation: Initiation | null;
  readonly sinceNs: number;
  sends: number;
  sentNs: number;
  /** Peer speaks another version, or somebody on the path says so: who speaks this one answers as well. */
  refusal: XpassError | null;
  /** It has waited for the peer's own handshake, as it does once. */
  hasYielded: boolean;
}

/** One peer that is proved, or with which a handshake is under way. */
export class Acquaintance {
  readonly peer: number;
  readonly slot: number;
  /** In force. */
  agreed: Agreement | null = null;
  /** In force before: what was on its way then is still taken until `formerEndNs`. */
  former: Agreement | null = null;
  formerEndNs = 0;
  /** The oldest first; frames may still be of `agreed`. */
  readonly offers: Offer[] = [];
  hailing: Hailing | null = null;
  cookie: Uint8Array | null = null;
  heardNs: number;
  hintedNs = Number.NEGATIVE_INFINITY;
  /** Its frames in a row that are not of the association. */
  misses = 0;
  /** Frames that wait for the handshake. */
  readonly held = new FrameQueue();

  constructor(peer: number, slot: number, nowNs: number) {
    this.peer = peer;
    this.slot = slot;
    this.heardNs = nowNs;
  }
}
