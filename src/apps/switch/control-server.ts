// Tested by test/loopback/switch-control.test.ts
import { lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex, Transform } from 'node:stream';
import split2 from 'split2';
import { ConfigError } from '../../base/config-error.js';
import { failureOf } from '../../base/failure.js';
import { type ControlAddress, formatControlAddress, isPipe, netOptions } from '../../services/control/address.js';
import type { ControlReply } from '../../services/control/client.js';

/** Ours: a command of the protocol takes some hundred characters. */
export const MAX_COMMAND_CHARACTERS = 16_384;

/** Does a command and returns the answer, plain JSON; throws a ConfigError for one that it does not take. */
export type ControlHandler = (command: unknown) => object;

/**
 * One connection to the control: takes commands, one line of JSON each, and answers each with one line, in their order (docs/decisions/0006). It reads no
 * further while an answer waits for its reader, so a connection holds one answer and little input.
 */
export class ControlSession {
  private readonly stream: Duplex;
  private readonly handle: ControlHandler;
  private readonly onCommand: () => void;
  private readonly lines: Transform;
  private isOver = false;

  /** `onCommand` is called for each command that arrives. */
  constructor(stream: Duplex, handle: ControlHandler, onCommand: () => void = () => {}) {
    this.stream = stream;
    this.handle = handle;
    this.onCommand = onCommand;
    this.lines = stream.pipe(split2({ maxLength: MAX_COMMAND_CHARACTERS }));
    this.lines.on('data', (line: string) => this.answer(line));
    this.lines.on('error', () => this.refuseLong());
    stream.on('drain', () => this.lines.resume());
    // The other end went away: its own affair.
    stream.on('error', () => stream.destroy());
  }

  /** Says why and ends the connection. */
  refuse(message: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stream.end(`${JSON.stringify(failure('config', message))}\n`);
  }

  private refuseLong(): void {
    this.refuse(`a command is longer than allowed: at most ${MAX_COMMAND_CHARACTERS} characters`);
    // The pipe has let go of the stream, which must be read on to see its end.
    this.stream.resume();
  }

  private answer(line: string): void {
    if (this.isOver) return;
    if (line.length > MAX_COMMAND_CHARACTERS) {
      this.refuseLong();
      return;
    }
    this.onCommand();
    const command = readJson(line);
    // A browser can be made to send lines here, but not to begin with one that is JSON: nothing that follows is read.
    if (command === undefined) this.refuse('a command is no JSON; write one object a line, such as {"verb":"ports"}');
    else if (!this.stream.write(`${JSON.stringify(this.reply(command))}\n`)) this.lines.pause();
  }

  private reply(command: unknown): ControlReply {
    try {
      return { ok: true, result: this.handle(command) };
    } catch (error) {
      if (error instanceof ConfigError) return failure(error.code, error.message);
      throw error;
    }
  }
}

function failure(code: string, message: string): ControlReply {
  return { ok: false, error: { code, message } };
}

/** Undefined for what is no JSON. */
function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

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
