import { randomBytes } from 'node:crypto';
import { assert } from '../base/assert.js';
import type { Crc32 } from '../base/crc32.js';
import { XpassError } from '../base/errors.js';
import type { Random } from '../base/random.js';
import { MILLISECOND_NS, SECOND_NS } from '../base/time.js';
import type { AttachedLink } from '../core/attachment.js';
import { isBundle } from '../wire/bundle.js';
import { framesIn } from '../wire/credits.js';
import { sourceHost } from '../wire/decode.js';
import { Frame, FramePool } from '../wire/frame.js';
import { Attach } from '../wire/frames.js';
import { KeptViews } from '../wire/kept-views.js';
import { DEFAULT_FRAME_BYTES, Header, NO_HOST } from '../wire/layout.js';
import { type AttachProof, BITS_BYTES, NONCE_PROOF } from '../wire/proofs.js';
import {
  type Address,
  bindAddressFor,
  formatAddress,
  isLoopbackAddress,
  resolveAddress,
  type UdpAddress,
} from './address.js';
import { ArrivalEstimate } from './arrival-times.js';
import type { Bundler } from './bundler.js';
import { loadFrameCheck } from './crc.js';
import { bufferPool } from './datagram-pool.js';
import type { Datapath, DatapathHandlers, DatapathInfo, Source } from './datapath.js';
import { unprobedBytes } from './interface-mtu.js';
import { PeerTable } from './peer-table.js';
import { SystemRandom } from './random.js';
import { type HostMachine, RemoteEnd, type SwitchEvents, type Trouble } from './remote-end.js';
import { type DriverOptions, type DriverParts, openDatapath, SocketDriver } from './socket-driver.js';
import { isRefusal, type SocketProblem } from './socket-errors.js';
import { type DatagramTap, TappedDatapath } from './tapped-datapath.js';

/** Number of the peer of a connected socket in direct mode. */
export const ONLY_PEER = 1;
/** Frames that were read together are given to the machine before it is drained once, at most this many. Ours: at 2 us each the first answer waits 0.1 ms. */
const MAX_BATCH = 64;
const DEFAULT_CONNECT_TIMEOUT_NS = 5 * SECOND_NS;
const LOOPBACK: UdpAddress = { address: '127.0.0.1', port: 0, family: 4 };

/** What the kernel counts for a datagram beyond its bytes: the sk_buff and its shared info, 256 + 320 bytes on x86-64 Linux. */
const BOOKKEEPING_BYTES = 576;
/** Socket buffer memory is given out in pages. */
const PAGE_BYTES = 4_096;
/** Part of the buffer that data frames may fill; the rest is for frames that need no credit, and for the error of the estimate (ours). */
const SHARE = 0.5;
const LEAST_CREDITS = 8;
/** At 100,000 frames a second, the speed of a process, 3.2 ms: two bursts that each of three processes in a row works on at a time (docs/PERF-LOG.md). */
const MOST_CREDITS = 320;
/** Frames under way stay in the processor's caches: more overflows a switch's socket with three pairs of hosts (docs/PERF-LOG.md). */
const MOST_BYTES = 1024 * 1024;
/** Limit of a batch in bytes, half of MOST_BYTES: the peer sends one half while the other half is read (docs/PERF-LOG.md). */
const MAX_BATCH_BYTES = MOST_BYTES / 2;

/** Credits outstanding at most besides those under way when nothing queues: what the receive buffer holds. The kernel charges 2,304 B for 1,472. */
export function hostCredits(receiveBufferBytes: number, frameBytes: number): number {
  const occupied = frameBytes + BOOKKEEPING_BYTES;
  const charged =
    occupied <= PAGE_BYTES ? 2 ** Math.ceil(Math.log2(occupied)) : Math.ceil(occupied / PAGE_BYTES) * PAGE_BYTES;
  // The kernel uses twice the size that it was asked for, because of this bookkeeping (socket(7)).
  const fitting = Math.floor((2 * receiveBufferBytes * SHARE) / charged);
  return Math.max(LEAST_CREDITS, Math.min(fitting, MOST_CREDITS, Math.floor(MOST_BYTES / frameBytes)));
}

