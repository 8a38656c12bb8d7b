// Tested by test/loopback/udp-datapath.test.ts
import { endianness } from 'node:os';

/** The system calls that the datapath makes; numbers and structures are those of `linux.ts`. Each returns -1 where it fails, and `errno` says why. */
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

/** Processors of 64 bits on which Linux numbers its socket options as in `linux.ts`. */
const PROCESSORS = ['x64', 'arm64', 'riscv64', 'loong64'];

let loading: Promise<Native | string> | null = null;

/** The system calls; where they cannot be had, a sentence that says why. */
export function loadNative(): Promise<Native | string> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Native | string> {
  if (process.platform !== 'linux') return 'it needs Linux';
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
