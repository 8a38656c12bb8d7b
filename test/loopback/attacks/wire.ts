import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { Address } from '../../../src/udp/address.js';
import { framesOf } from '../switch-lab.js';

/** From include/uapi/linux: sched.h, socket.h, in.h. */
const CLONE_NEWNET = 0x40000000;
const AF_INET = 2;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const IPPROTO_UDP = 17;
/** What is sent begins with the IP header: raw(7). */
const IPPROTO_RAW = 255;
const IP_BYTES = 20;
const HEADER_BYTES = IP_BYTES + 8;
const SOCKADDR_BYTES = 16;
const MOST_BYTES = 65_535;
const TTL = 64;

/** The calls of libc that spoofing needs. */
interface Calls {
  unshare(flags: number): number;
  socket(family: number, type: number, protocol: number): number;
  bind(fd: number, name: Uint8Array, bytes: number): number;
  sendto(fd: number, bytes: Uint8Array, length: number, flags: number, name: Uint8Array, nameBytes: number): number;
  recv(fd: number, bytes: Uint8Array, length: number, flags: number): number;
  close(fd: number): number;
}

const FORMS: Readonly<Record<keyof Calls, string>> = {
  unshare: 'int unshare(int)',
  socket: 'int socket(int, int, int)',
  bind: 'int bind(int, void *, uint32_t)',
  sendto: 'int64_t sendto(int, void *, size_t, int, void *, uint32_t)',
  recv: 'int64_t recv(int, void *, size_t, int)',
  close: 'int close(int)',
};

/** A datagram that somebody on the wire saw. */
export interface Seen {
  readonly from: Address;
  readonly to: Address;
  readonly bytes: Buffer;
}

/**
 * The loopback of a network namespace of this process's own, in which its sockets and the processes that it starts are, and nobody else: an attacker's
 * seat with raw sockets, which send from any address and see what is sent to one.
 */
export class Wire {
  private readonly calls: Calls;
  private readonly sender: number;

  private constructor(calls: Calls) {
    this.calls = calls;
    this.sender = calls.socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  }

  /** Once in a process, before it has sockets; it stays there. Where that cannot be, a sentence that says why. */
  static async open(): Promise<Wire | string> {
    if (process.platform !== 'linux') return 'network namespaces and raw sockets are those of Linux';
    if (process.getuid?.() !== 0) return 'network namespaces and raw sockets need root';
    const koffi = await import('koffi').catch(() => null);
    if (koffi === null) return 'raw sockets need the optional package koffi';
    const library = koffi.load(null);
    const calls = Object.fromEntries(Object.entries(FORMS).map(([name, form]) => [name, library.func(form)]));
    const wire = calls as unknown as Calls;
    if (wire.unshare(CLONE_NEWNET) !== 0) return `a network namespace needs CAP_SYS_ADMIN (errno ${koffi.errno()})`;
    try {
      execFileSync('ip', ['link', 'set', 'lo', 'up']);
    } catch {
      return 'setting up a network namespace needs ip of iproute2';
    }
    return new Wire(wire);
  }

  /** As if the owner of the address `from` had sent it. */
  send(bytes: Uint8Array, from: Address, to: Address): void {
    const packet = Buffer.alloc(HEADER_BYTES + bytes.length);
    packet[0] = 0x45;
    packet[8] = TTL;
    packet[9] = IPPROTO_UDP;
    packet.set(octets(from.host), 12);
    packet.set(octets(to.host), 16);
    packet.writeUInt16BE(from.port, IP_BYTES);
    packet.writeUInt16BE(to.port, IP_BYTES + 2);
    // The kernel fills in the IP header's length and check; a UDP check of 0 is none.
    packet.writeUInt16BE(8 + bytes.length, IP_BYTES + 4);
    packet.set(bytes, HEADER_BYTES);
    this.calls.sendto(this.sender, packet, packet.length, 0, socketName(to.host), SOCKADDR_BYTES);
  }

  /** Sees what is sent to any port of an address, from now to the end of the test. */
  tap(host: string): Tap {
    const { calls } = this;
    const fd = calls.socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_UDP);
    if (fd < 0 || calls.bind(fd, socketName(host), SOCKADDR_BYTES) !== 0) throw new Error(`no raw socket at ${host}`);
    onTestFinished(() => void calls.close(fd));
    return new Tap((into) => calls.recv(fd, into, into.length, 0));
  }
}

/** Somebody who listens to what goes to one address. */
export class Tap {
  private readonly receive: (into: Buffer) => number;
  private readonly room = Buffer.alloc(MOST_BYTES);

  constructor(receive: (into: Buffer) => number) {
    this.receive = receive;
  }

  /** What has come since the last call, as far as the kernel had room for it. */
  take(): Seen[] {
    const seen: Seen[] = [];
    for (let length = this.next(); length >= HEADER_BYTES; length = this.next()) {
      const { room } = this;
      const address = (at: number, portAt: number) => ({
        host: [...room.subarray(at, at + 4)].join('.'),
        port: room.readUInt16BE(portAt),
      });
      const bytes = Buffer.from(room.subarray(HEADER_BYTES, length));
      seen.push({ from: address(12, IP_BYTES), to: address(16, IP_BYTES + 2), bytes });
    }
    return seen;
  }

  /** The frames among them. */
  frames(): Buffer[] {
    return this.take().flatMap(({ bytes }) => framesOf(bytes));
  }

  private next(): number {
    return Number(this.receive(this.room));
  }
}

function octets(host: string): number[] {
  return host.split('.').map(Number);
}

/** `struct sockaddr_in` without a port. */
function socketName(host: string): Buffer {
  const name = Buffer.alloc(SOCKADDR_BYTES);
  name.writeUInt16LE(AF_INET, 0);
  name.set(octets(host), 4);
  return name;
}
