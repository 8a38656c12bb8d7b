import type { Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DgramDatapath } from '../../src/udp/dgram-datapath.js';
import { PeerTable } from '../../src/udp/peer-table.js';
import type { SocketProblem } from '../../src/udp/socket-errors.js';
import { Frame } from '../../src/wire/frame.js';

type Callback = (error: Error | null, bytes: number) => void;

/** The part of a socket that a datapath uses; what is sent waits until the test lets the kernel take it. */
class FakeSocket extends EventEmitter {
  queued = 0;
  full = false;
  sends: { bytes: Uint8Array; to: string; callback: Callback | undefined }[] = [];

  send(bytes: Uint8Array, ...rest: unknown[]): void {
    const callback = rest.pop() as Callback | undefined;
    this.sends.push({ bytes, to: rest.reverse().join(':'), callback });
    if (this.full) this.queued++;
  }

  getSendQueueCount = () => this.queued;
  address = () => ({ address: '127.0.0.1', port: 4000, family: 'IPv4' });
  setRecvBufferSize = () => {};
  setSendBufferSize = () => {};
  getRecvBufferSize = () => 8 * 1024 * 1024;
  getSendBufferSize = () => 8 * 1024 * 1024;
}

function bench(connected = true) {
  const socket = new FakeSocket();
  const peers = connected ? null : new PeerTable();
  const remote = { address: '10.0.0.1', port: 9000, family: 4 } as const;
  const local = { address: '127.0.0.1', port: 4000, family: 4 } as const;
  const datapath = new DgramDatapath(socket as unknown as Socket, {
    bind: local,
    peers,
    ...(connected && { remote }),
  });
  const sent: Frame[] = [];
  const problems: SocketProblem[] = [];
  datapath.start({
    onDatagram: () => {},
    onBatchEnd: () => {},
    onProblem: (problem) => problems.push(problem),
    onSent: (frame) => sent.push(frame),
  });
  return { socket, datapath, peers, sent, problems };
}

