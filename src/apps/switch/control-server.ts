// Tested by test/loopback/switch-control.test.ts
import { lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type ControlAddress, formatControlAddress, isPipe, netOptions } from '../shared/control-address.js';
import { failureOf } from '../shared/failure.js';
import { type ControlHandler, ControlSession } from './control-session.js';

/** Connections at once (ours); one more ends the one that was silent for longest. */
export const MAX_CONNECTIONS = 16;
/** A Unix domain socket is for its owner alone. Of a named pipe others can read, which sends no command. */
const OWNER_ONLY = 0o177;

/** Listens for connections to the control of a switch. */
export class ControlServer {
  readonly address: ControlAddress;
  private readonly server: Server;
  /** The one that was silent for longest first. */
  private readonly connections = new Map<Socket, ControlSession>();

  private constructor(server: Server, address: ControlAddress, handle: ControlHandler) {
    this.server = server;
    this.address = address;
    server.on('connection', (socket) => this.accept(socket, handle));
    // Too many open files, say: the connection is lost, and the switch goes on.
    server.on('error', () => {});
  }

  /** Throws a Failure that names the address when it cannot be used. */
  static async listen(address: ControlAddress, handle: ControlHandler): Promise<ControlServer> {
    const server = createServer();
    try {
      await listenOnce(server, address);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || !(await removeStale(address))) throw refusal(error, address);
      await listenOnce(server, address);
    }
    return new ControlServer(server, actualAddress(server, address), handle);
  }

  /** Ends all connections and listens no more. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.connections.keys()) socket.destroy();
    return closed;
  }

  private accept(socket: Socket, handle: ControlHandler): void {
    const [silent] = this.connections;
    if (silent !== undefined && this.connections.size >= MAX_CONNECTIONS) {
      this.evict(...silent);
    }
    socket.setNoDelay(true);
    const session = new ControlSession(socket, handle, () => this.noteCommand(socket, session));
    this.connections.set(socket, session);
    socket.once('close', () => this.connections.delete(socket));
  }

  private evict(socket: Socket, session: ControlSession): void {
    session.refuse(`more than ${MAX_CONNECTIONS} connections: the one that was silent for longest ends`);
    this.connections.delete(socket);
    // Whoever does not read its answers would otherwise keep the connection for ever.
    if (socket.writableLength > 0) socket.destroy();
    else socket.destroySoon();
  }

  private noteCommand(socket: Socket, session: ControlSession): void {
    this.connections.delete(socket);
    this.connections.set(socket, session);
  }
}

function listenOnce(server: Server, address: ControlAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // A Unix domain socket is made before `listen` returns, so that nobody else can connect in between.
    const umask = 'path' in address ? process.umask(OWNER_ONLY) : null;
    server.listen(netOptions(address), () => {
      server.off('error', reject);
      resolve();
    });
    if (umask !== null) process.umask(umask);
  });
}

/** Removes a Unix domain socket that was left by a process that was killed; false when there is none, or somebody listens at it. */
async function removeStale(address: ControlAddress): Promise<boolean> {
  if (!('path' in address) || isPipe(address.path)) return false;
  if (!lstatSync(address.path).isSocket() || (await isAnswered(address))) return false;
  rmSync(address.path, { force: true });
  return true;
}

function isAnswered(address: ControlAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(netOptions(address));
    const settle = (answered: boolean) => () => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', settle(true));
    socket.once('error', (error) => settle(codeOf(error) !== 'ECONNREFUSED')());
  });
}

function actualAddress(server: Server, address: ControlAddress): ControlAddress {
  const bound = server.address();
  return bound === null || typeof bound === 'string' ? address : { host: bound.address, port: bound.port };
}

function refusal(error: unknown, address: ControlAddress): unknown {
  return failureOf(error, `the control address ${formatControlAddress(address)}`) ?? error;
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
