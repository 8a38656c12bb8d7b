// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { duplexStream, readDuplex } from './duplex.js';
import { streamCarrier } from './stream-carrier.js';

const LOOPBACK = '127.0.0.1';

/** TCP of the operating system by `node:net`: a connection for each flow, without Nagle's wait. */
export const TCP = streamCarrier({
  listen: async (accept) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => readDuplex(socket, accept()));
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  dial: async (port) => async () => {
    const socket = connect({ port, host: LOOPBACK, noDelay: true });
    await once(socket, 'connect');
    return duplexStream(socket);
  },
});
