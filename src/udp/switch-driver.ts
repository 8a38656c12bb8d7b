// Tested by test/loopback/udp-switch.test.ts
import type { Crc32 } from '../base/crc32.js';
import type { Random } from '../base/random.js';
import { BundleReader, isBundle } from '../wire/bundle.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { type Address, formatAddress, resolveAddress } from './address.js';
import { ArrivalBatch } from './arrival-batch.js';
import { Bundler } from './bundler.js';
import { monotonicNs } from './clock.js';
import { type FrameCheck, loadFrameCheck } from './crc.js';
import { DatagramPool } from './datagram-pool.js';
import type { Datapath, DatapathHandlers, DatapathInfo, DatapathKind } from './datapath.js';
import { KernelDrops } from './kernel-drops.js';
import { type FrameSink, type LoopMachine, MachineLoop } from './machine-loop.js';
import { openDatapath } from './open-datapath.js';
import { PeerTable, type PeerTableOptions } from './peer-table.js';
import { SystemRandom } from './random.js';
import type { SocketProblem } from './socket-errors.js';
import { type DriverStatistics, driverStatistics } from './statistics.js';
import { prepareWaiting, type WaitOptions } from './waiting.js';
import type { WakePolicy } from './wake-policy.js';

/** What the driver needs of a switch; `switch/switch.ts` is one. */
export interface SwitchMachine extends LoopMachine {
  /** Takes a datagram from `frame.peer`; the frame becomes the machine's. */
  handleDatagram(frame: Frame, nowNs: number): void;
  /** The number that stands for the other end of a trunk. */
  trunkPeer(name: string, peer: number): void;
}

/** What a switch is built from. */
export interface SwitchParts {
  /** Frames with buffers of `frameBytes`. */
  readonly pool: FramePool;
  readonly check: Crc32;
  readonly random: Random;
  readonly nowNs: number;
}

/** One end of a trunk. PROTOCOL §8.4 */
export interface TrunkAddresses {
  /** The trunk's name in the topology. */
  name: string;
  /** Where this end receives: its own port, which the other process names. */
  bind: Address;
  remote: Address;
}

export interface UdpSwitchOptions<M extends SwitchMachine> extends WaitOptions {
  /** Where hosts find the switch. */
  bind: Address;
  trunks?: readonly TrunkAddresses[];
  /** Largest UDP payload of all links. */
  frameBytes: number;
  makeMachine(parts: SwitchParts): M;
  socketBufferBytes?: number;
  /** Of all sockets; `dgram` by default, and where the other cannot be had. */
  datapath?: DatapathKind;
  peerTable?: PeerTableOptions;
  /** Trouble with a socket that the protocol's timeouts will deal with: for a log. */
  onProblem?(problem: SocketProblem): void;
}

/** Numbers of trunks start here, far above those of hosts' addresses. */
const FIRST_TRUNK_PEER = 2 ** 24;

/** A switch on its UDP sockets: one for all hosts, and one for each trunk, connected to the trunk's other end. */
export class UdpSwitch<M extends SwitchMachine> {
  readonly machine: M;
  private readonly sockets: SwitchSockets;

  private constructor(machine: M, sockets: SwitchSockets) {
    this.machine = machine;
    this.sockets = sockets;
  }

  /** Binds all sockets and builds the machine. Throws XpassError `config` that names an address that cannot be used. */
  static async open<M extends SwitchMachine>(options: UdpSwitchOptions<M>): Promise<UdpSwitch<M>> {
    const peers = new PeerTable(options.peerTable);
    const frameCheck = await loadFrameCheck();
    const { check } = frameCheck;
    const datapaths = await openDatapaths(options, peers);
    const pool = new DatagramPool(options.frameBytes);
    try {
      const machine = options.makeMachine({ pool, check, random: new SystemRandom(), nowNs: monotonicNs() });
      (options.trunks ?? []).forEach(({ name }, index) => {
        machine.trunkPeer(name, FIRST_TRUNK_PEER + index);
      });
      return new UdpSwitch(machine, new SwitchSockets(machine, { datapaths, frameCheck, peers, pool, options }));
    } catch (error) {
      await closeAll(datapaths);
      throw error;
    }
  }

