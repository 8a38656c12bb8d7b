// Tested by test/udp/datapath.test.ts and, with real sockets, test/loopback/udp-datapath.test.ts
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Frame } from '../wire/frame.js';
import { formatAddress, type UdpAddress } from './address.js';
import type { PeerTable } from './peer-table.js';
import { sizeBuffers } from './socket-buffers.js';
import { bindError, codeOf, connectError, explainProblem, ProblemCounts, type SocketProblem } from './socket-errors.js';

/** Asked for in both directions (ours): 2,700 full frames, 12 ms of a 2.7 Gbit/s burst. The kernel may give less. */
const DEFAULT_BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * A send with a callback costs 150 ns more than the 3.4 us (connected) or 4.0 us (with an address) of one without: 4 %. Without one, Node keeps
 * errors of sending to itself. So one send in 16 has it, and besides: the first, every one after an error until one succeeds, the first after a wake by
 * deadline (which keep-alives are), and every one larger than any that is known to have passed (EMSGSIZE).
 */
const CHECKED_SHARE = 16;

export interface DatapathOptions {
  bind: UdpAddress;
  /** The only peer there is: the socket is connected to it, which saves 0.6 us a send and lets the kernel turn everyone else away. */
  remote?: UdpAddress;
  /** Numbers for the addresses of peers; needed unless connected. */
  peers: PeerTable | null;
  bufferBytes?: number;
}

export interface DatapathHandlers {
  /** A datagram arrived; the bytes are the handler's. */
  onDatagram(bytes: Uint8Array, address: string, port: number): void;
  onProblem(problem: SocketProblem): void;
  /** The kernel has done with the bytes of a frame. */
  onSent(frame: Frame): void;
}

/** What became of the socket at its opening. */
export interface DatapathInfo {
  /** Where it is bound, with the port that the system chose. */
  readonly local: UdpAddress;
  /** Sizes that the kernel gives, its own overhead taken off; below what was asked when the system's limit is lower. */
  readonly receiveBufferBytes: number;
  readonly sendBufferBytes: number;
  /** Sentences for people about what is less than wanted. */
  readonly warnings: readonly string[];
}

/** Plain numbers, so that counting costs an increment. */
export interface DatapathCounters {
  datagramsIn: number;
  bytesIn: number;
  datagramsOut: number;
  bytesOut: number;
  /** Times that the kernel had no room and Node queued the datagram. */
  sendQueueFull: number;
}

/** Datagrams in and out of one socket. Another implementation (several datagrams a system call, say) has to have these verbs only. */
export interface Datapath {
  readonly info: DatapathInfo;
  readonly counters: Readonly<DatapathCounters>;
  /** The kernel takes nothing at the moment, and a frame that was sent is still being read. */
  readonly isBlocked: boolean;
  /** From now on datagrams, problems and frames that are done with go to `handlers`; what came before is lost. */
  start(handlers: DatapathHandlers): void;
  /** Sends to `frame.peer`, or to the remote when connected. Not to be called while blocked. The frame comes back through `onSent`. */
  send(frame: Frame): void;
  /** The next send is to report its error. */
  checkNext(): void;
  /** Errors of sending and receiving by code; of the errors of sending those that were noticed, one in 16 at least. */
  problems(): Record<string, number>;
  close(): Promise<void>;
}

/** Opens a socket by `node:dgram`. Throws XpassError `config` or `unreachable` that names the address when it cannot be bound or connected. */
export async function openDatapath(options: DatapathOptions): Promise<Datapath> {
  const socket = createSocket({
    type: options.bind.family === 6 ? 'udp6' : 'udp4',
    // Addresses are numeric. Node's own look-up would do so much and put off each send to the next tick: 4.2 us a send instead of 4.0.
    lookup: (address, _options, callback) => callback(null, address, options.bind.family),
  });
  try {
    await bind(socket, options.bind);
    if (options.remote !== undefined) await connect(socket, options.remote);
  } catch (error) {
    socket.close();
    throw error;
  }
  return new DgramDatapath(socket, options);
}

function bind(socket: Socket, local: UdpAddress): Promise<void> {
  const { address, port } = local;
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(bindError(error, local));
    socket.once('error', onError);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off('error', onError);
      resolve();
    });
  });
}

function connect(socket: Socket, remote: UdpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    // Node's types leave out the error that the callback gets.
    const onConnected = (error?: Error) => (error ? reject(connectError(error, remote)) : resolve());
    socket.connect(remote.port, remote.address, onConnected);
  });
}

