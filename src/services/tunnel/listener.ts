// Tested by test/loopback/tunnel.test.ts

import type { AddressInfo, Server, Socket } from 'node:net';
import { describeSystemError, isSystemError } from '../../base/system-errors.js';
import { type Address, formatAddress } from '../../udp/address.js';
import { Fault } from '../file/fault.js';

/** Connections of one listener at a time; the system holds further ones back in its backlog, or resets them (ours: as many as a daemon takes streams). */
const MAX_CONNECTIONS = 900;

/** Resolves with the address that the system gave. Rejects with the system's error. */
export function listenOn(server: Server, { host, port }: Address): Promise<Address> {
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      // Accepting may fail for want of file descriptors; the next connection may succeed.
      server.on('error', () => undefined);
      const { address, port: given } = server.address() as AddressInfo;
      resolve({ host: address, port: given });
    });
  });
}

/** Takes no more connections; those there are stay. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    server.close();
    // `close` waits for the connections as well; the port is free at once.
    setImmediate(resolve);
  });
}

/** Why a peer's listener could not be had. Throws what is a bug of ours. */
export function listenFault(error: unknown, bind: Address): Fault {
  if (!isSystemError(error)) throw error;
  const { sentence } = describeSystemError(error, formatAddress(bind));
  if (error.code === 'EADDRINUSE') return new Fault('inUse', sentence);
  return new Fault(error.code === 'EACCES' || error.code === 'EPERM' ? 'permission' : 'io', sentence);
}

/** Who connected. A socket that is closed already does not know any more. */
export function peerOfSocket({ remoteAddress, remotePort }: Socket): Address {
  return { host: remoteAddress ?? '0.0.0.0', port: remotePort ?? 1 };
}
