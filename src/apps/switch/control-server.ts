// Tested by test/loopback/switch-control.test.ts
import { lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConfigError } from '../../base/config-error.js';
import { failureOf } from '../../base/failure.js';
import { type ControlAddress, formatControlAddress, isPipe, netOptions } from '../../services/control/address.js';
import type { ControlReply } from '../../services/control/client.js';
import { LineSplitter } from '../../services/control/lines.js';
import { isSameToken } from '../../services/control/token.js';

/** Ours: a command of the protocol takes some hundred bytes. */
export const MAX_COMMAND_BYTES = 16_384;

/** Does a command and returns the answer, plain JSON; throws a ConfigError for one that it does not take. */
export type ControlHandler = (command: unknown) => object;

export interface ControlSessionOptions {
  readonly handle: ControlHandler;
  /** Called for each command that arrives. */
  onCommand?(): void;
  /** Lets the first command through, and only with it the others; absent where whoever connects may command. */
  readonly gate?: TokenGate;
}

/**
 * One connection to the control: takes commands, one line of JSON each, and answers each with one line, in their order (docs/decisions/0006). It reads no
 * further while an answer waits for its reader, so a connection holds one answer and little input. A line that does not end is no command.
 */
export class ControlSession {
  private readonly stream: Duplex;
  private readonly options: ControlSessionOptions;
  private readonly splitter = new LineSplitter(MAX_COMMAND_BYTES);
  /** Lines of one chunk that wait for the reader of the answers. */
  private readonly lines: (string | null)[] = [];
  private isAllowed: boolean;
  private isOver = false;

  constructor(stream: Duplex, options: ControlSessionOptions) {
    this.stream = stream;
    this.options = options;
    this.isAllowed = options.gate === undefined;
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('drain', () => this.answerWaiting());
    // The other end went away: its own affair.
    stream.on('error', () => stream.destroy());
  }

  /** Says why and ends the connection. */
  refuse(message: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.lines.length = 0;
    this.stream.end(`${JSON.stringify(failure('config', message))}\n`);
    // Read on, to see its end.
    this.stream.resume();
  }

  private take(chunk: Buffer): void {
    if (this.isOver) return;
    this.lines.push(...this.splitter.push(chunk));
    this.answerWaiting();
  }

  private answerWaiting(): void {
    while (this.lines.length > 0 && !this.isOver) {
      const line = this.lines.shift() ?? null;
      if (line === null) this.refuse(`a command is longer than allowed: at most ${MAX_COMMAND_BYTES} bytes`);
      else if (!this.answer(line)) {
        this.stream.pause();
        return;
      }
    }
    this.stream.resume();
  }

  /** False while nobody reads the answer. */
  private answer(line: string): boolean {
    this.options.onCommand?.();
    const command = readJson(line);
    // A browser can be made to send lines here, but not to begin with one that is JSON: nothing that follows is read.
    if (command === undefined) {
      this.refuse('a command is no JSON; write one object a line, such as {"verb":"ports"}');
      return true;
    }
    if (!this.isAllowed) return this.open(command);
    return this.stream.write(`${JSON.stringify(this.reply(command))}\n`);
  }

  private open(command: unknown): boolean {
    const problem = this.options.gate?.problemOf(command) ?? null;
    if (problem !== null) {
      this.refuse(problem);
      return true;
    }
    this.isAllowed = true;
    return this.stream.write(`${JSON.stringify({ ok: true, result: {} })}\n`);
  }

  private reply(command: unknown): ControlReply {
    try {
      return { ok: true, result: this.options.handle(command) };
    } catch (error) {
      if (error instanceof ConfigError) return failure(error.code, error.message);
      throw error;
    }
  }
}

/** Wrong tokens within a minute, of all connections together (ours: enough for a person who mistypes, hopeless for who tries 128 bits). */
export const MAX_WRONG_TOKENS = 10;
const WRONG_TOKENS_MS = 60_000;

/** Who may command by TCP: whoever says the token in the first line. */
export class TokenGate {
  private readonly token: string;
  private readonly nowMs: () => number;
  private wrong = 0;
  private sinceMs = Number.NEGATIVE_INFINITY;

  constructor(token: string, nowMs: () => number = () => performance.now()) {
    this.token = token;
    this.nowMs = nowMs;
  }

  /** Why this first command lets nobody in; null if it does. */
  problemOf(command: unknown): string | null {
    const nowMs = this.nowMs();
    if (nowMs - this.sinceMs >= WRONG_TOKENS_MS) this.wrong = 0;
    if (this.wrong >= MAX_WRONG_TOKENS) return `${this.wrong} wrong tokens were given: nobody is let in for a minute`;
    if (isSameToken((command as { token?: unknown } | null)?.token, this.token)) return null;
    if (this.wrong++ === 0) this.sinceMs = nowMs;
    return 'the first command has to be {"token":"..."} with the token of this switch: use --control-token FILE';
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

  private constructor(server: Server, address: ControlAddress, options: ControlSessionOptions) {
    this.server = server;
    this.address = address;
    server.on('connection', (socket) => this.accept(socket, options));
    // Too many open files, say: the connection is lost, and the switch goes on.
    server.on('error', () => {});
  }

  /** `token`: what connections have to begin with; absent where files say who may connect. Throws a Failure that names the address when it cannot be used. */
  static async listen(address: ControlAddress, handle: ControlHandler, token?: string): Promise<ControlServer> {
    const server = createServer();
    try {
      await listenOnce(server, address);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || !(await removeStale(address))) throw refusal(error, address);
      await listenOnce(server, address);
    }
    const options = { handle, ...(token !== undefined && { gate: new TokenGate(token) }) };
    return new ControlServer(server, actualAddress(server, address), options);
  }

  /** Ends all connections and listens no more. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.connections.keys()) socket.destroy();
    return closed;
  }

  private accept(socket: Socket, options: ControlSessionOptions): void {
    const [silent] = this.connections;
    if (silent !== undefined && this.connections.size >= MAX_CONNECTIONS) {
      this.evict(...silent);
    }
    socket.setNoDelay(true);
    const onCommand = (): void => this.noteCommand(socket, session);
    const session = new ControlSession(socket, { ...options, onCommand });
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
