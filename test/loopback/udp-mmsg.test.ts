import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY, noCounts } from '../../src/udp/datapath.js';
import { MessageVector } from '../../src/udp/mmsg/message-vector.js';
import { NativeSocket } from '../../src/udp/mmsg/mmsg-datapath.js';
import { Linux, loadNative, type Native } from '../../src/udp/mmsg/native.js';
import { KernelTime, ReceiveBatch } from '../../src/udp/mmsg/receive-batch.js';
import { SendBatch, USUAL_ECN } from '../../src/udp/mmsg/send-batch.js';
import { SocketNames } from '../../src/udp/mmsg/socket-addresses.js';
import { Frame } from '../../src/wire/frame.js';
import { Ecn } from '../../src/wire/layout.js';

const loaded = await loadNative();
const native = loaded as Native;
const LOOPBACK = { address: '127.0.0.1', port: 0, family: 4 } as const;

const opened: NativeSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

/** Two sockets, the first connected to the second. */
function openPair(): [NativeSocket, NativeSocket] {
  const [from, to] = [new NativeSocket(native, 4), new NativeSocket(native, 4)];
  opened.push(from, to);
  to.bind(LOOPBACK);
  from.bind(LOOPBACK);
  from.connect(to.local());
  from.set(Linux.SOL_IP, Linux.IP_TOS, USUAL_ECN);
  to.set(Linux.SOL_IP, Linux.IP_RECVTOS, 1);
  return [from, to];
}

function frameOf(length: number, firstByte: number): Frame {
  const frame = new Frame(Buffer.alloc(length, firstByte));
  frame.length = length;
  return frame;
}

/** Everything that waits in a socket, as the batch hands it over. */
function receiveAll(socket: NativeSocket) {
  const batch = new ReceiveBatch(native, socket.fd);
  const counters = noCounts();
  const received: Buffer[] = [];
  const handlers = {
    onDatagram: (bytes: Uint8Array, length: number) => received.push(Buffer.from(bytes.subarray(0, length))),
    onBatchEnd: () => {},
    onProblem: () => {},
    onSent: () => {},
  };
  while (batch.receive(handlers, counters) > 0);
  return { received, counters };
}

function sendBatch(socket: NativeSocket, changes: Partial<Native> = {}) {
  const errors: string[] = [];
  const outcome = { onError: (errno: number) => errors.push(native.errorName(errno)) };
  const kernel = { ...native, ...changes };
  return { batch: new SendBatch(kernel, socket.fd, { canSegment: true, isFour: true, outcome }), errors };
}

/** Linux, include/uapi/asm-generic/errno.h */
const ERRNO = { EAGAIN: 11, EINVAL: 22, ENETUNREACH: 101, ENOBUFS: 105, ECONNREFUSED: 111 } as const;

/** A kernel that refuses its first call with `code`, and how many messages each call was given. */
function refusing(code: keyof typeof ERRNO) {
  const calls: number[] = [];
  let refused = false;
  const kernel: Partial<Native> = {
    sendmmsg: (fd, messages, count, flags) => {
      calls.push(count);
      refused = calls.length === 1;
      return refused ? -1 : native.sendmmsg(fd, messages, count, flags);
    },
    errno: () => (refused ? ERRNO[code] : native.errno()),
  };
  return { kernel, calls };
}

/** How long two datagrams that were sent 30 ms apart have waited until they are read, and how long all of it took. */
async function waitsOfTwo(): Promise<{ waits: number[]; tookNs: number }> {
  const [from, to] = openPair();
  expect(to.set(Linux.SOL_SOCKET, Linux.SO_TIMESTAMPNS, 1)).toBe(true);
  const { batch } = sendBatch(from);
  const startMs = performance.now();
  batch.add(frameOf(1_000, 1), 0, null);
  batch.flush();
  await sleep(30);
  batch.add(frameOf(500, 2), 0, null);
  batch.flush();
  const waits: number[] = [];
  const handlers = { ...NOBODY, onDatagram: (_b: unknown, _l: number, _f: unknown, ns: number) => waits.push(ns) };
  new ReceiveBatch(native, to.fd).receive(handlers, noCounts());
  return { waits, tookNs: (performance.now() - startMs) * 1e6 };
}

function isUnstamped([first = -1, second = -1]: number[]): boolean {
  return first < second || second < 0;
}