const NOBODY: DatapathHandlers = { onDatagram: () => {}, onProblem: () => {}, onSent: () => {} };

/** A datapath by `node:dgram`: one system call a datagram. `openDatapath` makes one of a socket that is bound. */
export class DgramDatapath implements Datapath {
  readonly info: DatapathInfo;
  readonly counters: DatapathCounters = { datagramsIn: 0, bytesIn: 0, datagramsOut: 0, bytesOut: 0, sendQueueFull: 0 };
  private readonly socket: Socket;
  private readonly remote: UdpAddress | undefined;
  private readonly peers: PeerTable | null;
  private handlers: DatapathHandlers = NOBODY;
  private readonly counts = new ProblemCounts();
  /** The frame that Node queued: its bytes must not change before the kernel took them. */
  private pinned: Frame | null = null;
  private sendsUntilChecked = 0;
  /** Largest frame that is known to have passed, and largest that is being checked. */
  private provenBytes = 0;
  private checkedBytes = 0;
  private checkedPeer = 0;

  constructor(socket: Socket, options: DatapathOptions) {
    this.socket = socket;
    this.remote = options.remote;
    this.peers = options.peers;
    const { address, port, family } = socket.address();
    const local: UdpAddress = { address, port, family: family === 'IPv6' ? 6 : 4 };
    this.info = { local, ...sizeBuffers(socket, options.bufferBytes ?? DEFAULT_BUFFER_BYTES) };
    socket.on('message', this.onMessage);
    // A connected socket hears of a closed port here. The protocol's own timeouts decide what that means.
    socket.on('error', this.onError);
  }

  start(handlers: DatapathHandlers): void {
    this.handlers = handlers;
  }

  get isBlocked(): boolean {
    if (this.pinned === null) return false;
    if (this.socket.getSendQueueCount() > 0) return true;
    this.handlers.onSent(this.pinned);
    this.pinned = null;
    return false;
  }

  send(frame: Frame): void {
    const bytes = frame.length === frame.bytes.length ? frame.bytes : frame.bytes.subarray(0, frame.length);
    const callback = this.isToBeChecked(frame) ? this.onChecked : undefined;
    if (this.peers === null) {
      this.socket.send(bytes, callback);
    } else {
      this.peers.markAnswered(frame.peer);
      this.socket.send(bytes, this.peers.port(frame.peer), this.peers.address(frame.peer), callback);
    }
    this.counters.datagramsOut++;
    this.counters.bytesOut += frame.length;
    // 14 ns: cheap enough to know after each send whether the bytes may be reused.
    if (this.socket.getSendQueueCount() === 0) {
      this.handlers.onSent(frame);
      return;
    }
    this.counters.sendQueueFull++;
    this.pinned = frame;
  }

  checkNext(): void {
    this.sendsUntilChecked = 0;
  }

  problems(): Record<string, number> {
    return this.counts.snapshot();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(resolve));
  }

  private isToBeChecked(frame: Frame): boolean {
    if (frame.length <= this.provenBytes && this.sendsUntilChecked > 0) {
      this.sendsUntilChecked--;
      return false;
    }
    this.sendsUntilChecked = CHECKED_SHARE - 1;
    this.checkedBytes = Math.max(this.checkedBytes, frame.length);
    this.checkedPeer = frame.peer;
    return true;
  }

  private readonly onChecked = (error: Error | null, sentBytes: number): void => {
    if (error !== null) {
      this.report(error);
      this.sendsUntilChecked = 0;
      return;
    }
    if (sentBytes > this.provenBytes) this.provenBytes = sentBytes;
    this.checkedBytes = 0;
  };

  private readonly onMessage = (bytes: Buffer, from: RemoteInfo): void => {
    this.counters.datagramsIn++;
    this.counters.bytesIn += bytes.length;
    this.handlers.onDatagram(bytes, from.address, from.port);
  };

  private readonly onError = (error: Error): void => this.report(error);

  private report(error: Error): void {
    const code = codeOf(error);
    const message = explainProblem(code, this.nameOfPeer(), this.checkedBytes);
    this.handlers.onProblem({ code, message, count: this.counts.add(code) });
  }

  private nameOfPeer(): string {
    if (this.remote !== undefined) return formatAddress(this.remote);
    if (this.peers === null || !this.peers.has(this.checkedPeer)) return '';
    const family = this.info.local.family;
    return formatAddress({
      address: this.peers.address(this.checkedPeer),
      port: this.peers.port(this.checkedPeer),
      family,
    });
  }
}
