import * as nodeNet from 'node:net';
import type { Subject } from './case.js';

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
  openStreams: () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
  unusedPort: unusedTcpPort,
};