/** Where a host's socket is, and whom it talks to. */
export interface HostOptions extends DriverOptions, SwitchEvents {
  /** Where the socket is bound; port 0 lets the system choose. By default a free port, on loopback when the other end is there. */
  bind?: Address;
  /** The switch to attach to (PROTOCOL §8.2); absent in direct mode (§8.1). */
  switchAddress?: Address;
  /** Direct mode with one peer only: the socket is connected to it, and it is peer number `ONLY_PEER`. */
  onlyPeer?: Address;
  /** Of what is said between host and switch; by the process's random bits where it is left out. */
  proof?: AttachProof;
  /** Host id wanted behind a switch; 0, the default, for any. */
  hostId?: number;
  /** Largest UDP payload: 1472 by default in direct mode, the switch's behind a switch. */
  frameBytes?: number;
  /** Rate of this host's link in direct mode, unlimited by default. Behind a switch it is the switch that says it. */
  rateBps?: number;
  /** How long the switch has for its first answer; 5 s by default (PROTOCOL §5.7). */
  connectTimeoutNs?: number;
  /** Looks at every datagram. */
  tap?: DatagramTap;
}

/** What a host's machine is built from. */
export interface HostParts {
  readonly link: AttachedLink;
  /** Frames with buffers of `link.maxFrameBytes`. */
  readonly pool: FramePool;
  readonly check: Crc32;
  readonly random: Random;
  /** See `hostCredits`. */
  readonly hostCredits: number;
  /** Whom the host holds while they are proved, in direct mode; null where peers have numbers of their own. */
  readonly peers: PeerTable | null;
  readonly nowNs: number;
  /** UDP payload of frames that may go to a peer before probes have shown that they pass. */
  readonly unprobedBytes: number;
  /** Frames of any size reach `peer`, or nobody can find out: it is on this machine, behind a switch, or the socket cannot keep frames whole. */
  takesAll(peer: number): boolean;
  /** A peer's address, as a proof of it names it. */
  addressOf(peer: number): string;
  /** What a limit by source is of. */
  sourceOf(peer: number): number;
}

export interface UdpHostOptions<M extends HostMachine> extends HostOptions {
  /** Builds the machine, once the link is known. */
  makeMachine(parts: HostParts): M;
}

/** What a host's driver is made of. */
export interface HostDriverParts extends Omit<DriverParts, 'datapaths'> {
  readonly datapath: Datapath;
  /** Whom the socket is connected to. */
  readonly remote?: UdpAddress | null;
}

/**
 * One host on a UDP socket: datagrams to its machine and frames from it, directly or behind a switch.
 *
 *     const host = await UdpHost.open({ switchAddress, makeMachine: ({ link, pool, check, random }) => new Host(...) });
 *     const flow = host.run((nowNs, machine) => machine.endpoint.open(3, writer, {}, nowNs));
 */
export class UdpHost<M extends HostMachine> extends SocketDriver implements DatapathHandlers {
  /** There from `start` on. */
  machine!: M;
  private readonly options: HostOptions;
  private readonly socket: Datapath;
  private readonly bundler: Bundler;
  private readonly far: RemoteEnd;
  private readonly remote: UdpAddress | null;
  private readonly random = new SystemRandom();
  private readonly incoming = new Frame(new Uint8Array(0));
  private readonly arrivals = new ArrivalEstimate(() => performance.nodeTiming.idleTime * MILLISECOND_NS);
  private pool: FramePool | null = null;
  private frameBytes = 0;
  /** Frames and bytes given to the machine since it was drained, and when the newest frame was read. */
  private batched = 0;
  private batchedBytes = 0;
  private batchNs = 0;

  /** Of a socket that is open; `open` makes one. */
  constructor(options: HostOptions, { datapath, peers, frameCheck, remote = null }: HostDriverParts) {
    const far = new RemoteEnd(options, options.onlyPeer === undefined ? '' : formatAddress(options.onlyPeer));
    super(far, { datapaths: [datapath], peers, frameCheck }, options);
    this.options = options;
    this.far = far;
    this.socket = datapath;
    [this.bundler] = this.bundlers;
    this.remote = remote;
    this.loop.beforeTurn = () => {
      this.arrivals.looked(this.now());
      datapath.takeArrived();
    };
    if (datapath.lendsBytes) this.incoming.views = new KeptViews();
    datapath.start(this);
  }

