import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import type { AddressInfo, NetConnectOpts, Server, ServerOpts, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { within as patiently } from '../switch-lab.js';
import type { NetModule, Observation, Subject } from './case.js';

export const LOOPBACK = '127.0.0.1';

/** Ours: a busy machine of two cores starts a Node process in some seconds. */
const CHILD_PATIENCE_MS = 30_000;

/** Ours: what takes milliseconds on quiet cores. */
const PATIENCE_MS = 20_000;

const within = <T>(promise: Promise<T>, what: string, patienceMs = PATIENCE_MS): Promise<T> =>
  patiently(promise, what, patienceMs);

/** Both ends of a connection. */
export interface Pair {
  readonly client: Socket;
  /** The end that the server got. */
  readonly peer: Socket;
  readonly server: Server;
  readonly port: number;
}

interface PairOptions {
  readonly server?: ServerOpts;
  readonly client?: Partial<NetConnectOpts>;
}

/** How a child process ended. */
export interface ChildEnd {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a case may use; everything that it opens is closed when the case is over. */
export class Tools {
  private readonly sockets: Socket[] = [];
  private readonly servers: Server[] = [];

  readonly subject: Subject;

  constructor(subject: Subject) {
    this.subject = subject;
  }

  get net(): NetModule {
    return this.subject.net;
  }

  /** A server at a free port of 127.0.0.1. */
  async listen(onSocket: (socket: Socket) => void = () => undefined, options: ServerOpts = {}) {
    const server = this.keep(
      this.net.createServer(options, (socket) => {
        this.hold(socket);
        onSocket(socket);
      }),
    );
    server.listen(0, LOOPBACK);
    await this.event(server, 'listening');
    return { server, port: portOf(server) };
  }

  connect(port: number, options: Partial<NetConnectOpts> = {}): Socket {
    return this.hold(this.net.connect({ port, host: LOOPBACK, ...options } as NetConnectOpts));
  }

  /** A client, and the end that its server got; both connected. */
  async pair(options: PairOptions = {}): Promise<Pair> {
    let taken: (socket: Socket) => void = () => undefined;
    const arrival = new Promise<Socket>((resolve) => {
      taken = resolve;
    });
    const { server, port } = await this.listen((socket) => taken(socket), options.server);
    const client = this.connect(port, options.client);
    await this.event(client, 'connect');
    return { client, peer: await within(arrival, 'the connection at the server'), server, port };
  }

  /** Destroys a socket at the end of the case; its errors are the case's to look at. */
  hold(socket: Socket): Socket {
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    return socket;
  }

  keep(server: Server): Server {
    this.servers.push(server);
    return server;
  }

  /** What the event's first listener gets. An 'error' before it does not end the waiting. */
  event(emitter: EventEmitter, name: string): Promise<unknown> {
    return within(
      new Promise((resolve) => {
        emitter.once(name, resolve);
      }),
      `'${name}' of ${this.subject.name}`,
    );
  }

  closed(...emitters: readonly EventEmitter[]): Promise<unknown> {
    return Promise.all(emitters.map((emitter) => this.event(emitter, 'close')));
  }

  /** Runs a program of a few lines, in which `net` is the module and `say` prints a line, and waits until it ends by itself. */
  async child(program: string): Promise<ChildEnd> {
    const source = `import * as net from ${JSON.stringify(this.subject.url)};
      const say = (text) => process.stdout.write(text + '\\n');
      ${program}`;
    const ended = new Promise<ChildEnd>((resolve) => {
      const child = execFile(process.execPath, ['--input-type=module', '-e', source], (_, stdout, stderr) => {
        resolve({ status: child.exitCode ?? -1, stdout, stderr });
      });
      setTimeout(() => child.kill('SIGKILL'), CHILD_PATIENCE_MS).unref();
    });
    return within(ended, 'the end of a child process', CHILD_PATIENCE_MS + 5_000);
  }

  /** Waits until a condition holds that no event announces. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    let isOver = false;
    const poll = async () => {
      while (!isOver && !(await condition())) await pause(5);
    };
    await within(poll(), what).finally(() => {
      isOver = true;
    });
    // A socket that is closed says so in the next turn.
    await pause(5);
  }

  /** Closes what is open and waits for it. */
  async close(): Promise<void> {
    const open = [...this.sockets.filter((socket) => !socket.closed)];
    const closings = open.map((socket) => (socket.destroyed ? socket : socket.destroy()));
    await within(Promise.all(closings.map((socket) => socket.closed || once(socket, 'close'))), 'the close of sockets');
    const listening = this.servers.filter((server) => server.listening);
    await within(
      Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve)))),
      'the close of servers',
    );
  }
}

/** Ours: long enough that what was going to happen at once has happened. Only for what must not happen. */
const A_WHILE_MS = 60;

export function pause(ms: number = A_WHILE_MS): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

const RECORDED = ['lookup', 'connect', 'ready', 'timeout', 'end', 'finish'] as const;

/** The events of a socket from now on, in order: 'error:CODE' and 'close:true' with what they carry. Chance decides 'data' and 'drain'. */
export function record(socket: Socket): string[] {
  const seen: string[] = [];
  for (const name of RECORDED) socket.on(name, () => seen.push(name));
  socket.on('error', (error) => seen.push(`error:${codeOf(error)}`));
  socket.on('close', (hadError: boolean) => seen.push(`close:${hadError}`));
  return seen;
}

/** Whether the event 'close' is among them: a socket's flag `closed` is set before it comes. */
export function hasClosed(seen: readonly string[]): boolean {
  return seen.some((event) => event.startsWith('close'));
}

/** The code of an error, or its name where it has none; 'none' for no error. */
export function codeOf(error: unknown): string {
  if (error === undefined || error === null) return 'none';
  return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
}

/** What a call throws. */
export function thrown(call: () => unknown): string {
  try {
    call();
    return 'nothing';
  } catch (error) {
    return `${(error as Error).name} ${codeOf(error)}`;
  }
}

/** The properties of an error that node:net gives it; places of the test itself read as words. */
export function described(error: unknown, port: number): Observation {
  const {
    code,
    syscall,
    address,
    port: errorPort,
  } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  return {
    code: code ?? 'none',
    syscall: syscall ?? 'none',
    address: address ?? 'none',
    port: errorPort === undefined ? 'none' : errorPort === port ? 'the port' : 'another',
  };
}

/** Everything that a stream yields until its end, as text. */
export async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** The text that has come, collected by a 'data' listener: it reads without ending the stream. */
export function heard(socket: Socket): { text: string } {
  const all = { text: '' };
  socket.on('data', (chunk) => {
    all.text += chunk.toString();
  });
  return all;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes without a pattern of a frame's length: byte i is from the low bits of a product. */
export function noise(bytes: number, seed = 1): Buffer {
  const made = Buffer.allocUnsafe(bytes);
  let state = seed >>> 0;
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    made[at] = state >>> 24;
  }
  return made;
}
