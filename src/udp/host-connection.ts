// Tested by test/udp/host-connection.test.ts and test/loopback/udp-host.test.ts
import { assert } from '../base/assert.js';
import * as time from '../base/time.js';
import { type AttachedLink, Attachment } from '../core/attachment.js';
import { XpassError } from '../core/errors.js';
import { BundleReader, isBundle } from '../wire/bundle.js';
import { sourceHost } from '../wire/decode.js';
import { Frame, FramePool } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import { type Address, bindAddressFor, formatAddress, resolveAddress, type UdpAddress } from './address.js';
import { Bundler } from './bundler.js';
import { type FrameCheck, loadFrameCheck } from './crc.js';
import type { Datapath, DatapathHandlers, DatapathKind, Source } from './datapath.js';
import { KernelDrops } from './kernel-drops.js';
import { LookTimes } from './look-times.js';
import { type FrameSink, type LoopMachine, MachineLoop } from './machine-loop.js';
import { openDatapath } from './open-datapath.js';
import { PeerTable } from './peer-table.js';
import { SystemRandom } from './random.js';
import { RefusalWatch } from './refusal-watch.js';
import { isRefusal, type SocketProblem } from './socket-errors.js';
import { type DriverStatistics, driverStatistics } from './statistics.js';
import { prepareWaiting, type WaitOptions } from './waiting.js';
import type { EventLoop } from './wake.js';
import type { WakePolicy } from './wake-policy.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MILLISECOND_NS, SECOND_NS } = time;
const { DEFAULT_FRAME_BYTES, Header, NO_HOST } = layout;

/** What the driver needs of a host; `core/host.ts` is one. A frame that is handed in stays the driver's. */
export interface HostMachine extends LoopMachine {
  handleFrame(frame: Frame, nowNs: number): void;
  /** The switch gives the host's link another rate, bit/s; Infinity for unlimited. */
  setLinkRate(rateBps: number, nowNs: number): void;
  /** The only peer is gone: every flow ends with `error`. */
  giveUp(error: XpassError, nowNs: number): void;
}

/** Why nothing comes: who is to blame, as people write it, and the end of a sentence that says what is known. */
export interface Trouble {
  readonly who: string;
  readonly reason: string;
}

export interface ConnectionOptions extends WaitOptions {
  /** Where the socket is bound; port 0 lets the system choose. By default a free port, on loopback when the other end is there. */
  bind?: Address;
  /** The switch to attach to (PROTOCOL §8.2); absent in direct mode (§8.1). */
  switchAddress?: Address;
  /** Direct mode with one peer only: the socket is connected to it, and it is peer number `ONLY_PEER`. */
  onlyPeer?: Address;
  /** Host id wanted behind a switch; 0, the default, for any. */
  hostId?: number;
  /** Largest UDP payload: 1472 by default in direct mode, the switch's behind a switch. */
  frameBytes?: number;
  /** Rate of this host's link in direct mode, unlimited by default. Behind a switch it is the switch that says it. */
  rateBps?: number;
  socketBufferBytes?: number;
  /** `dgram` by default, and where the other cannot be had. */
  datapath?: DatapathKind;
  /** How long the switch has for its first answer; 5 s by default (PROTOCOL §5.7). */
  connectTimeoutNs?: number;
  /** Trouble with the socket that the protocol's timeouts will deal with: for a log. */
  onProblem?(problem: SocketProblem): void;
  /** The switch gave other terms than before. The machine has its new rate; a frame size or an id stays as it was built. */
  onLinkChanged?(link: AttachedLink, before: AttachedLink): void;
  /** A switch that did not know this host any more, as after a restart, has given it its port again. */
  onAttachedAgain?(): void;
  /** The switch takes this host no more, so nothing arrives from now on. The driver goes on until it is closed. */
  onDetached?(error: XpassError): void;
}

/** Number of the peer of a connected socket in direct mode. */
export const ONLY_PEER = 1;
/**
 * Frames that were read together are given to the machine before it is drained once, but no more than so many (ours): at 2 us each the first answer
 * waits 0.1 ms.
 */
const MAX_BATCH = 64;
const DEFAULT_CONNECT_TIMEOUT_NS = 5 * SECOND_NS;
/** Room for every frame that an attachment sends. */
const ATTACH_FRAME_BYTES = 64;
const LOOPBACK: UdpAddress = { address: '127.0.0.1', port: 0, family: 4 };

