// Tested by test/loopback/bench.test.ts

import { createSocket, type Socket } from 'node:dgram';
import type { Crc32 } from '../../base/crc32.js';
import { SeededRandom } from '../../base/random.js';
import { loadFrameCheck } from '../../udp/crc.js';
import { DurationHistogram, type Percentiles } from '../shared/perf/histogram.js';
import './probe.child.js';

/**
 * One role of the bare dgram program that xpass is measured against: no protocol, the same exchange. The client sends a small datagram (a credit) for every large one (a data
 * frame) that it gets, with a fixed number outstanding; the server answers each small one with a large one; the relay passes both on. It is written as plainly and as fast as
 * dgram allows, with the same socket buffers as xpass. Started by raw.ts; talks to it by process messages.
 */
export interface RawOrder {
  role: 'client' | 'server' | 'relay';
  payloadBytes: number;
  /** Where the client or relay sends to; 0 for the server. */
  port: number;
  /** Credits outstanding. */
  window: number;
  /** From the end of a round trip to the beginning of the next one, mean of a Poisson process; 0 for none. Only where one credit is outstanding, and not before the warm-up is over: seldom called, code would not be compiled. */
  gapMs: number;
  /** Both ends take the CRC of each data frame, as xpass does. */
  isChecked: boolean;
  warmUpMs: number;
  measureMs: number;
}

export interface RawReply {
  port?: number;
  framesPerSecond?: number;
  rtt?: Percentiles;
}

const LOOPBACK = '127.0.0.1';
const BUFFER_BYTES = 4 * 1024 * 1024;
/** UDP payload of a mean credit. */
const CREDIT_BYTES = 22;

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

function serve(socket: Socket, order: RawOrder, check: Crc32): void {
  const data = Buffer.alloc(order.payloadBytes);
  socket.on('message', (_bytes, from) => {
    if (order.isChecked) check(data, 0, data.length);
    socket.send(data, from.port, from.address);
  });
}

function relay(socket: Socket, order: RawOrder): void {
  let clientPort = 0;
  socket.on('message', (bytes, from) => {
    if (from.port === order.port) socket.send(bytes, clientPort, LOOPBACK);
    else {
      clientPort = from.port;
      socket.send(bytes, order.port, LOOPBACK);
    }
  });
}

function request(socket: Socket, order: RawOrder, check: Crc32): void {
  const credit = Buffer.alloc(CREDIT_BYTES);
  let frames = 0;
  socket.on('message', (bytes) => {
    frames++;
    if (order.isChecked) check(bytes, 0, bytes.length);
    socket.send(credit, order.port, LOOPBACK);
  });
  for (let index = 0; index < order.window; index++) socket.send(credit, order.port, LOOPBACK);
  measure(order, () => frames);
}

/** One credit at a time, and how long each takes. */
function pingPong(socket: Socket, order: RawOrder): void {
  const credit = Buffer.alloc(CREDIT_BYTES);
  const rtts = new DurationHistogram();
  const random = new SeededRandom(1);
  const warmAtMs = performance.now() + order.warmUpMs;
  let frames = 0;
  let sentMs = 0;
  const ping = (): void => {
    sentMs = performance.now();
    socket.send(credit, order.port, LOOPBACK);
  };
  socket.on('message', () => {
    frames++;
    rtts.record((performance.now() - sentMs) * 1e6);
    if (order.gapMs === 0 || performance.now() < warmAtMs) ping();
    else setTimeout(ping, -Math.log(1 - random.next()) * order.gapMs);
  });
  ping();
  measure(order, () => frames, rtts);
}

function measure({ warmUpMs, measureMs }: RawOrder, frames: () => number, rtts?: DurationHistogram): void {
  setTimeout(() => {
    rtts?.reset();
    const [startFrames, startMs] = [frames(), performance.now()];
    setTimeout(() => {
      const framesPerSecond = ((frames() - startFrames) * 1e3) / (performance.now() - startMs);
      reply({ framesPerSecond, ...(rtts !== undefined && { rtt: rtts.percentiles() }) });
    }, measureMs);
  }, warmUpMs);
}

function reply(message: RawReply): void {
  process.send?.(message);
}

process.once('message', async (order: RawOrder) => {
  const socket = await open();
  const { check } = await loadFrameCheck();
  if (order.role === 'server') serve(socket, order, check);
  else if (order.role === 'relay') relay(socket, order);
  else if (order.window === 1) pingPong(socket, order);
  else request(socket, order, check);
  reply({ port: socket.address().port });
});
// A terminal interrupts this process too; whoever started it says when it is over.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
