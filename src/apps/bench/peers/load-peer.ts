// Tested by test/loopback/bench.test.ts
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FlowsCarrier } from '../flows/carrier.js';
import { duplexCarrier, LOOPBACK } from './stream-carrier.js';

/**
 * Loads a CommonJS package that xpass does not depend on (docs/decisions/0014-peers-of-the-benchmarks.md). Returns what the module exports, or one line
 * that says why there is none; `install` is what npm is given to install it.
 */
export async function loadPeer<T>(name: string, install: string): Promise<T | string> {
  try {
    const { default: exported } = (await import(name)) as { default: T };
    return exported;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') {
      return `${name} is not installed: npm install --no-save ${install}`;
    }
    const [first] = String(error instanceof Error ? error.message : error).split('\n');
    return `${name} cannot be loaded here: ${first}`;
  }
}

/** What is used of utp-native, which has no types: it is shaped like `node:net`. */
interface UtpModule {
  createServer(onConnection: (socket: Duplex) => void): Server;
  connect(port: number, host: string): Duplex;
}

/** uTP (BEP 29) by libutp, a connection for each flow. Says why where it cannot be loaded. */
export async function loadUtp(): Promise<FlowsCarrier | string> {
  const utp = await loadPeer<UtpModule>('utp-native', 'utp-native@2.5.3');
  if (typeof utp === 'string') return utp;
  return duplexCarrier({
    listen: async (accept) => {
      const server = utp.createServer(accept);
      server.listen(0, LOOPBACK);
      await once(server, 'listening');
      return String((server.address() as { port: number }).port);
    },
    dial: async (target) => () => utp.connect(Number(target), LOOPBACK),
  });
}
