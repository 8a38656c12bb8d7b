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

/** A HELLO under way. */
export interface Hailing {
  readonly ci: Bits64;
  readonly initiation: Initiation | null;
  readonly sinceNs: number;
  sends: number;
  sentNs: number;
  /** Peer speaks another version, or somebody on the path says so: who speaks this one answers as well. */
  refusal: XpassError | null;
}

/** One peer that is proved, or with which a handshake is under way. */
export class Acquaintance {
  readonly peer: number;
  readonly slot: number;
  /** In force. */
  agreed: Agreement | null = null;
  /** This host has answered, and the peer has not shown yet that it got the answer: its address is proved, frames may still be of `agreed`. */
  offered: Agreement | null = null;
  offeredNs = 0;
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