  /**
   * Binds, attaches where there is a switch, and builds the machine. Throws XpassError: `config` for addresses that cannot be used; `attach`,
   * `frameSize` or `version` when the switch refuses, `unreachable` when it does not answer.
   */
  static async open<M extends HostMachine>(options: UdpHostOptions<M>): Promise<UdpHost<M>> {
    const host = new UdpHost<M>(options, await openParts(options));
    try {
      const link = await host.attach();
      const pool = bufferPool(link.maxFrameBytes);
      const credits = hostCredits(host.info.receiveBufferBytes, link.maxFrameBytes);
      const { random, frameCheck, peers } = host;
      const parts = {
        ...{ link, pool, check: frameCheck.check, random, hostCredits: credits, peers, nowNs: host.now() },
        unprobedBytes: host.seesPaths ? unprobedBytes(host.info.local) : link.maxFrameBytes,
        takesAll: (peer: number) => host.takesAll(peer),
        addressOf: (peer: number) => host.keyName(peer),
        sourceOf: (peer: number) => peers?.sourceOf(peer) ?? peer,
      };
      host.start(options.makeMachine(parts), pool, link.maxFrameBytes);
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** The terms of the host's link: behind a switch the latest that it gave. */
  get link(): AttachedLink {
    return this.far.link;
  }

  /** Where the socket is bound and what it was given. */
  get info(): DatapathInfo {
    return this.socket.info;
  }

  /** From now on frames go to `machine`, whose frames have buffers of `frameBytes` from `pool`. */
  start(machine: M, pool: FramePool, frameBytes: number): void {
    this.machine = machine;
    this.far.machine = machine;
    this.pool = pool;
    this.frameBytes = frameBytes;
    this.loop.run(() => {});
  }

  /**
   * Changes the machine: whatever a program does to it goes through here, so that what it wants to send is sent at once, or at the end of the batch that
   * is being read. May be used anywhere, also in what the machine calls. Returns or throws what the action does.
   */
  run<T>(action: (nowNs: number, machine: M) => T): T {
    const { loop, machine } = this;
    // For each frame that a program takes, and releases: a closure is 96 bytes of garbage.
    if (loop.isRunning) return action(loop.latestNs, machine);
    if (this.batched === 0 || this.closing !== null) return loop.run((nowNs) => action(nowNs, machine));
    loop.begin(this.now());
    try {
      return action(loop.latestNs, machine);
    } finally {
      loop.leave();
    }
  }

  /** The machine's time while it is at work, -1 otherwise: for who calls a flow's verbs for each frame and wants no closure. */
  get workingNs(): number {
    return this.loop.isRunning ? this.loop.latestNs : -1;
  }

  /** Inside the machine's calls: the bytes are part of the datagram that came, and its memory is used for no other. */
  ownsBytes({ buffer, byteLength }: Uint8Array): boolean {
    // A small part of a large datagram, as of a bundle, would keep all of its memory.
    return !this.socket.lendsBytes && buffer === this.incoming.bytes.buffer && 2 * byteLength >= buffer.byteLength;
  }

  /** Whether the socket and its timers keep the process alive; they do at first. */
  keepAlive(isWanted: boolean): void {
    this.socket.keepAlive(isWanted);
    this.eventLoop.keepAlive(isWanted);
  }

  /** Frames that do not fit a path are lost, so probes show what it carries: the socket cuts none. Behind a switch its links say what is carried. */
  get seesPaths(): boolean {
    return this.info.kind === 'mmsg' && this.far.attachment === null;
  }

  /** The UDP address of a peer in direct mode; null behind a switch, and for a peer that is forgotten. */
  peerAddress(peer: number): UdpAddress | null {
    if (this.far.attachment !== null) return null;
    if (this.peers === null) return this.remote;
    if (!this.peers.reaches(peer)) return null;
    return { address: this.peers.address(peer), port: this.peers.port(peer), family: this.info.local.family };
  }

  /**
   * The number of a peer in direct mode, for `Endpoint.open`. Throws XpassError `config` for a name that does not resolve and `tooManyFlows` when the
   * table of peers is full.
   */
  async resolvePeer(address: Address): Promise<number> {
    if (this.peers === null) return ONLY_PEER;
    const resolved = await resolveAddress(address, this.info.local.family);
    const peer = this.peers.number(resolved.address, resolved.port, this.now());
    if (peer !== 0) {
      this.peers.keep(peer);
      return peer;
    }
    throw new XpassError('tooManyFlows', `no room for ${formatAddress(address)}: ${this.peers.size} peers are known`);
  }

  /** A peer as people write it: its UDP address in direct mode, `host 3` behind a switch. */
  peerName(peer: number): string {
    if (this.far.attachment !== null) return `host ${peer}`;
    if (this.peers === null) return this.options.onlyPeer === undefined ? '' : formatAddress(this.options.onlyPeer);
    const address = this.peerAddress(peer);
    return address === null ? `peer ${peer}` : formatAddress(address);
  }

  private takesAll(peer: number): boolean {
    const address = this.peerAddress(peer)?.address;
    return !this.seesPaths || (address !== undefined && isLoopbackAddress(address));
  }

  /** A peer as a line of `--peers` names it: `host-3` behind a switch. */
  private keyName(peer: number): string {
    return this.far.attachment !== null ? `host-${peer}` : this.peerName(peer);
  }

  /** Why nothing comes, as far as it is known: for the sentence of a failure. */
  trouble(): Trouble | null {
    return this.far.trouble(this.now());
  }

  onDatagram(bytes: Uint8Array, length: number, from: Source, waitedNs: number): void {
    this.far.heard();
    // Those of one system call are given one after the other; between others anything may have happened.
    if (this.batched === 0 || !this.socket.lendsBytes) this.batchNs = this.loop.noteArrival();
    const arrivedNs = this.batchNs - (waitedNs >= 0 ? waitedNs : this.estimatedWaitNs(this.batchNs));
    if (!isBundle(bytes, length)) {
      this.onFrame(bytes, length, from, arrivedNs);
      return;
    }
    const { unbundled } = this;
    unbundled.open(bytes, length);
    while (unbundled.next()) {
      this.onFrame(unbundled.bytes, unbundled.length, from, arrivedNs);
      // The machine has been drained, by its own clock.
      if (this.batched === 0) this.batchNs = this.loop.noteArrival();
    }
  }

  onBatchEnd(): void {
    if (this.batched === 0 || this.closing !== null) return;
    this.batched = 0;
    this.batchedBytes = 0;
    this.arrivals.looked(this.batchNs);
    this.loop.drainLeft();
  }

  onProblem(problem: SocketProblem): void {
    this.options.onProblem?.(problem);
    if (!isRefusal(problem.code) || this.peers !== null || this.closing !== null) return;
    if (!this.far.refused(this.now(), this.socket.counters.datagramsOut)) return;
    // There may be a deadline now. Within a turn of the loop that is looked at anyway.
    if (!this.loop.isRunning) this.loop.run(() => {});
  }

  onTooLong(peer: number, frameBytes: number): boolean {
    if (this.far.attachment !== null || this.machine.frameTooLong === undefined) return false;
    const to = this.peers === null ? ONLY_PEER : peer;
    // The loop may be sending at the moment, and the machine answers with a probe.
    setImmediate(() => {
      if (this.closing === null) this.run((nowNs, machine) => machine.frameTooLong?.(to, frameBytes, nowNs));
    });
    return true;
  }

  onSent(frame: Frame): void {
    if (!this.bundler.takeBack(frame)) this.drop(frame);
  }

  override send(frame: Frame): boolean {
    if (this.peers === null || this.peers.reaches(frame.peer)) return this.bundler.send(frame);
    this.unknownPeers++;
    this.drop(frame);
    return true;
  }

  /** Frames of the attachment have small buffers of their own and do not come back. */
  override drop(frame: Frame): void {
    if (frame.bytes.length === this.frameBytes) this.pool?.give(frame);
  }

  /** The link to build the machine for: what the switch gives, or the options in direct mode. Throws what the attachment failed with. */
  private async attach(): Promise<AttachedLink> {
    const { switchAddress, rateBps = Number.POSITIVE_INFINITY, frameBytes, hostId = NO_HOST } = this.options;
    if (switchAddress === undefined) {
      const terms = { hostId: NO_HOST, rateBps, maxFrameBytes: frameBytes ?? DEFAULT_FRAME_BYTES };
      this.far.direct(terms, this.frameCheck.check);
      return this.link;
    }
    const parts = {
      hostId,
      maxFrameBytes: frameBytes ?? 0,
      token: this.random.uint32(),
      nonce: randomBytes(BITS_BYTES),
      proof: this.options.proof ?? NONCE_PROOF,
      connectTimeoutNs: this.options.connectTimeoutNs ?? DEFAULT_CONNECT_TIMEOUT_NS,
      check: this.frameCheck.check,
      // ATTACH is the longest frame that an attachment sends.
      pool: new FramePool(() => Buffer.allocUnsafeSlow(Attach.maxBytes), 0),
      switchName: formatAddress(switchAddress),
    };
    const attached = this.far.attach(parts, this.now());
    this.loop.run(() => {});
    await attached;
    return this.link;
  }

  private onFrame(bytes: Uint8Array, length: number, from: Source, arrivedNs: number): void {
    const nowNs = this.batchNs;
    const frame = this.incoming;
    frame.bytes = bytes;
    frame.length = length;
    frame.peer = this.peerOf(frame, from, nowNs);
    frame.atNs = nowNs;
    frame.arrivedNs = arrivedNs;
    if (frame.peer < 0 || this.closing !== null) return;
    this.loop.begin(nowNs);
    this.far.handleFrame(frame, nowNs);
    this.loop.leave();
    this.batchedBytes += length;
    this.batched += framesIn(frame);
    if (this.batched >= MAX_BATCH || this.batchedBytes >= MAX_BATCH_BYTES) this.onBatchEnd();
  }

  /** Behind a switch the peer is the host that the frame says it is from; the machine drops a frame that is too short to say. -1: no room. */
  private peerOf({ bytes, length }: Frame, { address, port }: Source, nowNs: number): number {
    if (this.peers !== null) return this.peers.number(address, port, nowNs) || -1;
    if (this.far.attachment === null) return ONLY_PEER;
    return length < Header.bytes ? NO_HOST : sourceHost(bytes);
  }

  /** Where the kernel does not say it. */
  private estimatedWaitNs(nowNs: number): number {
    if (this.batched === 0) this.arrivals.begin(nowNs);
    return this.arrivals.waitedNs(nowNs);
  }
}

/** Binds, and connects to the one address that there is to talk to, if there is one. Throws XpassError `config`. */
async function openParts(options: HostOptions): Promise<HostDriverParts> {
  assert(options.switchAddress === undefined || options.onlyPeer === undefined, 'a host is behind a switch or direct');
  const wantedBind = options.bind === undefined ? null : await resolveAddress(options.bind);
  const remoteName = options.switchAddress ?? options.onlyPeer;
  const remote = remoteName && (await resolveAddress(remoteName, wantedBind?.family ?? 0));
  const bind = wantedBind ?? (remote === undefined ? LOOPBACK : bindAddressFor(remote));
  const peers = remote === undefined ? new PeerTable() : null;
  const bufferBytes = options.socketBufferBytes;
  const sized = { ...(remote && { remote }), ...(bufferBytes !== undefined && { bufferBytes }) };
  const opened = await openDatapath({ bind, peers, ...sized }, options.datapath);
  const { tap } = options;
  const datapath = tap === undefined ? opened : new TappedDatapath(opened, { tap, peers, remote: remote ?? null });
  return { datapath, peers, frameCheck: await loadFrameCheck(), ...(remote && { remote }) };
}