describe('batches of messages', () => {
  beforeEach(({ skip }) => skip(typeof loaded === 'string', `no mmsg: ${loaded}`));

  it('send frames of one size as one message, which the kernel cuts, and receive them as one', () => {
    const [from, to] = openPair();
    to.set(Linux.SOL_UDP, Linux.UDP_GRO, 1);
    const { batch } = sendBatch(from);
    for (let index = 0; index < 40; index++) expect(batch.add(frameOf(1_000, index & ~3), 0, null)).toBe(true);
    expect(batch.add(frameOf(600, 40), 0, null)).toBe(true);
    expect(batch.flush()).toBe(true);
    const { received, counters } = receiveAll(to);
    expect(received.map((bytes) => [bytes.length, bytes[0]])).toEqual([
      ...Array.from({ length: 40 }, (_, index) => [1_000, index & ~3]),
      [600, 40],
    ]);
    expect(counters).toMatchObject({ datagramsIn: 41, bytesIn: 40_600, receiveCalls: 1 });
    expect(batch.calls).toBe(1);
  });

  it('tell how long each datagram has waited in the socket, IPv4 and marks beside it', async () => {
    // Tried again: Linux begins to stamp some time after the first socket has asked for it, so the first datagram may have none, or that of its
    // reading; and waits of two seconds count as none.
    let looked = await waitsOfTwo();
    for (let again = 0; again < 4 && isUnstamped(looked.waits); again++) looked = await waitsOfTwo();
    const { waits, tookNs } = looked;
    expect(waits).toHaveLength(2);
    const [first, second] = waits as [number, number];
    expect(first - second).toBeGreaterThan(28e6);
    expect(second).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThanOrEqual(tookNs);
  });

  it('do not know how long a datagram waited that the kernel has not stamped', () => {
    const [from, to] = openPair();
    const { batch } = sendBatch(from);
    batch.add(frameOf(1_000, 1), 0, null);
    batch.flush();
    const waits: number[] = [];
    const handlers = { ...NOBODY, onDatagram: (_b: unknown, _l: number, _f: unknown, ns: number) => waits.push(ns) };
    new ReceiveBatch(native, to.fd).receive(handlers, noCounts());
    expect(waits).toEqual([-1]);
  });

  it('end a message with a frame that is shorter than its first, whatever follows', () => {
    const [from, to] = openPair();
    const { batch } = sendBatch(from);
    const sizes = [1_000, 1_000, 600, 600, 300, 1_000, 20, 20, 20, 1, 1_472];
    for (const size of sizes) batch.add(frameOf(size, 4), 0, null);
    batch.flush();
    expect(receiveAll(to).received.map(({ length }) => length)).toEqual(sizes);
  });

  it('put the ECN bits of a frame into its IP header', () => {
    const [from, to] = openPair();
    const { batch } = sendBatch(from);
    const bits = [Ecn.capable0, Ecn.notCapable, Ecn.congestionExperienced, Ecn.capable1, Ecn.capable0];
    for (const each of bits) batch.add(frameOf(500, 0xfc | each), 0, null);
    batch.flush();
    const vector = new MessageVector(native, { messages: 8, pieces: 1, dataBytes: 8_192 });
    for (let message = 0; message < 8; message++) {
      vector.setPiece(message, 0, message * 1_024, 1_024);
      vector.setPieceCount(message, 1);
      vector.offerControl(message);
    }
    expect(native.recvmmsg(to.fd, vector.addresses[0]!, 8, Linux.MSG_DONTWAIT, null)).toBe(5);
    const seen = bits.map((_, message) => [0, 2, 3, 4].map((field) => vector.controlWord(message, 0, field) & 0xff));
    expect(seen.map(([, level, type]) => [level, type])).toEqual(bits.map(() => [Linux.SOL_IP, Linux.IP_TOS]));
    expect(seen.map(([, , , value]) => value)).toEqual(bits);
  });

  it('mark the frame where the IP header says CE, and only where the frame is ECN-capable', () => {
    const [from, to] = openPair();
    // What a router on the way would do: the frames themselves say ECT(0) and nothing.
    from.set(Linux.SOL_IP, Linux.IP_TOS, Ecn.congestionExperienced);
    const { batch } = sendBatch(from);
    batch.add(frameOf(300, 0xfc | Ecn.capable0), 0, null);
    batch.add(frameOf(300, 0xfc | Ecn.capable0), 0, null);
    batch.flush();
    const { received, counters } = receiveAll(to);
    expect(received.map(([first]) => first! & 3)).toEqual([Ecn.congestionExperienced, Ecn.congestionExperienced]);
    expect(counters.congestionMarks).toBe(2);
    const plain = sendBatch(from).batch;
    plain.add(frameOf(300, 0xfc | Ecn.notCapable), 0, null);
    plain.flush();
    expect(receiveAll(to)).toMatchObject({ received: [frameOf(300, 0xfc).bytes], counters: { congestionMarks: 0 } });
  });

  it.each([
    // Refused, then each by itself; the next three are three messages from the start, or one again.
    ['for good where the kernel cannot cut messages', 'EINVAL', [1, 1, 1, 1, 3]],
    ['once where it has no memory for one', 'ENOBUFS', [1, 1, 1, 1, 1]],
  ] as const)('send frames one by one %s', (_, code, expected) => {
    const [from, to] = openPair();
    const { kernel, calls } = refusing(code);
    const { batch, errors } = sendBatch(from, kernel);
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 3; index++) batch.add(frameOf(700, 4 * index), 0, null);
      batch.flush();
    }
    expect(receiveAll(to).received.map(([first]) => first)).toEqual([0, 4, 8, 0, 4, 8]);
    expect(calls).toEqual(expected);
    expect(errors).toEqual([]);
  });

  it('send frames as one message again when an error is over that single frames met too', () => {
    const [from, to] = openPair();
    const calls: number[] = [];
    let isDown = true;
    const { batch, errors } = sendBatch(from, {
      sendmmsg: (fd, messages, count, flags) => {
        calls.push(count);
        return isDown ? -1 : native.sendmmsg(fd, messages, count, flags);
      },
      errno: () => ERRNO.ENETUNREACH,
    });
    for (const down of [true, false]) {
      isDown = down;
      calls.length = 0;
      for (let index = 0; index < 3; index++) batch.add(frameOf(700, 4 * index), 0, null);
      batch.flush();
    }
    expect(errors).toEqual(['ENETUNREACH', 'ENETUNREACH', 'ENETUNREACH']);
    expect(receiveAll(to).received).toHaveLength(3);
    // One message, which the kernel cuts.
    expect(calls).toEqual([1]);
  });

  it('keep what the kernel does not take for the next flush', () => {
    const [from, to] = openPair();
    const { kernel } = refusing('EAGAIN');
    const { batch, errors } = sendBatch(from, kernel);
    batch.add(frameOf(20, 4), 0, null);
    batch.add(frameOf(30, 8), 0, null);
    expect(batch.flush()).toBe(false);
    expect(batch.isEmpty).toBe(false);
    expect(batch.flush()).toBe(true);
    expect(receiveAll(to).received.map(({ length }) => length)).toEqual([20, 30]);
    expect(errors).toEqual([]);
  });

  it('send a frame again that only heard of an earlier refusal, and go on after one that fails', () => {
    const [from, to] = openPair();
    const { kernel } = refusing('ECONNREFUSED');
    const { batch, errors } = sendBatch(from, kernel);
    batch.add(frameOf(20, 4), 0, null);
    batch.add(frameOf(65_508, 8), 0, null);
    batch.add(frameOf(30, 12), 0, null);
    batch.flush();
    expect(receiveAll(to).received.map(({ length }) => length)).toEqual([20, 30]);
    expect(errors).toEqual(['ECONNREFUSED', 'EMSGSIZE']);
  });

  it('say when they have no room', () => {
    const [from] = openPair();
    const { batch } = sendBatch(from);
    const room = (length: number) => {
      let count = 0;
      while (batch.add(frameOf(length, 4 * (count & 1)), count % 70, null)) count++;
      batch.flush();
      return count;
    };
    expect(room(60_000)).toBe(2);
    expect(room(20)).toBe(64);
  });
});

