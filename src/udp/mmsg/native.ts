// Tested by test/loopback/udp-datapath.test.ts
import { endianness } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** Constants of 64-bit Linux, from include/uapi/linux (socket.h, in.h, in6.h, udp.h) and asm-generic/socket.h. */
export const Linux = {
  AF_INET: 2,
  AF_INET6: 10,
  SOCK_DGRAM: 2,
  SOCK_NONBLOCK: 0o4000,
  SOCK_CLOEXEC: 0o2000000,
  SOL_SOCKET: 1,
  SO_SNDBUF: 7,
  SO_RCVBUF: 8,
  /** Its control messages hold a `struct timespec`. */
  SO_TIMESTAMPNS: 35,
  SOL_IP: 0,
  IP_TOS: 1,
  IP_RECVTOS: 13,
  IP_MTU_DISCOVER: 10,
  /** Of IP_MTU_DISCOVER and IPV6_MTU_DISCOVER: never in fragments, ip(7). */
  PMTUDISC_DO: 2,
  /** The same, and what routers said of the path counts for nothing. */
  PMTUDISC_PROBE: 3,
  /** The kernel cuts what does not fit. */
  PMTUDISC_DONT: 0,
  /** The MTU of the path of a connected socket. */
  IP_MTU: 14,
  SOL_IPV6: 41,
  IPV6_RECVTCLASS: 66,
  IPV6_TCLASS: 67,
  IPV6_MTU_DISCOVER: 23,
  SOL_UDP: 17,
  UDP_SEGMENT: 103,
  UDP_GRO: 104,
  MSG_DONTWAIT: 0x40,
  CLOCK_REALTIME: 0,
} as const;

/** Bytes of the structures that system calls take, and where their fields are; all of them little-endian, pointers of 8 bytes. recvmmsg(2), cmsg(3) */
export const MessageLayout = {
  bytes: 64,
  name: 0,
  nameBytes: 8,
  vector: 16,
  vectorCount: 24,
  control: 32,
  controlBytes: 40,
  flags: 48,
  /** Of `struct mmsghdr`: what was received or sent. */
  transferred: 56,
} as const;

/** `struct iovec`. */
export const VECTOR_BYTES = 16;
/** `struct cmsghdr`: length, level, type. */
export const CONTROL_HEADER_BYTES = 16;
/** Room that one control message of up to 8 bytes takes. */
export const CONTROL_SPACE_BYTES = 24;
/** And one with a `struct timespec`. */
export const STAMP_SPACE_BYTES = 32;
/** `struct sockaddr_in` and `struct sockaddr_in6`. */
export const SOCKADDR_BYTES = { 4: 16, 6: 28 } as const;
/** Room for either, in whole words of 8 bytes. */
export const SOCKADDR_ROOM_BYTES = 32;

/** The system calls that the datapath makes; numbers and structures are those of Linux. Each returns -1 where it fails, and `errno` says why. */
export interface Native {
  socket(family: number, type: number, protocol: number): number;
  close(fd: number): number;
  bind(fd: number, name: Uint8Array, bytes: number): number;
  connect(fd: number, name: Uint8Array, bytes: number): number;
  getsockname(fd: number, name: Uint8Array, bytes: Int32Array): number;
  setsockopt(fd: number, level: number, option: number, value: Int32Array, bytes: number): number;
  getsockopt(fd: number, level: number, option: number, value: Int32Array, bytes: Int32Array): number;
  /** `messages` is the address of as many `struct mmsghdr`. */
  recvmmsg(fd: number, messages: bigint, count: number, flags: number, timeout: null): number;
  sendmmsg(fd: number, messages: bigint, count: number, flags: number): number;
  clock_gettime(clock: number, time: Int32Array): number;
  inet_ntop(family: number, address: Uint8Array, text: Uint8Array, bytes: number): string | null;
  inet_pton(family: number, text: string, address: Uint8Array): number;
  if_nametoindex(name: string): number;
  if_indextoname(index: number, name: Uint8Array): string | null;
  errno(): number;
  /** `EAGAIN` for 11. */
  errorName(errno: number): string;
  /** Where memory that never moves begins; the caller keeps it alive. */
  addressOf(memory: Uint8Array): bigint;
  /** Calls back in each turn of the event loop in which the socket can be read; `status` is below 0 when it has an error, and the watch is over then. */
  watch(fd: number, onReadable: (status: number) => void): Watch;
}

