// Tested by test/core/paths.test.ts

import { SECOND_NS } from '../base/time.js';
import { type Bits64, isSame } from '../wire/proofs.js';
import type { EndpointConfig } from './config.js';
import { backedOffNs } from './probe.js';

/** PATH_MOVEDs and PATH_CHALLENGEs of one move at most. Ours: three losses in a row, and a handshake is as good. PROTOCOL §7.8 */
const MOST_SENDS = 3;
/** A challenge that was not answered in this time is void (ours: the connect timeout of a flow). */
const CHALLENGE_NS = 5 * SECOND_NS;

/** What a move waits for: the times of an endpoint. */
export type MoveTimes = Pick<EndpointConfig, 'initialRetransmitNs' | 'maxBackoffNs'>;

/** This host may have another address for its peer: it says so until it is challenged, and gives up after `MOST_SENDS`. */
export class Move {
  private sends = 0;
  private sentNs = 0;
  private readonly times: MoveTimes;

  constructor(times: MoveTimes) {
    this.times = times;
  }

  /** PATH_MOVED is sent now. */
  sent(nowNs: number): void {
    this.sends++;
    this.sentNs = nowNs;
  }

  /** Nobody has answered the last one in its time. */
  isOver(nowNs: number): boolean {
    return this.sends === MOST_SENDS && nowNs >= this.nextTimeout();
  }

  /** When it is said again, or is over. */
  nextTimeout(): number {
    return this.sentNs + backedOffNs(this.times.initialRetransmitNs, this.sends - 1, this.times);
  }
}

/** The one address from which a peer says that it has moved, until it shows that it receives there. A later address takes the place of an earlier one. */
export class Validation {
  private candidate = -1;
  private challenge: Bits64 = new Uint8Array(0);
  private sinceNs = Number.NEGATIVE_INFINITY;
  private sends = 0;

  /** PATH_MOVED came from `candidate`, the number of an address. The challenge to send there, null where it was sent often enough. */
  begin(candidate: number, nowNs: number, makeBits: () => Bits64): Bits64 | null {
    if (candidate !== this.candidate || this.isVoid(nowNs)) {
      this.candidate = candidate;
      this.challenge = makeBits();
      this.sinceNs = nowNs;
      this.sends = 0;
    }
    return this.sends++ < MOST_SENDS ? this.challenge : null;
  }

  /** PATH_RESPONSE came from `candidate`. True once, where it answers the latest challenge. */
  accept(candidate: number, response: Bits64, nowNs: number): boolean {
    if (candidate !== this.candidate || this.isVoid(nowNs)) return false;
    if (!isSame(response, this.challenge)) return false;
    this.candidate = -1;
    return true;
  }

  private isVoid(nowNs: number): boolean {
    return nowNs >= this.sinceNs + CHALLENGE_NS;
  }
}