describe('SocketNames', () => {
  beforeEach(({ skip }) => skip(typeof loaded === 'string', `no mmsg: ${loaded}`));

  const roundTrip = (address: string, port: number) => {
    const names = new SocketNames(native);
    return names.read(names.bytesOf(address, port)!);
  };

  it.each(['127.0.0.1', '255.1.2.3', '::1', '2001:db8::5', '::ffff:10.0.0.1', 'fe80::1%lo'])(
    'reads %s back',
    (address) => {
      expect(roundTrip(address, 28_400)).toEqual({ address, port: 28_400 });
    },
  );

  it('writes an address in the one form that Node gives it', () => {
    expect(roundTrip('2001:DB8:0:0::0:5', 1).address).toBe('2001:db8::5');
  });

  it('refuses what is no address', () => {
    expect(new SocketNames(native).bytesOf('localhost', 1)).toBeNull();
  });
});

describe('KernelTime', () => {
  const at = (seconds: number, nanoseconds: number) => {
    const time = new KernelTime({
      clock_gettime: (_clock, words) => {
        words.set([seconds, 0, nanoseconds, 0]);
        return 0;
      },
    });
    time.read();
    return time;
  };

  it('counts from the stamp to its reading, over seconds and their overflow', () => {
    expect(at(100, 5).sinceNs(99, 999_999_995)).toBe(10);
    expect(at(-2_147_483_648, 0).sinceNs(2_147_483_647, 0)).toBe(1e9);
  });

  it('knows nothing of stamps from the future or long ago: the clock was set', () => {
    expect(at(100, 0).sinceNs(100, 1)).toBe(-1);
    expect(at(100, 0).sinceNs(97, 0)).toBe(-1);
  });
});
