// Tested by test/loopback/udp-datapath.test.ts
import type { UdpAddress } from '../address.js';
import type { SizedSocket } from '../socket-buffers.js';
import { bindError, connectError } from '../socket-errors.js';
import { Linux, SOCKADDR_BYTES, SOCKADDR_ROOM_BYTES } from './linux.js';
import type { Native } from './native.js';
import { SocketNames } from './socket-names.js';

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
