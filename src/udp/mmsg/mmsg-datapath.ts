// Tested by test/loopback/udp-datapath.test.ts
import type { Frame } from '../../wire/frame.js';
import { MAX_FRAME_BYTES } from '../../wire/layout.js';
import type { UdpAddress } from '../address.js';
import {
  type Datapath,
  type DatapathCounters,
  type DatapathHandlers,
  type DatapathInfo,
  type DatapathOptions,
  DEFAULT_BUFFER_BYTES,
  NOBODY,
  noCounts,
  type SizedSocket,
  sizeBuffers,
} from '../datapath.js';
import { fragmentsMessage } from '../interface-mtu.js';
import { bindError, connectError, ProblemReport } from '../socket-errors.js';
import { Linux, type Native, SOCKADDR_BYTES, SOCKADDR_ROOM_BYTES, type Watch } from './native.js';
import { ReceiveBatch } from './receive-batch.js';
import { SendBatch, type SendOutcome, USUAL_ECN } from './send-batch.js';
import { isFour, SocketNames, TargetTable } from './socket-addresses.js';

/** One UDP socket by its descriptor. Node knows nothing of it: whoever opens it closes it. */
export class NativeSocket implements SizedSocket {
  readonly fd: number;
  readonly family: 4 | 6;
  private readonly native: Native;
  private readonly names: SocketNames;
  private readonly value = new Int32Array(1);

  /** Throws the system's error when there are no descriptors left. */
  constructor(native: Native, family: 4 | 6) {
    this.native = native;
    this.family = family;
    this.names = new SocketNames(native);
    const { AF_INET, AF_INET6, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC } = Linux;
    this.fd = native.socket(family === 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (this.fd < 0) throw this.error();
  }

  /** Throws XpassError `config`. */
  bind(local: UdpAddress): void {
    const name = this.names.bytesOf(local.address, local.port);
    if (name === null || this.native.bind(this.fd, name, SOCKADDR_BYTES[this.family]) < 0) {
      throw bindError(this.error(), local);
    }
  }

  /** Throws XpassError `config` or `unreachable`. */
  connect(remote: UdpAddress): void {
    const name = this.names.bytesOf(remote.address, remote.port);
    if (name === null || this.native.connect(this.fd, name, SOCKADDR_BYTES[this.family]) < 0) {
      throw connectError(this.error(), remote);
    }
  }

  /** Where it is bound. */
  local(): UdpAddress {
    const name = new Uint8Array(SOCKADDR_ROOM_BYTES);
    this.value[0] = name.length;
    this.native.getsockname(this.fd, name, this.value);
    return { ...this.names.read(name), family: this.family };
  }

  /** False where the kernel does not have the option. */
  set(level: number, option: number, value: number): boolean {
    this.value[0] = value;
    return this.native.setsockopt(this.fd, level, option, this.value, 4) === 0;
  }

  get(level: number, option: number): number {
    const value = new Int32Array(1);
    this.value[0] = 4;
    this.native.getsockopt(this.fd, level, option, value, this.value);
    return value[0];
  }

  setRecvBufferSize(bytes: number): void {
    this.set(Linux.SOL_SOCKET, Linux.SO_RCVBUF, bytes);
  }

  setSendBufferSize(bytes: number): void {
    this.set(Linux.SOL_SOCKET, Linux.SO_SNDBUF, bytes);
  }

  getRecvBufferSize(): number {
    return this.get(Linux.SOL_SOCKET, Linux.SO_RCVBUF);
  }

  getSendBufferSize(): number {
    return this.get(Linux.SOL_SOCKET, Linux.SO_SNDBUF);
  }

  close(): void {
    this.native.close(this.fd);
  }

  /** What the call before this failed with. */
  private error(): Error {
    const code = this.native.errorName(this.native.errno());
    return Object.assign(new Error(code), { code });
  }
}

/** Full batches in one turn of the loop. Ours: timers wait for no more than some 256 messages. */
const BATCHES_A_TURN = 8;
/** The only peer of a connected socket, to the batch. */
const CONNECTED = 0;

/** Opens a socket by system calls. Throws XpassError `config` or `unreachable` that names the address when it cannot be bound or connected. */
export function openMmsgDatapath(options: DatapathOptions, native: Native): Datapath {
  const socket = openSocket(native, options.bind);
  try {
    socket.bind(options.bind);
    if (options.remote !== undefined) socket.connect(options.remote);
    return new MmsgDatapath(socket, native, options);
  } catch (error) {
    socket.close();
    throw error;
  }
}

/** Throws XpassError `config`: without IPv6 in the kernel, or without descriptors. */
function openSocket(native: Native, local: UdpAddress): NativeSocket {
  try {
    return new NativeSocket(native, local.family);
  } catch (error) {
    throw bindError(error as Error, local);
  }
}

/** A datapath by recvmmsg(2) and sendmmsg(2), with ECN; libuv tells when to read (docs/decisions/0013-batched-datapath.md). */
class MmsgDatapath implements Datapath, SendOutcome {
  readonly info: DatapathInfo;
  readonly lendsBytes = true;
  private readonly totals: DatapathCounters = noCounts();
  private readonly socket: NativeSocket;
  private readonly native: Native;
  private readonly targets: TargetTable | null;
  private readonly report: ProblemReport;
  private readonly incoming: ReceiveBatch;
  private readonly outgoing: SendBatch;
  private readonly watch: Watch;
  private handlers: DatapathHandlers = NOBODY;
  private isTurnSet = false;
  private isFull = false;
  private isClosed = false;

