// Tested by test/loopback/bench.test.ts

import { createSocket, type Socket } from 'node:dgram';

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
  warmUpMs: number;
  measureMs: number;
}

export interface RawReply {
  port?: number;
  framesPerSecond?: number;
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

function serve(socket: Socket, order: RawOrder): void {
  const data = Buffer.alloc(order.payloadBytes);
  socket.on('message', (_bytes, from) => socket.send(data, from.port, from.address));
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

function request(socket: Socket, order: RawOrder): void {
  const credit = Buffer.alloc(CREDIT_BYTES);
  let frames = 0;
  socket.on('message', () => {
    frames++;
    socket.send(credit, order.port, LOOPBACK);
  });
  for (let index = 0; index < order.window; index++) socket.send(credit, order.port, LOOPBACK);
  setTimeout(() => {
    const [startFrames, startMs] = [frames, performance.now()];
    setTimeout(() => {
      const seconds = (performance.now() - startMs) / 1e3;
      reply({ framesPerSecond: (frames - startFrames) / seconds });
    }, order.measureMs);
  }, order.warmUpMs);
}

function reply(message: RawReply): void {
  process.send?.(message);
}

process.once('message', async (order: RawOrder) => {
  const socket = await open();
  if (order.role === 'server') serve(socket, order);
  else if (order.role === 'relay') relay(socket, order);
  else request(socket, order);
  reply({ port: socket.address().port });
});
process.once('disconnect', () => process.exit(0));