/** Binds, and connects to the one address that there is to talk to, if there is one. Throws XpassError `config`. */
export async function openConnection(options: ConnectionOptions): Promise<HostConnection> {
  assert(options.switchAddress === undefined || options.onlyPeer === undefined, 'a host is behind a switch or direct');
  const wantedBind = options.bind === undefined ? null : await resolveAddress(options.bind);
  const remoteName = options.switchAddress ?? options.onlyPeer;
  const remote = remoteName && (await resolveAddress(remoteName, wantedBind?.family ?? 0));
  const bind = wantedBind ?? (remote === undefined ? LOOPBACK : bindAddressFor(remote));
  const peers = remote === undefined ? new PeerTable() : null;
  const bufferBytes = options.socketBufferBytes;
  const sized = { ...(remote && { remote }), ...(bufferBytes !== undefined && { bufferBytes }) };
  const datapath = await openDatapath({ bind, peers, ...sized }, options.datapath);
  const frameCheck = await loadFrameCheck();
  return new HostConnection(options, { datapath, peers, frameCheck, ...(remote && { remote }) });
}

/** What a connection consists of. */
export interface ConnectionParts {
  readonly datapath: Datapath;
  /** Null with a connected socket. */
  readonly peers: PeerTable | null;
  readonly frameCheck: FrameCheck;
  /** Whom the socket is connected to. */
  readonly remote?: UdpAddress | null;
}

/**
 * A host's socket, its loop and its attachment: everything of a `UdpHost` but the machine, which can be built only when the switch has said
 * what the link is. To the loop it is one machine: the attachment first, then the host.
 */
export class HostConnection implements FrameSink, LoopMachine, DatapathHandlers {
  readonly random = new SystemRandom();
  readonly datapath: Datapath;
  readonly frameCheck: FrameCheck;
  readonly loop: MachineLoop;
  private readonly options: ConnectionOptions;
  private readonly peers: PeerTable | null;
  private readonly remote: UdpAddress | null;
  private readonly policy: WakePolicy;
  private readonly eventLoop: EventLoop;
  private readonly bundler: Bundler;
  private readonly unbundled = new BundleReader();
  private readonly kernelDrops: KernelDrops;
  private readonly incoming = new Frame(new Uint8Array(0));
  private readonly refusals = new RefusalWatch();
  private readonly looks = new LookTimes(() => performance.nodeTiming.idleTime * MILLISECOND_NS);
  private attachment: Attachment | null = null;
  private terms: AttachedLink | null = null;
  /** Times that a switch has given a port, as far as it was told. */
  private attachments = 0;
  private onSettled: (() => void) | null = null;
  private machine: HostMachine | null = null;
  private pool: FramePool | null = null;
  private frameBytes = 0;
  private unknownPeers = 0;
  /** Frames given to the machine since it was drained, and when the newest of them was read. */
  private batched = 0;
  private batchNs = 0;
  private isDetached = false;
  private closing: Promise<void> | null = null;

  constructor(options: ConnectionOptions, { datapath, peers, frameCheck, remote = null }: ConnectionParts) {
    this.options = options;
    this.remote = remote;
    this.datapath = datapath;
    this.peers = peers;
    this.frameCheck = frameCheck;
    const { policy, loop } = prepareWaiting(options);
    this.policy = policy;
    this.eventLoop = loop;
    this.kernelDrops = new KernelDrops([datapath.info.local.port]);
    this.bundler = new Bundler(datapath, peers === null, (frame) => this.onSent(frame));
    this.loop = new MachineLoop(this, {
      policy,
      loop,
      sink: this,
      ...(options.earlyNs !== undefined && { earlyNs: options.earlyNs }),
    });
    this.loop.beforeTurn = () => {
      this.looks.looked(this.eventLoop.now());
      datapath.takeArrived();
    };
    datapath.start(this);
  }

  /** The link to build the machine for: what the switch gives, or the options in direct mode. Throws what the attachment failed with. */
  async attach(): Promise<AttachedLink> {
    const { switchAddress, rateBps = Number.POSITIVE_INFINITY, frameBytes = DEFAULT_FRAME_BYTES } = this.options;
    if (switchAddress === undefined) {
      this.terms = { hostId: NO_HOST, rateBps, maxFrameBytes: frameBytes };
      return this.terms;
    }
    const attachment = this.newAttachment(switchAddress);
    this.attachment = attachment;
    await new Promise<void>((resolve) => {
      this.onSettled = resolve;
      this.loop.run(() => {});
    });
    if (attachment.error !== null) throw attachment.error;
    return this.link;
  }

  /** The terms in force. */
  get link(): AttachedLink {
    assert(this.terms !== null, 'an attached host has a link');
    return this.terms;
  }

