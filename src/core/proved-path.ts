// Tested by test/core/proved-path.test.ts
import { MINUTE_NS } from '../base/time.js';
import { Data } from '../wire/layout.js';
import { type EndpointConfig, LEAST_WINDOW_BYTES } from './config.js';

/** Upper bound of the initial window in bytes, where two frames are not longer: RFC 6928 section 2. */
const INITIAL_BYTES = 14_600;
/** How long an unused window is kept: RFC 7661 section 4.2, the non-validated period. */
const KEEP_NS = 5 * MINUTE_NS;
/** Peers without flows whose paths are kept (ours): 100 bytes each. */
const MAX_RESTING = 4_096;

/** What the path to one peer has proved to carry in a round trip without credits, for all flows to the peer together. PROTOCOL §12.1 */
export class ProvedPath {
  flows = 0;
  /** How often it was halved: a burst that began before is of the same round trip, and does not halve it again. */
  losses = 0;
  readonly peer: number;
  private readonly unprovedBytes: number;
  private readonly frameBytes: number;
  private windowBytes = 0;
  /** From here on it grows by a frame in a round trip. */
  private cautiousBytes = Number.POSITIVE_INFINITY;
  private underWayBytes = 0;
  /** Half of it, or more, has been under way since nothing was. */
  private isUsed = false;
  private provedNs = 0;

  /** `unprovedBytes`: the window before anything is proved. `frameBytes`: payload of a full frame. */
  constructor(peer: number, unprovedBytes: number, frameBytes: number) {
    this.peer = peer;
    this.unprovedBytes = unprovedBytes;
    this.frameBytes = frameBytes;
    this.restart();
  }

  /** What may be sent beside what is under way; a frame of `nextBytes` always may where nothing is. */
  roomBytes(nextBytes: number, nowNs: number): number {
    if (this.underWayBytes > 0) return this.windowBytes - this.underWayBytes;
    if (nowNs - this.provedNs > KEEP_NS) this.restart();
    return Math.max(this.windowBytes, nextBytes);
  }

  sent(bytes: number): void {
    this.underWayBytes += bytes;
    this.isUsed ||= this.underWayBytes >= this.windowBytes / 2;
  }

  /** They have arrived. Like a congestion window, it grows only where half of it was used (RFC 7661 section 4.1), and slowly above what was lost (RFC 5681). */
  delivered(bytes: number, nowNs: number): void {
    const { windowBytes, frameBytes } = this;
    this.provedNs = nowNs;
    if (this.isUsed) {
      const growthBytes = windowBytes < this.cautiousBytes ? bytes : Math.ceil((frameBytes * bytes) / windowBytes);
      this.windowBytes = Math.min(windowBytes + growthBytes, LEAST_WINDOW_BYTES);
    }
    this.dropped(bytes);
  }

  /** They are lost, or nobody knows. */
  dropped(bytes: number): void {
    this.underWayBytes -= bytes;
    if (this.underWayBytes === 0) this.isUsed = false;
  }

  /** A burst that began after `losses` of them has lost bytes. */
  noteLoss(losses: number): void {
    if (losses !== this.losses) return;
    this.losses++;
    this.windowBytes = Math.max(this.frameBytes, Math.floor(this.windowBytes / 2));
    this.cautiousBytes = this.windowBytes;
  }

  /** Nothing is known of it: it was not used for long, or another path leads to the peer. */
  restart(): void {
    this.windowBytes = this.unprovedBytes;
    this.cautiousBytes = Number.POSITIVE_INFINITY;
  }
}

/** The paths from one host to its peers, by what they have proved. */
export class ProvedPaths {
  private readonly unprovedBytes: number;
  private readonly frameBytes: number;
  private readonly paths = new Map<number, ProvedPath>();
  /** Those without flows, the one that has rested longest first. */
  private readonly resting = new Set<ProvedPath>();

  constructor({ frameBytes, unprovedFrames }: Pick<EndpointConfig, 'frameBytes' | 'unprovedFrames'>) {
    this.frameBytes = frameBytes - Data.overheadBytes;
    const initialBytes = Math.min(unprovedFrames * this.frameBytes, Math.max(2 * this.frameBytes, INITIAL_BYTES));
    this.unprovedBytes = Math.min(initialBytes, LEAST_WINDOW_BYTES);
  }

  /** A flow to `peer` begins; `leave` follows when it is closed. */
  join(peer: number): ProvedPath {
    const path = this.paths.get(peer) ?? this.add(peer);
    if (path.flows++ === 0) this.resting.delete(path);
    return path;
  }

  leave(path: ProvedPath): void {
    if (--path.flows > 0) return;
    this.resting.add(path);
    if (this.resting.size <= MAX_RESTING) return;
    const [oldest] = this.resting;
    this.remove(oldest);
  }

  /** Another path leads to `peer` from now on. */
  moved(peer: number): void {
    this.paths.get(peer)?.restart();
  }

  /** The number `peer` may come to stand for another host. */
  forget(peer: number): void {
    const path = this.paths.get(peer);
    if (path?.flows === 0) this.remove(path);
  }

  private add(peer: number): ProvedPath {
    const path = new ProvedPath(peer, this.unprovedBytes, this.frameBytes);
    this.paths.set(peer, path);
    return path;
  }

  private remove(path: ProvedPath): void {
    this.resting.delete(path);
    this.paths.delete(path.peer);
  }
}
