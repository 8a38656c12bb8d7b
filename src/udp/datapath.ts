// Tested by test/loopback/udp-datapath.test.ts
import { platform } from 'node:os';
import { counter, initialValues, type Values } from '../base/metric.js';
import type { Frame } from '../wire/frame.js';
import type { UdpAddress } from './address.js';
import type { SocketEnds, SocketProblem } from './socket-errors.js';

/** Asked for in both directions. Ours: 2,700 full frames, 12 ms of a 2.7 Gbit/s burst. The kernel may give less. */
export const DEFAULT_BUFFER_BYTES = 4 * 1024 * 1024;

/** Ways of moving datagrams: one a system call, or many. */
export type DatapathKind = 'dgram' | 'mmsg';
/** Values of `--datapath`. `auto` takes `mmsg` if it is available, else `dgram`. */
export type DatapathChoice = 'auto' | DatapathKind;
export const DATAPATH_CHOICES: readonly DatapathChoice[] = ['auto', 'dgram', 'mmsg'];

export interface DatapathOptions extends SocketEnds {
  bufferBytes?: number;
}

export interface DatapathHandlers {
  /**
   * A datagram arrived: `bytes[0 .. length)`, the handler's own, or lent until it returns (`Datapath.lendsBytes`). `waitedNs`: its time in the socket before
   * it was read, -1 where the kernel does not say.
   */
  onDatagram(bytes: Uint8Array, length: number, from: Source, waitedNs: number): void;
  /** All that were read together have been handed over. */
  onBatchEnd(): void;
  onProblem(problem: SocketProblem): void;
  /**
   * The system has not sent a frame of `frameBytes` to `peer` since it is too long for the interface. True: later ones will be shorter. Without an answer the
   * datapath sends them in fragments, if it can.
   */
  onTooLong?(peer: number, frameBytes: number): boolean;
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

/** What one socket counts. */
export const DATAPATH_METRICS = {
  datagramsIn: counter('datagrams', 'Datagrams received'),
  bytesIn: counter('bytes', 'UDP payload received'),
  datagramsOut: counter('datagrams', 'Datagrams sent'),
  bytesOut: counter('bytes', 'UDP payload sent'),
  receiveCalls: counter('calls', 'System calls that received something'),
  sendCalls: counter('calls', 'System calls that sent something'),
  sendQueueFull: counter('events', 'Times the kernel had no room and a datagram had to wait'),
  congestionMarks: counter(
    'datagrams',
    'Datagrams whose IP header arrived marked CE; 0 where the datapath sees no IP headers',
  ),
};

/** Counts of one socket since it was opened. docs/METRICS.md, "Driver", has the meaning of each. */
export type DatapathCounters = Values<typeof DATAPATH_METRICS>;

export function noCounts(): DatapathCounters {
  return initialValues(DATAPATH_METRICS);
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
  /**
   * Sends to `frame.peer`, or to the remote when connected, at the next `flush` at the latest. Not to be called while blocked. The frame comes back through
   * `onSent`.
   */
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

/** What sizing a socket's buffers uses of it. */
export interface SizedSocket {
  setRecvBufferSize(bytes: number): void;
  setSendBufferSize(bytes: number): void;
  getRecvBufferSize(): number;
  getSendBufferSize(): number;
}

interface BufferSizes {
  readonly receiveBufferBytes: number;
  readonly sendBufferBytes: number;
  readonly warnings: readonly string[];
}

/** No system refuses so little. */
const LEAST_BYTES = 65_536;

/** Asks for buffers and warns where the kernel gives less. Linux caps at `net.core.rmem_max` and reports twice the size (socket(7)). */
export function sizeBuffers(socket: SizedSocket, wantedBytes: number, system = platform()): BufferSizes {
  request((bytes) => socket.setRecvBufferSize(bytes), wantedBytes);
  request((bytes) => socket.setSendBufferSize(bytes), wantedBytes);
  const bookkeeping = system === 'linux' ? 2 : 1;
  const receiveBufferBytes = socket.getRecvBufferSize() / bookkeeping;
  const sendBufferBytes = socket.getSendBufferSize() / bookkeeping;
  const warnings: string[] = [];
  if (receiveBufferBytes < wantedBytes) warnings.push(tooSmall('receive', receiveBufferBytes, wantedBytes));
  if (sendBufferBytes < wantedBytes) warnings.push(tooSmall('send', sendBufferBytes, wantedBytes));
  return { receiveBufferBytes, sendBufferBytes, warnings };

  function tooSmall(which: 'receive' | 'send', bytes: number, wanted: number): string {
    const remedy = remedyOf(system, which, wanted);
    return `the ${which} buffer of the socket is ${bytes} bytes, ${wanted} were asked for${remedy}`;
  }
}

/** Windows has no limit. */
function remedyOf(system: NodeJS.Platform, which: 'receive' | 'send', wantedBytes: number): string {
  if (system === 'linux') {
    const setting = which === 'receive' ? 'net.core.rmem_max' : 'net.core.wmem_max';
    return `: raise ${setting} (sysctl -w ${setting}=${wantedBytes})`;
  }
  // A part of the limit goes to the kernel's own bookkeeping; twice as much leaves enough.
  return system === 'darwin' ? `: raise kern.ipc.maxsockbuf (sysctl -w kern.ipc.maxsockbuf=${2 * wantedBytes})` : '';
}

function request(set: (bytes: number) => void, wantedBytes: number): void {
  for (let bytes = wantedBytes; bytes >= LEAST_BYTES; bytes = Math.floor(bytes / 2)) {
    try {
      set(bytes);
      return;
    } catch {
      // Above the system's limit: the half of it may not be.
    }
  }
}
