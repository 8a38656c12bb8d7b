/**
 * xpass/net: the signatures of `node:net` over xpass, for programs that take a `createConnection` or a socket. docs/CONFORMANCE.md has what differs.
 *
 * The options of `connect` and `createServer` may have a property `xpass` with options of the host: `connect({ port, host, xpass: { rate: '1gbit' } })`.
 * Sockets with the same options share one host of the process for an address family, and loopback apart; a server opens one where it listens.
 */
// Tested by test/loopback/net-conformance.test.ts
import * as net from 'node:net';
import { type ConnectOptions, connectCall, type XpassOptions } from './arguments.js';
import { Server, type ServerOptions } from './server.js';
import { hostStatistics } from './shared-host.js';
import { Socket, type SocketOptions } from './socket.js';

type Callback = () => void;
type OnSocket = (socket: Socket) => void;

/** Opens a connection. Errors come as 'error', with the codes of node:net and the XpassError as `cause`; wrong arguments throw. */
export function connect(options: ConnectOptions, callback?: Callback): Socket;
export function connect(port: number, host?: string, callback?: Callback): Socket;
export function connect(path: string, callback?: Callback): Socket;
export function connect(...all: unknown[]): Socket {
  return open(all);
}

/** `connect` by its other name. */
export const createConnection: typeof connect = (...all: unknown[]) => open(all);

function open(all: readonly unknown[]): Socket {
  const { options } = connectCall(all);
  return new Socket(options as SocketOptions).connect(...all);
}

/** A server; `listener` gets its connections. */
export function createServer(listener?: OnSocket): Server;
export function createServer(options?: ServerOptions, listener?: OnSocket): Server;
export function createServer(options?: ServerOptions | OnSocket, listener?: OnSocket): Server {
  return new Server(options, listener);
}

/** As in node:net. */
export const { isIP, isIPv4, isIPv6, BlockList, SocketAddress } = net;
export type { ConnectOptions, ServerOptions, SocketOptions, XpassOptions };
export { hostStatistics, Server, Socket };
