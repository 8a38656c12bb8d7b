// Tested by test/loopback/udp-host.test.ts
import type { Crc32 } from '../base/crc32.js';
import type { Random } from '../base/random.js';
import type { AttachedLink } from '../core/attachment.js';
import type { FramePool } from '../wire/frame.js';
import type { Address, UdpAddress } from './address.js';
import { monotonicNs } from './clock.js';
import type { FrameCheck } from './crc.js';
import { bufferPool } from './datagram-pool.js';
import type { DatapathInfo } from './datapath.js';
import {
  type ConnectionOptions,
  type HostConnection,
  type HostMachine,
  openConnection,
  type Trouble,
} from './host-connection.js';
import { hostCredits } from './host-credits.js';
import type { DriverStatistics } from './statistics.js';

/** What a host's machine is built from. */
export interface HostParts {
  readonly link: AttachedLink;
  /** Frames with buffers of `link.maxFrameBytes`. */
  readonly pool: FramePool;
  readonly check: Crc32;
  readonly random: Random;
  /** Credits that the host may have outstanding; see host-credits.ts. */
  readonly hostCredits: number;
  readonly nowNs: number;
}

export interface UdpHostOptions<M extends HostMachine> extends ConnectionOptions {
  /** Builds the machine, once the link is known. */
  makeMachine(parts: HostParts): M;
}

/**
 * One host on a UDP socket: datagrams to its machine and frames from it, directly or behind a switch.
 *
 *     const host = await UdpHost.open({ switchAddress, makeMachine: ({ link, pool, check, random }) => new Host(...) });
 *     const flow = host.run((nowNs, machine) => machine.endpoint.open(3, writer, {}, nowNs));
 */
export class UdpHost<M extends HostMachine> {
  readonly machine: M;
  private readonly connection: HostConnection;

  private constructor(machine: M, connection: HostConnection) {
    this.machine = machine;
    this.connection = connection;
  }

  /**
   * Binds, attaches where there is a switch, and builds the machine. Throws XpassError: `config` for addresses that cannot be used; `attach`,
   * `frameSize` or `version` when the switch refuses, `unreachable` when it does not answer.
   */
  static async open<M extends HostMachine>(options: UdpHostOptions<M>): Promise<UdpHost<M>> {
    const connection = await openConnection(options);
    try {
      const link = await connection.attach();
      const pool = bufferPool(link.maxFrameBytes);
      const { random, datapath, frameCheck } = connection;
      const credits = hostCredits(datapath.info.receiveBufferBytes, link.maxFrameBytes);
      const parts = { link, pool, check: frameCheck.check, random, hostCredits: credits, nowNs: monotonicNs() };
      const machine = options.makeMachine(parts);
      connection.start(machine, pool, link.maxFrameBytes);
      return new UdpHost(machine, connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The terms of the host's link: behind a switch the latest that it gave. */
  get link(): AttachedLink {
    return this.connection.link;
  }

  /** Where the socket is bound and what it was given. */
  get info(): DatapathInfo {
    return this.connection.datapath.info;
  }

  /** How datagrams are sent and received. */
  get datapath(): string {
    return this.connection.datapath.info.kind;
  }

  /** Who computes the check of frames. */
  get frameCheck(): FrameCheck {
    return this.connection.frameCheck;
  }

  /** The driver's time, ns. */
  now(): number {
    return monotonicNs();
  }

  /**
   * Changes the machine: whatever a program does to it goes through here, so that what it wants to send is sent at once. May be used anywhere, also
   * in what the machine calls. Returns or throws what the action does.
   */
  run<T>(action: (nowNs: number, machine: M) => T): T {
    const { loop } = this.connection;
    // For each frame that a program takes, and releases: the closure is 96 bytes of garbage.
    if (loop.isRunning) return action(loop.latestNs, this.machine);
    return this.connection.run((nowNs) => action(nowNs, this.machine));
  }

  /** The machine's time while it is at work, -1 otherwise: for who calls a flow's verbs for each frame and wants no closure. */
  get workingNs(): number {
    const { loop } = this.connection;
    return loop.isRunning ? loop.latestNs : -1;
  }

  /** Inside the machine's calls: the bytes are part of the datagram that came, and its memory is used for no other. */
  ownsBytes(bytes: Uint8Array): boolean {
    return this.connection.ownsBytes(bytes);
  }

  /** Whether the socket and its timers keep the process alive; they do at first. */
  keepAlive(isWanted: boolean): void {
    this.connection.keepAlive(isWanted);
  }

  /** The UDP address of a peer in direct mode; null behind a switch, and for a peer that is forgotten. */
  peerAddress(peer: number): UdpAddress | null {
    return this.connection.peerAddress(peer);
  }

  /**
   * The number of a peer in direct mode, for `Endpoint.open`. Throws XpassError `config` for a name that does not resolve and `tooManyFlows` when the
   * table of peers is full.
   */
  resolvePeer(address: Address): Promise<number> {
    return this.connection.resolvePeer(address);
  }

  /** A peer as people write it: its UDP address in direct mode, `host 3` behind a switch. */
  peerName(peer: number): string {
    return this.connection.peerName(peer);
  }

  /** Why nothing comes, as far as it is known: for the sentence of a failure. */
  trouble(): Trouble | null {
    return this.connection.trouble();
  }

  statistics(): DriverStatistics {
    return this.connection.statistics();
  }

  /** Gives the port back to the switch, sends what is left at once and closes the socket. End or reset the flows before. */
  close(): Promise<void> {
    return this.connection.close();
  }
}
