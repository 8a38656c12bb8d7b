import { DeadlineHeap } from '../base/deadline-heap.js';
import { counter, gauge, initialValues, type Values } from '../base/metric.js';
import { MILLISECOND_NS } from '../base/time.js';
import { AttachRefusal, NO_HOST } from '../wire/layout.js';
import { BITS_BYTES, type Bits64, isSame } from '../wire/proofs.js';

/** Keep-alive times without a KEEP_ALIVE after which a port is freed. PROTOCOL §3.9 */
const MISSED_KEEP_ALIVES = 4;

/** What a host asks for with ATTACH. PROTOCOL §3.8 */
export interface AttachClaim {
  /** The id that it wants; NO_HOST for any. */
  id: number;
  /** Random bits of the process: 32 that its answers repeat, and 64 that show who it is. */
  token: number;
  nonce: Bits64;
  /** Number of the UDP address that it came from. */
  peer: number;
  /** 0 for "the switch's". */
  maxFrameBytes: number;
}

export interface AttachmentOptions {
  /** By port: the host's id. */
  hostIds: readonly number[];
  keepAliveMs: number;
  /** Port of a host id; -1 for an id that the topology does not have. */
  portOf: (id: number) => number;
  /** What the link at a port carries. */
  maxFrameBytesAt: (port: number) => number;
  /** While an address is held its number stands for no other. */
  onHeld?: ((peer: number, isHeld: boolean) => void) | undefined;
}

/** Claims of hosts to their ports. PROTOCOL §8 */
export const ATTACHMENT_METRICS = {
  attached: gauge('hosts', 'Hosts attached now'),
  attaches: counter('events', 'Ports given to a host'),
  detaches: counter('events', 'Ports given back by their host'),
  expired: counter('events', 'Ports freed because no KEEP_ALIVE came'),
  refusals: counter('events', 'Claims refused'),
};

export type AttachmentStatistics = Values<typeof ATTACHMENT_METRICS>;

/**
 * Maps host ports to UDP addresses (PROTOCOL §8). An id belongs to a process until DETACH or expiry. The same process from another address (a moved host) and
 * another process at the same address (a restarted process) are let in.
 */
export class Attachments {
  private readonly options: AttachmentOptions;
  /** By port; a peer of -1: free. */
  private readonly peers: Int32Array;
  private readonly tokens: Uint32Array;
  private readonly nonces: Bits64[];
  /** Of the latest frame of either side at each port. */
  private readonly heardCounters: Float64Array;
  private readonly saidCounters: Float64Array;
  private readonly expiries = new DeadlineHeap();
  private readonly counts: AttachmentStatistics = initialValues(ATTACHMENT_METRICS);

  constructor(options: AttachmentOptions) {
    this.options = options;
    this.peers = new Int32Array(options.hostIds.length).fill(-1);
    this.tokens = new Uint32Array(options.hostIds.length);
    this.nonces = options.hostIds.map(() => new Uint8Array(BITS_BYTES));
    this.heardCounters = new Float64Array(options.hostIds.length);
    this.saidCounters = new Float64Array(options.hostIds.length);
  }

  get statistics(): Readonly<AttachmentStatistics> {
    return this.counts;
  }

  /** Number of the address at `port`; -1 when nobody is attached. */
  peerAt(port: number): number {
    return this.peers[port];
  }

  tokenAt(port: number): number {
    return this.tokens[port];
  }

  nonceAt(port: number): Bits64 {
    return this.nonces[port];
  }

  /** Number of the next frame to the host at `port`. */
  nextCounter(port: number): number {
    return ++this.saidCounters[port];
  }

  /** The port that the claim gets, or minus the AttachRefusal code. */
  attach(claim: AttachClaim, nowNs: number): number {
    const port = claim.id === NO_HOST ? this.anyPort(claim) : this.options.portOf(claim.id);
    const refusal = this.refusal(claim, port);
    if (refusal !== 0) {
      this.counts.refusals++;
      return -refusal;
    }
    if (this.peers[port] < 0) this.counts.attached++;
    this.counts.attaches++;
    this.holdAnother(this.peers[port], claim.peer);
    this.peers[port] = claim.peer;
    this.tokens[port] = claim.token;
    this.nonces[port] = claim.nonce;
    this.heardCounters[port] = 0;
    this.touch(port, nowNs);
    return port;
  }

  /** Port of the host `id` that is attached at this address; -1 where none is. */
  portAt(id: number, peer: number): number {
    const port = this.options.portOf(id);
    return port >= 0 && this.peers[port] === peer ? port : -1;
  }

  /** Whether a frame of the host at `port` with this number is newer than those before it. */
  isNew(port: number, counter: number): boolean {
    if (counter <= this.heardCounters[port]) return false;
    this.heardCounters[port] = counter;
    return true;
  }

  /** The host at `port` is there. */
  keepAlive(port: number, nowNs: number): void {
    this.touch(port, nowNs);
  }

  /** The host at `port` gives it back. */
  detach(port: number): void {
    this.free(port);
    this.counts.detaches++;
  }

  /** Counts anew, but for what is attached now. */
  resetStatistics(): void {
    this.counts.attaches = this.counts.detaches = this.counts.expired = this.counts.refusals = 0;
  }

  /** Frees the ports whose keep-alive has run out. */
  advance(nowNs: number): void {
    while (this.expiries.peekDeadline() <= nowNs) {
      this.free(this.expiries.peekSlot());
      this.counts.expired++;
    }
  }

  nextTimeout(): number {
    return this.expiries.peekDeadline();
  }

  /** For a host that takes any id: the one that its address has already, else the lowest that is free; -1 when none is. */
  private anyPort({ peer }: AttachClaim): number {
    let lowest = -1;
    for (let port = 0; port < this.peers.length; port++) {
      if (this.peers[port] >= 0) {
        if (this.peers[port] === peer) return port;
      } else if (lowest < 0 || this.options.hostIds[port] < this.options.hostIds[lowest]) lowest = port;
    }
    return lowest;
  }

  private refusal(claim: AttachClaim, port: number): number {
    if (port < 0) return claim.id === NO_HOST ? AttachRefusal.noFreeId : AttachRefusal.unknownId;
    const isOther = this.peers[port] >= 0 && this.peers[port] !== claim.peer;
    if (isOther && !isSame(this.nonces[port], claim.nonce)) return AttachRefusal.idInUse;
    return claim.maxFrameBytes > this.options.maxFrameBytesAt(port) ? AttachRefusal.frameSize : 0;
  }

  private touch(port: number, nowNs: number): void {
    this.expiries.set(port, nowNs + MISSED_KEEP_ALIVES * this.options.keepAliveMs * MILLISECOND_NS);
  }

  private holdAnother(before: number, peer: number): void {
    if (before === peer) return;
    this.options.onHeld?.(peer, true);
    if (before >= 0) this.options.onHeld?.(before, false);
  }

  private free(port: number): void {
    this.options.onHeld?.(this.peers[port], false);
    this.peers[port] = -1;
    this.expiries.remove(port);
    this.counts.attached--;
  }
}
