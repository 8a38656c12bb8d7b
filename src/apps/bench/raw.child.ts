// Tested by test/loopback/bare-program.test.ts

import { createSocket, type Socket } from 'node:dgram';
import type { Crc32 } from '../../base/crc32.js';
import { SeededRandom } from '../../base/random.js';
import { DurationHistogram, type Percentiles } from '../../services/perf/histogram.js';
import { loadFrameCheck } from '../../udp/crc.js';
import { endWithChannel } from './child-program.js';

/**
 * One role of the bare dgram program that xpass is measured against: the same exchange without a protocol. The client sends a small datagram (a credit)
 * for each large one (a data frame) and keeps a fixed number outstanding; the server answers each; the relay passes both on.
 * raw.ts starts it and sends it messages: first the port, then the order.
 */
export interface RawOrder {
  role: 'client' | 'server' | 'relay';
  payloadBytes: number;
  /** Who sends credits here; 0 for the client. */
  clientPort: number;
  /** Where credits go to; 0 for the server. */
  serverPort: number;
  /** Credits outstanding. */
  window: number;
  /**
   * From the end of a round trip to the beginning of the next one, mean of a Poisson process; 0 for none. Only where one credit is outstanding, and
   * not before the warm-up is over: seldom called, code would not be compiled.
   */
  gapMs: number;
  /** Both ends take the CRC of each data frame, as xpass does. */
  isChecked: boolean;
  warmUpMs: number;
  measureMs: number;
}

/** The socket is open. */
export interface RawOpened {
  port: number;
}

/** It takes datagrams now. */
export interface RawReady {
  ready: true;
}

export interface RawMeasured {
  framesPerSecond: number;
  rtt: Percentiles | null;
}

const LOOPBACK = '127.0.0.1';
const BUFFER_BYTES = 4 * 1024 * 1024;
/** UDP payload of a mean credit. */
const CREDIT_BYTES = 22;
/** Longer than busy cores keep a process waiting: 40 to 100 ms (measured), and than the pauses between round trips (ours). */
const SILENT_MS = 500;

function open(): Promise<Socket> {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: BUFFER_BYTES,
    sendBufferSize: BUFFER_BYTES,
    // Answering at once keeps the next-tick queue out of every send, as in xpass's own datapath.
    lookup: (hostname, _options, callback) => callback(null, hostname, 4),
  });
  return new Promise((resolve) => socket.bind(0, LOOPBACK, () => resolve(socket)));
}

function serve(socket: Socket, { payloadBytes, clientPort, isChecked }: RawOrder, check: Crc32): void {
  const data = Buffer.alloc(payloadBytes);
  socket.on('message', (credit, from) => {
    if (from.port !== clientPort) return;
    data[0] = credit[0];
    if (isChecked) check(data, 0, data.length);
    socket.send(data, from.port, from.address);
  });
}

function relay(socket: Socket, { clientPort, serverPort }: RawOrder): void {
  socket.on('message', (bytes, from) => {
    if (from.port === serverPort) socket.send(bytes, clientPort, LOOPBACK);
    else if (from.port === clientPort) socket.send(bytes, serverPort, LOOPBACK);
  });
}

/**
 * Credits are numbered modulo 256 in their first byte, and each data frame bears its credit's number: nothing overtakes here, so numbers that
 * are left out are lost and sent anew. Fewer than half of the numbers are outstanding, so what seems to be further ahead is behind.
 */
function request(socket: Socket, order: RawOrder, check: Crc32): void {
  const { serverPort, window, isChecked } = order;
  const credit = Buffer.alloc(CREDIT_BYTES);
  let sent = 0;
  let expected = 0;
  let frames = 0;
  const send = (credits: number): void => {
    for (; credits > 0; credits--) {
      credit[0] = sent++;
      socket.send(credit, serverPort, LOOPBACK);
    }
  };
  socket.on('message', (bytes, from) => {
    if (from.port !== serverPort) return;
    frames++;
    if (isChecked) check(bytes, 0, bytes.length);
    const lost = (bytes[0] - expected) & 0xff;
    if (lost >= 0x80) return;
    expected = bytes[0] + 1;
    send(1 + lost);
  });
  send(window);
  whenSilent(
    () => frames,
    () => {
      expected = sent;
      send(window);
    },
  );
  measure(order, () => frames);
}

/** One credit at a time, and how long each takes. */
function pingPong(socket: Socket, order: RawOrder): void {
  const { serverPort, gapMs } = order;
  const credit = Buffer.alloc(CREDIT_BYTES);
  const rtts = new DurationHistogram();
  const random = new SeededRandom(1);
  const warmAtMs = performance.now() + order.warmUpMs;
  let frames = 0;
  let sent = 0;
  let sentMs = 0;
  const ping = (): void => {
    credit[0] = ++sent;
    sentMs = performance.now();
    socket.send(credit, serverPort, LOOPBACK);
  };
  socket.on('message', (bytes, from) => {
    if (from.port !== serverPort || bytes[0] !== (sent & 0xff)) return;
    frames++;
    rtts.record((performance.now() - sentMs) * 1e6);
    if (gapMs === 0 || performance.now() < warmAtMs) ping();
    else setTimeout(ping, -Math.log(1 - random.next()) * gapMs);
  });
  ping();
  whenSilent(() => frames, ping);
  measure(order, () => frames, rtts);
}

/** Everything that was outstanding is lost. */
function whenSilent(frames: () => number, sendAgain: () => void): void {
  let before = -1;
  setInterval(() => {
    if (frames() === before) sendAgain();
    before = frames();
  }, SILENT_MS);
}

function measure({ warmUpMs, measureMs }: RawOrder, frames: () => number, rtts?: DurationHistogram): void {
  setTimeout(() => {
    rtts?.reset();
    const [startFrames, startMs] = [frames(), performance.now()];
    setTimeout(() => {
      const framesPerSecond = ((frames() - startFrames) * 1e3) / (performance.now() - startMs);
      reply({ framesPerSecond, rtt: rtts?.percentiles() ?? null });
    }, measureMs);
  }, warmUpMs);
}

function reply(message: RawOpened | RawReady | RawMeasured): void {
  process.send?.(message);
}

const socket = await open();
process.once('message', async (order: RawOrder) => {
  const { check } = await loadFrameCheck();
  if (order.role === 'server') serve(socket, order, check);
  else if (order.role === 'relay') relay(socket, order);
  else if (order.window === 1) pingPong(socket, order);
  else request(socket, order, check);
  reply({ ready: true });
});
reply({ port: socket.address().port });
endWithChannel();
