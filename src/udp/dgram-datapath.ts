// Tested by test/udp/dgram-datapath.test.ts and, with real sockets, test/loopback/udp-datapath.test.ts
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Frame } from '../wire/frame.js';
import type { UdpAddress } from './address.js';
import {
  type Datapath,
  type DatapathCounters,
  type DatapathHandlers,
  type DatapathInfo,
  type DatapathOptions,
  DEFAULT_BUFFER_BYTES,
  NOBODY,
  noCounts,
  sizeBuffers,
} from './datapath.js';
import type { PeerTable } from './peer-table.js';
import { bindError, codeOf, connectError, ProblemReport } from './socket-errors.js';

/** Sends with a callback, which alone tell errors: one in 64, the first, after an error or a wake by deadline, and above the size known to pass. */
const CHECKED_SHARE = 64;

/** Frames up to here are sent as copies in an array of their length that is kept: 48 ns, where a view takes 90 and leaves 100 bytes of garbage. */
const SMALL_BYTES = 64;

/** Opens a socket by `node:dgram`. Throws XpassError `config` or `unreachable` that names the address when it cannot be bound or connected. */
export async function openDgramDatapath(options: DatapathOptions, fallback?: string): Promise<Datapath> {
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
  return new DgramDatapath(socket, options, fallback);
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

/** A datapath by `node:dgram`: one system call a datagram. `openDgramDatapath` makes one of a socket that is bound. */
export class DgramDatapath implements Datapath {
  readonly info: DatapathInfo;
  readonly counters: DatapathCounters = noCounts();
  readonly lendsBytes = false;
  private readonly socket: Socket;
  private readonly peers: PeerTable | null;
  private handlers: DatapathHandlers = NOBODY;
  private readonly report: ProblemReport;
  /** The frame that Node queued: its bytes must not change before the kernel took them. */
  private pinned: Frame | null = null;
  private isBatchOpen = false;
  /** By length. */
  private readonly small: Uint8Array[] = Array.from({ length: SMALL_BYTES + 1 }, (_, length) => new Uint8Array(length));
  private sendsUntilChecked = 0;
  /** Largest frame that is known to have passed, and largest that is being checked. */
  private provenBytes = 0;
  private checkedBytes = 0;
  private checkedPeer = 0;

  /** `fallback`: why it is not the kind that was asked for. */
  constructor(socket: Socket, options: DatapathOptions, fallback?: string) {
    this.socket = socket;
    this.peers = options.peers;
    const { address, port, family } = socket.address();
    const local: UdpAddress = { address, port, family: family === 'IPv6' ? 6 : 4 };
    this.report = new ProblemReport(options);
    const sizes = sizeBuffers(socket, options.bufferBytes ?? DEFAULT_BUFFER_BYTES);
    this.info = { kind: 'dgram', local, ...sizes, ...(fallback !== undefined && { fallback }) };
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

  takeArrived(): void {
    this.endBatch();
  }

  send(frame: Frame): void {
    const bytes = this.bytesOf(frame);
    const callback = this.isToBeChecked(frame) ? this.onChecked : undefined;
    if (this.peers === null) {
      this.socket.send(bytes, callback);
    } else {
      this.socket.send(bytes, this.peers.port(frame.peer), this.peers.address(frame.peer), callback);
    }
    this.counters.datagramsOut++;
    this.counters.sendCalls++;
    this.counters.bytesOut += frame.length;
    // 14 ns: cheap enough to know after each send whether the bytes may be reused.
    if (this.socket.getSendQueueCount() === 0) {
      this.handlers.onSent(frame);
      return;
    }
    this.counters.sendQueueFull++;
    this.pinned = frame;
    // What Node has queued is not written to any more.
    if (frame.length <= SMALL_BYTES) this.small[frame.length] = new Uint8Array(frame.length);
  }

  /** Each send is a system call of its own. */
  flush(): void {}

  checkNext(): void {
    this.sendsUntilChecked = 0;
  }

  problems(): Record<string, number> {
    return this.report.snapshot();
  }

  keepAlive(isWanted: boolean): void {
    if (isWanted) this.socket.ref();
    else this.socket.unref();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(resolve));
  }

  private bytesOf({ bytes, length }: Frame): Uint8Array {
    if (length === bytes.length) return bytes;
    if (length > SMALL_BYTES) return bytes.subarray(0, length);
    const copy = this.small[length];
    for (let at = 0; at < length; at++) copy[at] = bytes[at];
    return copy;
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
      this.tell(error);
      this.sendsUntilChecked = 0;
      return;
    }
    if (sentBytes > this.provenBytes) this.provenBytes = sentBytes;
    this.checkedBytes = 0;
  };

  private readonly onMessage = (bytes: Buffer, from: RemoteInfo): void => {
    this.counters.datagramsIn++;
    this.counters.receiveCalls++;
    this.counters.bytesIn += bytes.length;
    this.handlers.onDatagram(bytes, bytes.length, from, -1);
    if (this.isBatchOpen) return;
    this.isBatchOpen = true;
    setImmediate(this.endBatch);
  };

  /** libuv reads up to 32 datagrams of a socket before anything else runs; immediates come after them. */
  private readonly endBatch = (): void => {
    if (!this.isBatchOpen) return;
    this.isBatchOpen = false;
    this.handlers.onBatchEnd();
  };

  private readonly onError = (error: Error): void => this.tell(error);

  private tell(error: Error): void {
    const isTooLong = codeOf(error) === 'EMSGSIZE' && this.checkedBytes > 0;
    if (isTooLong && this.handlers.onTooLong?.(this.checkedPeer, this.checkedBytes) === true) {
      this.report.problem('EMSGSIZE', this.checkedPeer, this.checkedBytes);
      return;
    }
    this.handlers.onProblem(this.report.problem(codeOf(error), this.checkedPeer, this.checkedBytes));
  }
}