  constructor(socket: NativeSocket, native: Native, options: DatapathOptions) {
    const { remote, peers, bufferBytes = DEFAULT_BUFFER_BYTES } = options;
    this.socket = socket;
    this.native = native;
    this.targets = peers && new TargetTable(peers, new SocketNames(native), socket.family);
    this.report = new ProblemReport(options);
    this.info = { kind: 'mmsg', local: socket.local(), ...sizeBuffers(socket, bufferBytes) };
    const canSegment = prepareOptions(socket);
    this.incoming = new ReceiveBatch(native, socket.fd);
    const connectedToFour = remote !== undefined && isFour(remote.address);
    this.outgoing = new SendBatch(native, socket.fd, { canSegment, isFour: connectedToFour, outcome: this });
    this.watch = native.watch(socket.fd, this.onReadable);
  }

  get counters(): DatapathCounters {
    this.totals.sendCalls = this.outgoing.calls;
    return this.totals;
  }

  start(handlers: DatapathHandlers): void {
    this.handlers = handlers;
  }

  get isBlocked(): boolean {
    if (this.isFull) this.flush();
    return this.isFull;
  }

  takeArrived(): void {
    this.receive();
  }

  send(frame: Frame): void {
    this.totals.datagramsOut++;
    this.totals.bytesOut += frame.length;
    if (this.targets === null) this.add(frame, CONNECTED);
    else this.add(frame, frame.peer);
    this.handlers.onSent(frame);
  }

  flush(): void {
    if (this.outgoing.isEmpty) return;
    const wasFull = this.isFull;
    this.isFull = !this.outgoing.flush();
    if (this.isFull && !wasFull) this.totals.sendQueueFull++;
  }

  /** Every error is seen. */
  checkNext(): void {}

  problems(): Record<string, number> {
    return this.report.snapshot();
  }

  keepAlive(isWanted: boolean): void {
    this.watch.keepAlive(isWanted);
  }

  close(): Promise<void> {
    this.flush();
    this.isClosed = true;
    this.watch.close();
    this.socket.close();
    return Promise.resolve();
  }

  onError(errno: number, peer: number, frameBytes: number): void {
    const code = this.native.errorName(errno);
    if (code !== 'EMSGSIZE' || frameBytes > MAX_FRAME_BYTES) this.tell(code, peer, frameBytes);
    else if (this.handlers.onTooLong?.(peer, frameBytes) === true) this.report.problem(code, peer, frameBytes);
    else this.fragment(peer, frameBytes);
  }

