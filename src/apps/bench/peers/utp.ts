// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FlowsCarrier } from '../flows/carrier.js';
import { duplexStream, readDuplex } from './duplex.js';
import { loadPeer } from './load-peer.js';
import { streamCarrier } from './stream-carrier.js';

const LOOPBACK = '127.0.0.1';

/** What is used of utp-native, which has no types: it is shaped like `node:net`. */
interface UtpModule {
  createServer(onConnection: (socket: Duplex) => void): Server;
  connect(port: number, host: string): Duplex;
}

/** uTP (BEP 29) by libutp, a connection for each flow. Says why where it cannot be loaded. */
export async function loadUtp(): Promise<FlowsCarrier | string> {
  const loaded = await loadPeer<UtpModule>('utp-native', 'utp-native@2.5.3');
  return typeof loaded === 'string' ? loaded : carrier(loaded);
}

function carrier(utp: UtpModule): FlowsCarrier {
  return streamCarrier({
    listen: async (accept) => {
      const server = utp.createServer((socket) => readDuplex(socket, accept()));
      server.listen(0, LOOPBACK);
      await once(server, 'listening');
      return (server.address() as { port: number }).port;
    },
    dial: async (port) => async () => {
      const socket = utp.connect(port, LOOPBACK);
      await once(socket, 'connect');
      return duplexStream(socket);
    },
  });
}