export interface Watch {
  /** Watches on after an error. */
  start(): void;
  /** Whether it keeps the process alive; it does at first. */
  keepAlive(isWanted: boolean): void;
  close(): void;
}

/** koffi has each of them; see docs/decisions/0013-batched-datapath.md. */
const CALLS = {
  socket: 'int socket(int, int, int)',
  close: 'int close(int)',
  bind: 'int bind(int, void *, uint32_t)',
  connect: 'int connect(int, void *, uint32_t)',
  getsockname: 'int getsockname(int, void *, void *)',
  setsockopt: 'int setsockopt(int, int, int, void *, uint32_t)',
  getsockopt: 'int getsockopt(int, int, int, void *, void *)',
  recvmmsg: 'int recvmmsg(int, void *, uint32_t, int, void *)',
  sendmmsg: 'int sendmmsg(int, void *, uint32_t, int)',
  clock_gettime: 'int clock_gettime(int, void *)',
  inet_ntop: 'const char *inet_ntop(int, void *, void *, uint32_t)',
  inet_pton: 'int inet_pton(int, const char *, void *)',
  if_nametoindex: 'uint32_t if_nametoindex(const char *)',
  if_indextoname: 'const char *if_indextoname(uint32_t, void *)',
} as const;

/** Processors of 64 bits on which Linux numbers its socket options as above. */
const PROCESSORS = ['x64', 'arm64', 'riscv64', 'loong64'];

let loading: Promise<Native | string> | null = null;

/** The system calls; where they cannot be had, a sentence that says why. */
export function loadNative(): Promise<Native | string> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Native | string> {
  if (process.platform !== 'linux') return 'it needs Linux';
  // koffi 3.3 calls back what it watches while a thread is being terminated, and that aborts the process.
  if (!isMainThread) return 'it does not run in worker threads';
  if (!PROCESSORS.includes(process.arch) || endianness() !== 'LE') return `it does not run on ${process.arch}`;
  try {
    return bindCalls(await import('koffi'));
  } catch (error) {
    return `the optional package koffi does not load (${firstLine(error)})`;
  }
}

type Koffi = typeof import('koffi');

/** libuv's loop does not keep koffi's handles from the garbage collector. */
const open = new Set<object>();

function bindCalls({ load, errno, os, address, node }: Koffi): Native {
  const library = load(null);
  const calls = Object.fromEntries(Object.entries(CALLS).map(([name, form]) => [name, library.func(form)]));
  // EAGAIN and EWOULDBLOCK are one number, and so are some others: the first name in the order of the alphabet stands for it.
  const byName = Object.entries(os.errno).sort(([a], [b]) => (a < b ? 1 : -1));
  const names = new Map(byName.map(([name, value]) => [value, name]));
  return {
    ...(calls as unknown as Pick<Native, keyof typeof CALLS>),
    errno,
    errorName: (code) => names.get(code) ?? `errno ${code}`,
    addressOf: address,
    watch: (fd, onReadable) => {
      // The types of koffi 3.3 leave out the status, which comes first.
      const callback = onReadable as (status: unknown) => void;
      const handle = node.poll(fd, { readable: true }, callback);
      open.add(handle);
      const close = () => {
        open.delete(handle);
        handle.close();
      };
      const keepAlive = (isWanted: boolean) => (isWanted ? handle.ref() : handle.unref());
      return { start: () => handle.start({ readable: true }, callback), keepAlive, close };
    },
  };
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '';
}