function frameOf(length: number, bufferBytes = length): Frame {
  const frame = new Frame(new Uint8Array(bufferBytes));
  frame.length = length;
  return frame;
}

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('DgramDatapath', () => {
  it('says once that a batch is at its end, after all datagrams that were read together', async () => {
    const { socket, datapath } = bench();
    const seen: string[] = [];
    datapath.start({
      onDatagram: (_bytes, length) => seen.push(`${length}`),
      onBatchEnd: () => seen.push('end'),
      onProblem: () => {},
      onSent: () => {},
    });
    const from = { address: '10.0.0.1', port: 9000 };
    for (const length of [1, 2, 3]) socket.emit('message', Buffer.alloc(length), from);
    expect(seen).toEqual(['1', '2', '3']);
    await new Promise((resolve) => setImmediate(resolve));
    socket.emit('message', Buffer.alloc(4), from);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['1', '2', '3', 'end', '4', 'end']);
    socket.emit('message', Buffer.alloc(5), from);
    datapath.takeArrived();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.slice(6)).toEqual(['5', 'end']);
  });

  it('sends a frame that fills its buffer as it is, and a shorter one without the rest', () => {
    const { socket, datapath, sent } = bench();
    const full = frameOf(100);
    datapath.send(full);
    datapath.send(frameOf(20, 100));
    expect(socket.sends[0].bytes).toBe(full.bytes);
    expect(socket.sends[1].bytes.length).toBe(20);
    expect(sent.length).toBe(2);
    expect(datapath.counters).toMatchObject({ datagramsOut: 2, bytesOut: 120 });
  });

  it('sends short frames in one array, but for one that the kernel has not taken yet', () => {
    const { socket, datapath } = bench();
    const sendOf = (byte: number) => {
      const frame = frameOf(20, 100);
      frame.bytes.fill(byte);
      datapath.send(frame);
      frame.bytes.fill(0);
      return socket.sends[socket.sends.length - 1].bytes;
    };
    const first = sendOf(1);
    expect(Array.from(first)).toEqual(new Array(20).fill(1));
    expect(sendOf(2)).toBe(first);
    socket.full = true;
    expect(sendOf(3)).toBe(first);
    socket.full = false;
    socket.queued = 0;
    expect(datapath.isBlocked).toBe(false);
    expect(sendOf(4)).not.toBe(first);
    expect(Array.from(first)).toEqual(new Array(20).fill(3));
    const long = frameOf(70, 100);
    datapath.send(long);
    expect(socket.sends[4].bytes.buffer).toBe(long.bytes.buffer);
  });

  it('sends to the address of the peer', () => {
    const { socket, datapath, peers } = bench(false);
    const frame = frameOf(20);
    frame.peer = peers!.number('10.9.8.7', 555, 0);
    datapath.send(frame);
    expect(socket.sends[0].to).toBe('10.9.8.7:555');
  });

  it('is blocked, and keeps the frame, from when the kernel is full until it has taken everything', () => {
    const { socket, datapath, sent } = bench();
    socket.full = true;
    const frame = frameOf(50);
    datapath.send(frame);
    expect(datapath.isBlocked).toBe(true);
    expect(sent).toEqual([]);
    socket.queued = 0;
    socket.full = false;
    expect(datapath.isBlocked).toBe(false);
    expect(sent).toEqual([frame]);
    datapath.send(frameOf(50));
    expect(sent.length).toBe(2);
    expect(datapath.counters.sendQueueFull).toBe(1);
  });

  it('asks one send in 64 for its outcome once sizes are proven, and the next one when told to', () => {
    const { socket, datapath } = bench();
    const isChecked = () => {
      datapath.send(frameOf(100));
      const { callback } = socket.sends[socket.sends.length - 1];
      callback?.(null, 100);
      return callback !== undefined;
    };
    const pattern = Array.from({ length: 129 }, isChecked);
    expect(pattern.flatMap((checked, index) => (checked ? [index] : []))).toEqual([0, 64, 128]);
    expect(isChecked()).toBe(false);
    datapath.checkNext();
    expect([isChecked(), isChecked()]).toEqual([true, false]);
  });

  it('asks every send that is larger than any that is known to have passed', () => {
    const { socket, datapath } = bench();
    datapath.send(frameOf(100));
    socket.sends[0].callback?.(null, 100);
    datapath.send(frameOf(101));
    datapath.send(frameOf(101));
    expect(socket.sends.map(({ callback }) => callback !== undefined)).toEqual([true, true, true]);
    socket.sends[1].callback?.(null, 101);
    datapath.send(frameOf(101));
    expect(socket.sends[3].callback).toBeUndefined();
  });

  it('asks every send after an error until one succeeds', () => {
    const { socket, datapath, problems } = bench();
    datapath.send(frameOf(100));
    socket.sends[0].callback?.(null, 100);
    for (let index = 1; index <= 64; index++) datapath.send(frameOf(100));
    socket.sends[64].callback?.(failure('ENOBUFS'), 0);
    datapath.send(frameOf(100));
    socket.sends[65].callback?.(failure('ENOBUFS'), 0);
    datapath.send(frameOf(100));
    socket.sends[66].callback?.(null, 100);
    datapath.send(frameOf(100));
    expect(socket.sends.slice(64).map(({ callback }) => callback !== undefined)).toEqual([true, true, true, false]);
    expect(problems.map(({ count }) => count)).toEqual([1, 2]);
    expect(datapath.problems()).toEqual({ ENOBUFS: 2 });
  });

  it('names the size of the frame that was too large and whom it was for', () => {
    const { socket, datapath, peers, problems } = bench(false);
    const frame = frameOf(9000);
    frame.peer = peers!.number('10.9.8.7', 555, 0);
    datapath.send(frame);
    socket.sends[0].callback?.(failure('EMSGSIZE'), 0);
    expect(problems[0].message).toBe(
      'a frame of 9000 bytes is too large to send to 10.9.8.7:555: choose a smaller --frame-size',
    );
  });

  it('takes an error of receiving as a problem that has a count, not as the end', () => {
    const { socket, datapath, problems } = bench();
    socket.emit('error', failure('ECONNREFUSED'));
    socket.emit('error', failure('ECONNREFUSED'));
    expect(problems.map(({ code, count }) => [code, count])).toEqual([
      ['ECONNREFUSED', 1],
      ['ECONNREFUSED', 2],
    ]);
    expect(problems[0].message).toContain('nobody listens at 10.0.0.1:9000');
    datapath.send(frameOf(10));
    expect(socket.sends.length).toBe(1);
  });
});