  /** A frame did not fit the path. Later frames go in fragments: slower, but a flow would stand still if every frame were refused. */
  private fragment(peer: number, frameBytes: number): void {
    const { socket } = this;
    discoverMtu(socket, Linux.PMTUDISC_DONT);
    const mtuBytes = this.targets === null ? socket.get(Linux.SOL_IP, Linux.IP_MTU) : 0;
    const message = fragmentsMessage(frameBytes, mtuBytes, socket.family);
    this.handlers.onProblem({ ...this.report.problem('EMSGSIZE', peer, frameBytes), message });
  }

  private tell(code: string, peer: number, frameBytes: number): void {
    this.handlers.onProblem(this.report.problem(code, peer, frameBytes));
  }

  /** A frame that finds no room goes with the next batch; when the kernel takes none, it is lost, as in the network. */
  private add(frame: Frame, peer: number): void {
    const target = this.targets === null ? null : this.targets.target(peer);
    if (this.targets !== null && target === null) this.tell('EINVAL', peer, frame.length);
    else if (!this.outgoing.add(frame, peer, target)) {
      this.flush();
      if (!this.outgoing.add(frame, peer, target)) this.tell('ENOBUFS', peer, frame.length);
    }
  }

  /** Receives in a turn of its own: what koffi calls runs neither promises nor `process.nextTick` afterwards. */
  private readonly onReadable = (status: number): void => {
    if (this.isClosed) return;
    if (status < 0) this.watch.start();
    if (this.isTurnSet) return;
    this.isTurnSet = true;
    setImmediate(this.receive);
  };

  private readonly receive = (): void => {
    if (!this.isTurnSet) return;
    this.isTurnSet = false;
    for (let batch = 0; batch < BATCHES_A_TURN && !this.isClosed; batch++) {
      const count = this.incoming.receive(this.handlers, this.totals);
      if (count < 0) this.noteFailure();
      else this.handlers.onBatchEnd();
      if (!this.incoming.isFull(count)) return;
    }
  };

  /** A closed port is told by the next call; the protocol's own timeouts decide what it means. */
  private noteFailure(): void {
    const code = this.native.errorName(this.native.errno());
    if (code === 'EAGAIN' || code === 'EINTR') return;
    // A router's word about a datagram that was sent: probes and losses show the same.
    if (code === 'EMSGSIZE') this.report.problem(code, CONNECTED, 0);
    else this.tell(code, CONNECTED, 0);
  }
}

/** Returns whether the kernel cuts messages into datagrams; what else it lacks costs speed, marks or times only. */
function prepareOptions(socket: NativeSocket): boolean {
  socket.set(Linux.SOL_UDP, Linux.UDP_GRO, 1);
  socket.set(Linux.SOL_SOCKET, Linux.SO_TIMESTAMPNS, 1);
  // On a socket of IPv6 these are for IPv4 through it.
  socket.set(Linux.SOL_IP, Linux.IP_RECVTOS, 1);
  socket.set(Linux.SOL_IP, Linux.IP_TOS, USUAL_ECN);
  // A frame that does not fit the interface is an EMSGSIZE, which is told. Of fragments nobody would hear, and routers' words can be forged (RFC 8899).
  discoverMtu(socket, Linux.PMTUDISC_PROBE);
  if (socket.family === 6) {
    socket.set(Linux.SOL_IPV6, Linux.IPV6_RECVTCLASS, 1);
    socket.set(Linux.SOL_IPV6, Linux.IPV6_TCLASS, USUAL_ECN);
  }
  return socket.set(Linux.SOL_UDP, Linux.UDP_SEGMENT, 0);
}

function discoverMtu(socket: NativeSocket, how: number): void {
  socket.set(Linux.SOL_IP, Linux.IP_MTU_DISCOVER, how);
  if (socket.family === 6) socket.set(Linux.SOL_IPV6, Linux.IPV6_MTU_DISCOVER, how);
}
