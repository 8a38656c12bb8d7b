import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import * as nodeNet from 'node:net';
import * as xpassNet from '../../../src/net/compat/net.js';
import type { NetModule, Subject } from './case.js';

/** A port of TCP that was free a moment ago: the system gives it to nobody else so soon. */
async function unusedTcpPort(): Promise<number> {
  const server = nodeNet.createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as nodeNet.AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

export const NODE: Subject = {
  name: 'node:net',
  net: nodeNet,
  url: 'node:net',
  openStreams: async () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
  unusedPort: unusedTcpPort,
};

async function unusedUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

export const XPASS: Subject = {
  name: 'xpass/net',
  net: xpassNet satisfies NetModule,
  url: new URL('../../../dist/net/compat/net.js', import.meta.url).href,
  openStreams: async () =>
    (await xpassNet.hostStatistics()).reduce((sum, { streams, flows }) => sum + streams + flows, 0),
  unusedPort: unusedUdpPort,
};
