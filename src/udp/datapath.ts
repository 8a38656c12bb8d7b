// Tested by test/loopback/udp-datapath.test.ts
import type { Frame } from '../wire/frame.js';
import type { UdpAddress } from './address.js';
import type { PeerTable } from './peer-table.js';
import type { SocketProblem } from './socket-errors.js';

/** Asked for in both directions (ours): 2,700 full frames, 12 ms of a 2.7 Gbit/s burst. The kernel may give less. */
export const DEFAULT_BUFFER_BYTES = 4 * 1024 * 1024;

/** Ways of moving datagrams: `--datapath`. */
export type DatapathKind = 'dgram' | 'mmsg';
export const DATAPATH_KINDS: readonly DatapathKind[] = ['dgram', 'mmsg'];

export interface DatapathOptions {
  bind: UdpAddress;
  /** The only peer there is: the socket is connected to it, which saves 0.6 us a send and lets the kernel turn everyone else away. */
  remote?: UdpAddress;
  /** Numbers for the addresses of peers; needed unless connected. */
  peers: PeerTable | null;
  bufferBytes?: number;
}

export interface DatapathHandlers {
  /**
   * A datagram arrived: `bytes[0 .. length)`. The bytes are the handler's, or lent to it until it returns (`Datapath.lendsBytes`). `waitedNs`: how long it was in the
   * socket before those that were read with it were, -1 where the kernel does not say.
   */
  onDatagram(bytes: Uint8Array, length: number, from: Source, waitedNs: number): void;
  /** All that were read together have been handed over. */
  onBatchEnd(): void;
  onProblem(problem: SocketProblem): void;
  /** The kernel has done with the bytes of a frame, or a copy was made of them. */
  onSent(frame: Frame): void;
}

/** Where a datagram came from; the same object may stand for the next one. */
export interface Source {
  readonly address: string;
  readonly port: number;
}

/** What became of the socket at its opening. */
export interface DatapathInfo {
  readonly kind: DatapathKind;
  /** Why it is not the kind that was asked for: one sentence; absent when it is. */
  readonly fallback?: string;
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
  /** System calls that received or sent something. */
  receiveCalls: number;
  sendCalls: number;
  /** Times that the kernel had no room and a datagram had to wait. */
  sendQueueFull: number;
  /** Datagrams whose IP header a router or switch on the way had marked CE; 0 where the datapath does not see IP headers. */
  congestionMarks: number;
}

export function noCounts(): DatapathCounters {
  const calls = { receiveCalls: 0, sendCalls: 0, sendQueueFull: 0 };
  return { datagramsIn: 0, bytesIn: 0, datagramsOut: 0, bytesOut: 0, ...calls, congestionMarks: 0 };
}

/** Datagrams in and out of one socket: one a system call by `dgram-datapath.ts`, many by `mmsg/mmsg-datapath.ts`. */
export interface Datapath {
  readonly info: DatapathInfo;
  readonly counters: Readonly<DatapathCounters>;
  /** Datagrams lie in memory that the next ones will be read into: whoever keeps one copies it. */
  readonly lendsBytes: boolean;
  /** The kernel takes nothing at the moment, and a frame that was sent is still being read. */
  readonly isBlocked: boolean;
  /** From now on datagrams, problems and frames that are done with go to `handlers`; what came before is lost. */
  start(handlers: DatapathHandlers): void;
  /** Hands over the datagrams that are known to have arrived, and ends their batch: before the loop's turn does anything that takes time. */
  takeArrived(): void;
  /** Sends to `frame.peer`, or to the remote when connected, at the next `flush` at the latest. Not to be called while blocked. The frame comes back through `onSent`. */
  send(frame: Frame): void;
  /** Hands over to the kernel what `send` has gathered. */
  flush(): void;
  /** The next send is to report its error. */
  checkNext(): void;
  /** Errors of sending and receiving by code; of the errors of sending those that were noticed, one in 64 at least. */
  problems(): Record<string, number>;
  /** Whether the socket keeps the process alive; it does at first. */
  keepAlive(isWanted: boolean): void;
  close(): Promise<void>;
}

/** Handlers before `start`. */
export const NOBODY: DatapathHandlers = {
  onDatagram: () => {},
  onBatchEnd: () => {},
  onProblem: () => {},
  onSent: () => {},
};
