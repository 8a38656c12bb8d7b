// Tested by test/loopback/udp-switch.test.ts
import type { Crc32 } from '../base/crc32.js';
import type { Random } from '../base/random.js';
import { isBundle } from '../wire/bundle.js';
import type { Frame, FramePool } from '../wire/frame.js';
import type { CookieMaker } from '../wire/proofs.js';
import { type Address, formatAddress, resolveAddress, type TrunkAddresses } from './address.js';
import { ArrivalBatch } from './arrival-times.js';
import { HmacCookies } from './cookies.js';
import { loadFrameCheck } from './crc.js';
import { DatagramPool } from './datagram-pool.js';
import type { Datapath, DatapathHandlers, DatapathInfo } from './datapath.js';
import type { LoopMachine } from './machine-loop.js';
import { PeerTable, type PeerTableOptions } from './peer-table.js';
import { SystemRandom } from './random.js';
import { closeAll, type DriverOptions, type DriverParts, openDatapath, SocketDriver } from './socket-driver.js';
import { monotonicNs } from './wake.js';

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
  /** For the addresses of this driver's peers. */
  readonly cookies: CookieMaker;
  /** What a limit by source is of. */
  sourceOf(peer: number): number;
  /** While a peer is held its number stands for no other address. */
  holdPeer(peer: number, isHeld: boolean): void;
}

export interface UdpSwitchOptions<M extends SwitchMachine> extends DriverOptions {
  /** Where hosts find the switch. */
  bind: Address;
  trunks?: readonly TrunkAddresses[];
  /** Largest UDP payload of all links. */
  frameBytes: number;
  makeMachine(parts: SwitchParts): M;
  peerTable?: PeerTableOptions;
}

/** Numbers of trunks start here, far above those of hosts' addresses. */
const FIRST_TRUNK_PEER = 2 ** 24;

/** A switch on its UDP sockets: one for all hosts, and one for each trunk, connected to the trunk's other end. */
export class UdpSwitch<M extends SwitchMachine> extends SocketDriver {
  readonly machine: M;
  private readonly hosts: PeerTable;
  private readonly pool: DatagramPool;
  private readonly arrivals = new ArrivalBatch();
  /** When the newest datagrams were read. */
  private arrivedNs = 0;

  private constructor(options: UdpSwitchOptions<M>, parts: DriverParts & { peers: PeerTable }) {
    const pool = new DatagramPool(options.frameBytes);
    const { peers: hosts } = parts;
    const { check } = parts.frameCheck;
    const machine = options.makeMachine({
      ...{ pool, check, random: new SystemRandom(), nowNs: monotonicNs() },
      cookies: new HmacCookies((peer) =>
        hosts.has(peer) ? `${hosts.address(peer)} ${hosts.port(peer)}` : `trunk ${peer}`,
      ),
      sourceOf: (peer) => (hosts.has(peer) ? hosts.sourceOf(peer) : peer),
      holdPeer: (peer, isHeld) => {
        if (isHeld) hosts.hold(peer);
        else hosts.release(peer);
      },
    });
    (options.trunks ?? []).forEach(({ name }, index) => {
      machine.trunkPeer(name, FIRST_TRUNK_PEER + index);
    });
    super(machine, parts, options);
    this.machine = machine;
    this.hosts = parts.peers;
    this.pool = pool;
    this.loop.beforeTurn = () => {
      for (const datapath of this.datapaths) datapath.takeArrived();
      this.takeArrivals();
    };
    this.datapaths.forEach((datapath, index) => {
      datapath.start(this.handlersOf(index, options));
    });
  }

  /** Binds all sockets and builds the machine. Throws XpassError `config` that names an address that cannot be used. */
  static async open<M extends SwitchMachine>(options: UdpSwitchOptions<M>): Promise<UdpSwitch<M>> {
    const peers = new PeerTable(options.peerTable);
    const frameCheck = await loadFrameCheck();
    const datapaths = await openDatapaths(options, peers);
    try {
      return new UdpSwitch(options, { datapaths, frameCheck, peers });
    } catch (error) {
      await closeAll(datapaths);
      throw error;
    }
  }

  /** The sockets: that of the hosts, then those of the trunks. */
  get info(): readonly DatapathInfo[] {
    return this.datapaths.map(({ info }) => info);
  }

  /** Changes the machine or asks it something; what it wants to send is sent at once. Returns or throws what the action does. */
  run<T>(action: (nowNs: number, machine: M) => T): T {
    return this.loop.run((nowNs) => action(nowNs, this.machine));
  }

  override send(frame: Frame): boolean {
    const trunk = frame.peer - FIRST_TRUNK_PEER;
    if (trunk >= 0) return this.bundlers[trunk + 1].send(frame);
    if (this.hosts.has(frame.peer)) return this.bundlers[0].send(frame);
    this.unknownPeers++;
    this.drop(frame);
    return true;
  }

  override drop(frame: Frame): void {
    this.pool.give(frame);
  }

  override noteWake(): void {
    this.arrivals.seen(this.now());
    super.noteWake();
  }

  /** The socket at `index` 0 is the hosts'. */
  private handlersOf(index: number, { trunks = [], onProblem }: UdpSwitchOptions<M>): DatapathHandlers {
    const { lendsBytes } = this.datapaths[index];
    const trunk = index === 0 ? undefined : trunks[index - 1];
    const where = trunk === undefined ? '' : `trunk ${trunk.name} to ${formatAddress(trunk.remote)}: `;
    return {
      onDatagram: (bytes, length, { address, port }) => {
        if (this.arrivals.length === 0 || !lendsBytes) this.arrivedNs = this.loop.noteArrival();
        const peer = index === 0 ? this.hosts.number(address, port, this.arrivedNs) : FIRST_TRUNK_PEER + index - 1;
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
    const nowNs = this.now();
    this.loop.begin(nowNs);
    this.arrivals.deliver(nowNs, this.deliver);
    this.loop.drain();
    this.arrivals.seen(this.now());
  };

  private readonly deliver = (frame: Frame, atNs: number): void => {
    this.machine.handleDatagram(frame, atNs);
  };
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
