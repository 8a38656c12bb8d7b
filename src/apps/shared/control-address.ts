import type { NetConnectOpts } from 'node:net';
import { type Address, formatAddress } from '../../udp/address.js';
import { address } from './address-kind.js';
import { DEFAULT_SWITCH_PORT } from './transport-options.js';
import type { ValueKind } from './value-kind.js';

/** Where a switch takes commands: a TCP address, or the path of a Unix domain socket. */
export type ControlAddress = Address | { readonly path: string };

/** Longest path of a Unix domain socket on Linux, its terminating zero left out; unix(7). */
const MAX_PATH_BYTES = 107;
const DEFAULT_HOST = '127.0.0.1';

const TCP = address({ host: DEFAULT_HOST, port: DEFAULT_SWITCH_PORT, anyPort: true });

/** A control address as people write it: a text with a slash is a path. */
export const CONTROL_ADDRESS: ValueKind<ControlAddress> = {
  allowed: `PATH of a Unix domain socket with a slash in it and at most ${MAX_PATH_BYTES} bytes; or for TCP ${TCP.allowed}`,
  parse: (text) => {
    if (!text.includes('/')) return TCP.parse(text);
    return Buffer.byteLength(text) <= MAX_PATH_BYTES ? { path: text } : undefined;
  },
  format: formatControlAddress,
};

/** As it stands in messages, and as `CONTROL_ADDRESS` reads it. */
export function formatControlAddress(at: ControlAddress): string {
  return 'path' in at ? at.path : formatAddress(at);
}

/** As `node:net` wants it, for listening and for connecting alike. */
export function netOptions(at: ControlAddress): NetConnectOpts {
  return 'path' in at ? { path: at.path } : { host: at.host, port: at.port };
}

/** Where the control of a switch is unless told otherwise: TCP on loopback, with the number of its UDP port. */
export function defaultControlAddress({ host, port }: Address): Address {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return { host: isLoopback ? host : DEFAULT_HOST, port };
}
