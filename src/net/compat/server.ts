// Tested by test/loopback/net-conformance.test.ts
import { lookup } from 'node:dns/promises';
import { EventEmitter } from 'node:events';
import { type AddressInfo, type DropArgument, isIP, type ServerOpts } from 'node:net';
import type { UdpAddress } from '../../udp/address.js';
import type { Stream } from '../stream.js';
import { type ListenCall, listenCall, type XpassOptions } from './arguments.js';
import { codedError, codedTypeError, nodeError } from './errors.js';
import { addressFreed, listeningHost, type SharedHost } from './shared-host.js';
import { SOCKET_CLOSED, Socket, type SocketOptions } from './socket.js';

/** Of `createServer`: the options of node:net, and those of xpass for its host. */
export interface ServerOptions extends ServerOpts {
  readonly xpass?: XpassOptions;
}

type Callback = (error?: Error) => void;

/** Ours: a server that has closed waits this long at most until its port is free for others, since a peer may keep a stream half open. */
const PORT_FREE_MS = 200;

/** `net.Server` over a host of xpass. */
export class Server extends EventEmitter {
  /** Connections beyond it are dropped; 0 or undefined for no bound. */
  maxConnections: number;
  /** Of node:net, where a cluster is asked; it has no effect. */
  dropMaxConnection: boolean;
  private readonly options: ServerOptions;
  private shared: SharedHost | null = null;
  /** The latest call of listen; `close` takes it back. */
  private listening_: object | null = null;
  private connections_ = 0;
  private holdsProcess = true;
  private isHolding = false;

  constructor(options?: ServerOptions | ((socket: Socket) => void), listener?: (socket: Socket) => void) {
    super();
    const onSocket = typeof options === 'function' ? options : listener;
    if (options !== undefined && options !== null && typeof options !== 'function' && typeof options !== 'object') {
      throw codedTypeError('ERR_INVALID_ARG_TYPE', 'The "options" argument must be of type object.');
    }
    this.options = typeof options === 'object' && options !== null ? options : {};
    this.maxConnections = 0;
    this.dropMaxConnection = false;
    if (onSocket !== undefined) this.on('connection', onSocket);
  }

  get listening(): boolean {
    return this.listening_ !== null;
  }

  get connections(): number {
    return this.connections_;
  }

  /** Forms as in node:net, without paths and handles. The port is known when 'listening' comes. */
  listen(...all: unknown[]): this {
    const { options, callback } = listenCall(all);
    if (this.listening_ !== null) {
      throw codedError('ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
    }
    if (callback !== undefined) this.once('listening', callback);
    const call = {};
    this.listening_ = call;
    closeOnAbort(this, options.signal);
    void this.open(options, call);
    return this;
  }

  /** Takes no more connections. 'close' comes when those that are open are over. */
  close(callback?: Callback): this {
    if (callback !== undefined) {
      const error = this.listening ? undefined : codedError('ERR_SERVER_NOT_RUNNING', 'Server is not running.');
      this.once('close', () => callback(error));
    }
    const { shared } = this;
    this.listening_ = null;
    this.shared = null;
    if (shared !== null) this.stop(shared);
    this.emitCloseIfDrained(shared?.host.local);
    return this;
  }

  address(): AddressInfo | null {
    if (this.shared === null) return null;
    const { address, family, port } = this.shared.host.local;
    return { address, family: family === 6 ? 'IPv6' : 'IPv4', port };
  }

  getConnections(callback: (error: Error | null, count: number) => void): this {
    process.nextTick(callback, null, this.connections_);
    return this;
  }

  ref(): this {
    this.holdsProcess = true;
    this.hold();
    return this;
  }

  unref(): this {
    this.holdsProcess = false;
    this.release(this.shared);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.listening) await new Promise<void>((resolve) => this.close(() => resolve()));
  }

  private async open(options: ListenCall['options'], call: object): Promise<void> {
    let place: UdpAddress | null = null;
    try {
      place = await listenAddress(options);
      const shared = await openAt(place, options.host === undefined, this.options.xpass);
      if (this.listening_ === call) this.start(shared);
      else shared.leave();
    } catch (error) {
      if (this.listening_ !== call) return;
      this.listening_ = null;
      const { address, port } = place ?? { address: options.host ?? '', port: options.port };
      this.emit('error', nodeError(error as Error, { syscall: 'listen', address, port }));
    }
  }

