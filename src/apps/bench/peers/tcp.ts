// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type DuplexTransport, duplexCarrier, LOOPBACK } from './stream-carrier.js';

/** TCP of the operating system by `node:net`, without Nagle's wait. */
export const TCP: DuplexTransport = {
  listen: async (accept) => {
    const server = createServer({ noDelay: true }, accept);
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    return String((server.address() as AddressInfo).port);
  },
  dial: async (target) => () => connect({ port: Number(target), host: LOOPBACK, noDelay: true }),
};

/** A connection for each flow. */
export const TCP_CARRIER = duplexCarrier(TCP);