  /** From now on frames go to `machine`, whose frames have buffers of `frameBytes` from `pool`. */
  start(machine: HostMachine, pool: FramePool, frameBytes: number): void {
    this.machine = machine;
    this.pool = pool;
    this.frameBytes = frameBytes;
    this.loop.run(() => {});
  }

  async resolvePeer(address: Address): Promise<number> {
    if (this.peers === null) return ONLY_PEER;
    const resolved = await resolveAddress(address, this.datapath.info.local.family);
    const peer = this.peers.number(resolved.address, resolved.port, this.eventLoop.now());
    if (peer !== 0) {
      this.peers.markAnswered(peer);
      return peer;
    }
    throw new XpassError('tooManyFlows', `no room for ${formatAddress(address)}: ${this.peers.size} peers are known`);
  }

  peerName(peer: number): string {
    if (this.attachment !== null) return `host ${peer}`;
    if (this.peers === null) return this.options.onlyPeer === undefined ? '' : formatAddress(this.options.onlyPeer);
    if (!this.peers.has(peer)) return `peer ${peer}`;
    return formatAddress({ host: this.peers.address(peer), port: this.peers.port(peer) });
  }

  peerAddress(peer: number): UdpAddress | null {
    if (this.attachment !== null) return null;
    if (this.peers === null) return this.remote;
    if (!this.peers.has(peer)) return null;
    return { address: this.peers.address(peer), port: this.peers.port(peer), family: this.datapath.info.local.family };
  }

  /** Runs `action`, then sends what it made due. While a batch is being read, the end of the batch sends it. */
  run<T>(action: (nowNs: number) => T): T {
    const { loop } = this;
    if (this.batched === 0 || this.closing !== null) return loop.run(action);
    loop.begin(this.eventLoop.now());
    try {
      return action(loop.latestNs);
    } finally {
      loop.leave();
    }
  }

  ownsBytes({ buffer }: Uint8Array): boolean {
    return !this.datapath.lendsBytes && buffer === this.incoming.bytes.buffer;
  }

  keepAlive(isWanted: boolean): void {
    this.datapath.keepAlive(isWanted);
    this.eventLoop.keepAlive(isWanted);
  }

  /** What is known of the only peer, or of the switch, when nothing comes; null for nothing. */
  trouble(): Trouble | null {
    const { attachment, refusals } = this;
    const who = attachment === null ? this.peerName(ONLY_PEER) : `the switch at ${attachment.switchName}`;
    if (refusals.isRefused) return { who, reason: 'nobody listens at its port (ECONNREFUSED)' };
    const silentNs = attachment?.silentNs(this.eventLoop.now()) ?? 0;
    if (silentNs === 0) return null;
    return { who, reason: `nothing has come from it for ${(silentNs / SECOND_NS).toFixed(1)} s` };
  }

  statistics(): DriverStatistics {
    const { datapath, frameCheck, bundler, loop, policy, kernelDrops, peers, unknownPeers } = this;
    return driverStatistics({
      datapaths: [datapath],
      frameCheck,
      bundlers: [bundler],
      loop,
      policy,
      kernelDrops,
      peers,
      unknownPeers,
    });
  }

  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  onDatagram(bytes: Uint8Array, length: number, from: Source, waitedNs: number): void {
    this.refusals.heard();
    // Those of one system call are given one after the other; between others anything may have happened.
    if (this.batched === 0 || !this.datapath.lendsBytes) this.batchNs = this.loop.noteArrival();
    const arrivedNs = this.batchNs - (waitedNs >= 0 ? waitedNs : this.guessedWaitNs(this.batchNs));
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
    if (!this.attachment?.handleFrame(frame, nowNs)) this.machine?.handleFrame(frame, nowNs);
    this.loop.leave();
    if (++this.batched === MAX_BATCH) this.onBatchEnd();
  }

  onBatchEnd(): void {
    if (this.batched === 0 || this.closing !== null) return;
    this.batched = 0;
    this.looks.looked(this.batchNs);
    this.loop.drainLeft();
  }

  onProblem(problem: SocketProblem): void {
    this.options.onProblem?.(problem);
    if (!isRefusal(problem.code) || this.peers !== null || this.closing !== null) return;
    const nowNs = this.eventLoop.now();
    if (!this.refusals.refused(nowNs, this.datapath.counters.datagramsOut)) return;
    this.attachment?.handleRefusal(nowNs);
    // There may be a deadline now. Within a turn of the loop that is looked at anyway.
    if (!this.loop.isRunning) this.loop.run(() => {});
  }

  /** Frames of the attachment have small buffers of their own and do not come back. */
  onSent(frame: Frame): void {
    if (this.bundler.takeBack(frame)) return;
    if (frame.bytes.length === this.frameBytes) this.pool?.give(frame);
  }