  private start(shared: SharedHost): void {
    this.shared = shared;
    this.hold();
    shared.serve((stream) => this.take(stream, shared));
    this.emit('listening');
  }

  private stop(shared: SharedHost): void {
    shared.serve(null);
    this.release(shared);
    shared.leave();
  }

  private take(stream: Stream, shared: SharedHost): void {
    stream.on('error', () => {});
    const { remoteAddress: address = '', remotePort: port = 0, remoteFamily } = stream;
    const remote: UdpAddress = { address, port, family: remoteFamily === 'IPv6' ? 6 : 4 };
    if (this.maxConnections > 0 && this.connections_ >= this.maxConnections) {
      this.emit('drop', dropped(shared.host.local, remote));
      stream.destroy();
      return;
    }
    // Closed since the stream came: the kernel resets what waits in a backlog too, and the host would wait for it.
    if (this.shared !== shared) stream.resetAndDestroy();
    if (stream.destroyed) return;
    this.connections_++;
    const socket = new Socket(this.options as SocketOptions);
    socket.server = this as unknown as NonNullable<Socket['server']>;
    socket.once(SOCKET_CLOSED, () => {
      this.connections_--;
      this.emitCloseIfDrained(shared.host.local);
    });
    if (this.options.pauseOnConnect === true) socket.pause();
    socket.attach(stream, shared, remote);
    this.emit('connection', socket);
  }

  private emitCloseIfDrained(local: UdpAddress | undefined): void {
    if (this.listening || this.connections_ > 0) return;
    void this.emitClose(local);
  }

  private async emitClose(local: UdpAddress | undefined): Promise<void> {
    if (local !== undefined) await soon(addressFreed(local));
    if (!this.listening && this.connections_ === 0) this.emit('close');
  }

  private hold(): void {
    if (!this.holdsProcess || this.isHolding || this.shared === null) return;
    this.isHolding = true;
    this.shared.hold();
  }

  private release(shared: SharedHost | null): void {
    if (!this.isHolding) return;
    this.isHolding = false;
    shared?.release();
  }
}

/** A host for a server; on a machine without IPv6, "any address" is that of IPv4, as in node:net. */
async function openAt(place: UdpAddress, isAny: boolean, options: XpassOptions | undefined): Promise<SharedHost> {
  const shared = await listeningHost(place, options).catch((error: Error) => {
    if (!isAny || !/EAFNOSUPPORT|EADDRNOTAVAIL/.test(String((error.cause as NodeJS.ErrnoException)?.code))) throw error;
    return listeningHost({ ...place, address: '0.0.0.0', family: 4 }, options);
  });
  shared.enter();
  return shared;
}

async function listenAddress({ host, port }: ListenCall['options']): Promise<UdpAddress> {
  if (host === undefined || host === '') return { address: '::', port, family: 6 };
  const numeric = isIP(host);
  if (numeric !== 0) return { address: host, port, family: numeric as 4 | 6 };
  const { address, family } = await lookup(host);
  return { address, port, family: family as 4 | 6 };
}

function closeOnAbort(server: Server, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const close = (): void => void server.close();
  if (signal.aborted) {
    process.nextTick(close);
    return;
  }
  signal.addEventListener('abort', close, { once: true });
  server.once('close', () => signal.removeEventListener('abort', close));
}

function dropped(local: UdpAddress, remote: UdpAddress): DropArgument {
  const family = ({ family: number }: UdpAddress) => (number === 6 ? 'IPv6' : 'IPv4');
  return {
    localAddress: local.address,
    localPort: local.port,
    localFamily: family(local),
    remoteAddress: remote.address,
    remotePort: remote.port,
    remoteFamily: family(remote),
  };
}

async function soon(promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PORT_FREE_MS);
  });
  await Promise.race([promise, tooLate]);
  clearTimeout(timer);
}