  /** The sockets: that of the hosts, then those of the trunks. */
  get info(): readonly DatapathInfo[] {
    return this.sockets.datapaths.map(({ info }) => info);
  }

  /** Who computes the check of frames that the switch itself sends and takes: attachments. */
  get frameCheck(): FrameCheck {
    return this.sockets.frameCheck;
  }

  /** The driver's time, ns. */
  now(): number {
    return monotonicNs();
  }

  /** Changes the machine or asks it something; what it wants to send is sent at once. Returns or throws what the action does. */
  run<T>(action: (nowNs: number, machine: M) => T): T {
    return this.sockets.loop.run((nowNs) => action(nowNs, this.machine));
  }

  statistics(): DriverStatistics {
    return this.sockets.statistics();
  }

  /** Sends what is left at once and closes the sockets. */
  close(): Promise<void> {
    return this.sockets.close();
  }
}

async function openDatapaths<M extends SwitchMachine>(
  { bind, trunks = [], socketBufferBytes, datapath }: UdpSwitchOptions<M>,
  peers: PeerTable,
): Promise<Datapath[]> {
  const bufferBytes = socketBufferBytes === undefined ? {} : { bufferBytes: socketBufferBytes };
  const opened: Datapath[] = [];
  try {
    opened.push(await openDatapath({ bind: await resolveAddress(bind), peers, ...bufferBytes }, datapath));
    for (const trunk of trunks) {
      const local = await resolveAddress(trunk.bind);
      const remote = await resolveAddress(trunk.remote, local.family);
      opened.push(await openDatapath({ bind: local, remote, peers: null, ...bufferBytes }, datapath));
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function closeAll(datapaths: readonly Datapath[]): Promise<void> {
  await Promise.all(datapaths.map((datapath) => datapath.close()));
}

interface SwitchSocketsParts {
  datapaths: readonly Datapath[];
  frameCheck: FrameCheck;
  peers: PeerTable;
  pool: DatagramPool;
  options: UdpSwitchOptions<SwitchMachine>;
}

/** The sockets and the loop of a switch. */
class SwitchSockets implements FrameSink {
  readonly datapaths: readonly Datapath[];
  readonly frameCheck: FrameCheck;
  readonly loop: MachineLoop;
  private readonly bundlers: readonly Bundler[];
  private readonly unbundled = new BundleReader();
  private readonly machine: SwitchMachine;
  private readonly peers: PeerTable;
  private readonly pool: DatagramPool;
  private readonly policy: WakePolicy;
  private readonly kernelDrops: KernelDrops;
  private readonly arrivals = new ArrivalBatch();
  /** When the newest datagrams were read. */
  private arrivedNs = 0;
  private unknownPeers = 0;
  private closing: Promise<void> | null = null;

  constructor(machine: SwitchMachine, { datapaths, frameCheck, peers, pool, options }: SwitchSocketsParts) {
    this.machine = machine;
    this.frameCheck = frameCheck;
    this.datapaths = datapaths;
    this.peers = peers;
    this.pool = pool;
    this.bundlers = datapaths.map((datapath, index) => new Bundler(datapath, index > 0, (frame) => this.drop(frame)));
    const { policy, loop } = prepareWaiting(options);
    this.policy = policy;
    this.kernelDrops = new KernelDrops(datapaths.map(({ info }) => info.local.port));
    this.loop = new MachineLoop(machine, {
      policy,
      loop,
      sink: this,
      ...(options.earlyNs !== undefined && { earlyNs: options.earlyNs }),
    });
    this.loop.beforeTurn = () => {
      for (const datapath of datapaths) datapath.takeArrived();
      this.takeArrivals();
    };
    datapaths.forEach((datapath, index) => {
      datapath.start(this.handlersOf(index, options));
    });
  }

  get isBlocked(): boolean {
    for (const bundler of this.bundlers) if (bundler.isBlocked) return true;
    return false;
  }

  get isHolding(): boolean {
    for (const bundler of this.bundlers) if (bundler.isHolding) return true;
    return false;
  }

  send(frame: Frame): void {
    const trunk = frame.peer - FIRST_TRUNK_PEER;
    if (trunk >= 0) this.bundlers[trunk + 1].send(frame);
    else if (this.peers.has(frame.peer)) this.bundlers[0].send(frame);
    else {
      this.unknownPeers++;
      this.drop(frame);
    }
  }

  flush(): void {
    for (const bundler of this.bundlers) bundler.flush();
  }

  drop(frame: Frame): void {
    this.pool.give(frame);
  }

  noteWake(): void {
    this.arrivals.seen(monotonicNs());
    for (const datapath of this.datapaths) datapath.checkNext();
  }

  statistics(): DriverStatistics {
    const { datapaths, frameCheck, bundlers, loop, policy, kernelDrops, peers, unknownPeers } = this;
    return driverStatistics({ datapaths, frameCheck, bundlers, loop, policy, kernelDrops, peers, unknownPeers });
  }

  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  private async shut(): Promise<void> {
    await null;
    this.loop.close();
    await closeAll(this.datapaths);
  }

  /** The socket at `index` 0 is the hosts'. */
  private handlersOf(index: number, { trunks = [], onProblem }: UdpSwitchOptions<SwitchMachine>): DatapathHandlers {
    const { lendsBytes } = this.datapaths[index];
    const trunk = index === 0 ? undefined : trunks[index - 1];
    const where = trunk === undefined ? '' : `trunk ${trunk.name} to ${formatAddress(trunk.remote)}: `;
    return {
      onDatagram: (bytes, length, { address, port }) => {
        if (this.arrivals.length === 0 || !lendsBytes) this.arrivedNs = this.loop.noteArrival();
        const peer = index === 0 ? this.peers.number(address, port, this.arrivedNs) : FIRST_TRUNK_PEER + index - 1;
        if (peer === 0 || this.closing !== null) return;
        if (isBundle(bytes, length)) this.unbundle(bytes, length, peer);
        else this.collect(lendsBytes ? this.pool.copy(bytes, length) : this.pool.wrap(bytes), peer);
      },
      // Datagrams that come one by one are all read before the loop's next turn.
      onBatchEnd: () => {
        if (lendsBytes) this.takeArrivals();
      },
      onProblem: (problem) => onProblem?.({ ...problem, message: where + problem.message }),
      onSent: (frame) => {
        if (!this.bundlers[index].takeBack(frame)) this.pool.give(frame);
      },
    };
  }

  private unbundle(bytes: Uint8Array, length: number, peer: number): void {
    const { unbundled } = this;
    unbundled.open(bytes, length);
    for (let joins = false; unbundled.next(); joins = true) {
      this.collect(this.pool.copy(unbundled.bytes, unbundled.length), peer, joins);
    }
  }

  private collect(frame: Frame, peer: number, joins = false): void {
    frame.peer = peer;
    if (this.arrivals.push(frame, joins)) setImmediate(this.takeArrivals);
  }

  private readonly takeArrivals = (): void => {
    if (this.arrivals.length === 0 || this.closing !== null) return;
    const nowNs = monotonicNs();
    this.loop.begin(nowNs);
    this.arrivals.deliver(nowNs, this.deliver);
    this.loop.drain();
    this.arrivals.seen(monotonicNs());
  };

  private readonly deliver = (frame: Frame, atNs: number): void => {
    this.machine.handleDatagram(frame, atNs);
  };
}