  get isBlocked(): boolean {
    return this.bundler.isBlocked;
  }

  get isHolding(): boolean {
    return this.bundler.isHolding;
  }

  send(frame: Frame): void {
    if (this.peers === null || this.peers.has(frame.peer)) {
      this.bundler.send(frame);
      return;
    }
    this.unknownPeers++;
    this.onSent(frame);
  }

  flush(): void {
    this.bundler.flush();
  }

  drop(frame: Frame): void {
    this.onSent(frame);
  }

  noteWake(): void {
    this.datapath.checkNext();
  }

  advance(nowNs: number): void {
    if (this.refusals.isOver(nowNs)) this.giveUp(nowNs);
    if (this.attachment !== null) {
      this.attachment.advance(nowNs);
      if (this.attachment.link !== this.terms || this.attachment.error !== null)
        this.tellAttachment(this.attachment, nowNs);
    }
    this.machine?.advance(nowNs);
  }

  poll(): Frame | null {
    return this.attachment?.poll() ?? this.machine?.poll() ?? null;
  }

  nextTimeout(): number {
    const attachNs = this.attachment?.nextTimeout() ?? Number.POSITIVE_INFINITY;
    const machineNs = this.machine?.nextTimeout() ?? Number.POSITIVE_INFINITY;
    return Math.min(attachNs, machineNs, this.refusals.nextTimeout());
  }

  /** Waits first for what runs at the moment: an application may close from inside one of its own calls. */
  private async shut(): Promise<void> {
    await null;
    this.attachment?.detach();
    this.loop.close();
    await this.datapath.close();
  }

  /** Behind a switch the peer is the host that the frame says it is from; the machine drops a frame that is too short to say. -1: no room. */
  private peerOf({ bytes, length }: Frame, { address, port }: Source, nowNs: number): number {
    if (this.peers !== null) return this.peers.number(address, port, nowNs) || -1;
    if (this.attachment === null) return ONLY_PEER;
    return length < Header.bytes ? NO_HOST : sourceHost(bytes);
  }

  /** Nothing but refusals has come for a while. The flows of an attached host wait for their timeouts: they outlive a switch that is restarted. */
  private giveUp(nowNs: number): void {
    if (this.attachment !== null) {
      this.attachment.giveUp();
      return;
    }
    const code = this.refusals.wasHeard ? 'idle' : 'unreachable';
    this.machine?.giveUp(new XpassError(code, `nobody listens at ${this.peerName(ONLY_PEER)} (ECONNREFUSED)`), nowNs);
  }

  /** Where the kernel does not say it. */
  private guessedWaitNs(nowNs: number): number {
    if (this.batched === 0) this.looks.begin(nowNs);
    return this.looks.waitedNs(nowNs);
  }

  private newAttachment(switchAddress: Address): Attachment {
    const { hostId = NO_HOST, frameBytes = 0, connectTimeoutNs = DEFAULT_CONNECT_TIMEOUT_NS } = this.options;
    const parts = {
      hostId,
      maxFrameBytes: frameBytes,
      token: this.random.uint32(),
      connectTimeoutNs,
      check: this.frameCheck.check,
      pool: new FramePool(() => Buffer.allocUnsafeSlow(ATTACH_FRAME_BYTES), 0),
      switchName: formatAddress(switchAddress),
    };
    return new Attachment(parts, this.eventLoop.now());
  }

  /** The attachment was settled, renewed or refused. */
  private tellAttachment({ link, error, attachments }: Attachment, nowNs: number): void {
    const before = this.terms;
    const isAgain = this.attachments > 0 && attachments > this.attachments;
    this.attachments = attachments;
    this.terms = link;
    if (isAgain) this.options.onAttachedAgain?.();
    if (this.onSettled !== null) {
      // Whoever waits for the attachment hears of it there.
      this.isDetached = error !== null;
      this.onSettled();
      this.onSettled = null;
    } else if (error !== null) {
      this.tellDetached(error);
    } else if (link !== null && before !== null && !sameTerms(link, before)) {
      if (link.rateBps !== before.rateBps) this.machine?.setLinkRate(link.rateBps, nowNs);
      this.options.onLinkChanged?.(link, before);
    }
  }

  private tellDetached(error: XpassError): void {
    if (this.isDetached) return;
    this.isDetached = true;
    this.options.onDetached?.(error);
  }
}

function sameTerms(a: AttachedLink, b: AttachedLink): boolean {
  return a.hostId === b.hostId && a.rateBps === b.rateBps && a.maxFrameBytes === b.maxFrameBytes;
}
