// Tested by test/loopback/net-conformance.test.ts
import type { AddressInfo, OnReadOpts, Server, SocketConstructorOpts, SocketReadyState } from 'node:net';
import { addAbortSignal, Duplex } from 'node:stream';
import { XpassError } from '../../base/errors.js';
import type { UdpAddress } from '../../udp/address.js';
import type { Stream } from '../stream.js';
import { connectCall, noPaths } from './arguments.js';
import { Dial } from './dial.js';
import { codedError, nodeError } from './errors.js';
import { IdleTimer } from './idle-timer.js';
import type { SharedHost } from './shared-host.js';

/** Of `new Socket`; others of node:net mean nothing here and are ignored. */
export interface SocketOptions extends SocketConstructorOpts {
  readonly readableHighWaterMark?: number;
  readonly writableHighWaterMark?: number;
  readonly highWaterMark?: number;
  readonly onread?: OnReadOpts;
  readonly timeout?: number;
}

type Callback = (error?: Error | null) => void;

/** Both ends of a connection, as node:net names them. */
interface Ends {
  readonly remote: Partial<AddressInfo>;
  readonly local: Partial<AddressInfo>;
}

/** Turns of the loop without a write before a socket ends (ours): TLS over it lost its last 16 KiB when it ended at once. */
const QUIET_TURNS = 4;

const NOWHERE: Ends = { remote: {}, local: {} };

/**
 * `net.Socket` over a stream of xpass: events, properties and error codes are those of node:net, and docs/CONFORMANCE.md has the differences. Options that
 * are about TCP (`setNoDelay`, `setKeepAlive`) are taken and have no effect.
 */
export class Socket extends Duplex {
  connecting: boolean;
  /** The server that has accepted the socket. */
  server: Server | null;
  private stream: Stream | null;
  private shared: SharedHost | null;
  private dial: Dial | null;
  private ends: Ends;
  private peerSeen: Partial<AddressInfo> | null;
  private readonly idle: IdleTimer;
  private readonly onread: OnReadOpts | undefined;
  private readBytes: number;
  private sentBytes: number;
  /** The write that has not called back yet. */
  private writing: { readonly chunks: readonly Uint8Array[]; readonly callback: Callback; isTaken: boolean } | null;
  private finishing: Callback | null;
  private holdsProcess: boolean;
  private isHolding: boolean;
  private endsByItself: boolean;

  constructor(options: SocketOptions = {}) {
    const { readableHighWaterMark, writableHighWaterMark, highWaterMark, signal, allowHalfOpen } = options;
    super({
      allowHalfOpen: allowHalfOpen === true,
      emitClose: false,
      ...(highWaterMark !== undefined && { highWaterMark }),
      ...(readableHighWaterMark !== undefined && { readableHighWaterMark }),
      ...(writableHighWaterMark !== undefined && { writableHighWaterMark }),
    });
    this.connecting = false;
    this.server = null;
    this.stream = null;
    this.shared = null;
    this.dial = null;
    this.ends = NOWHERE;
    this.peerSeen = null;
    this.idle = new IdleTimer(this);
    this.onread = options.onread;
    this.readBytes = 0;
    this.sentBytes = 0;
    this.writing = null;
    this.finishing = null;
    this.holdsProcess = true;
    this.isHolding = false;
    this.endsByItself = false;
    // A Duplex that does not allow half-open streams calls `end` two ticks behind 'end'.
    this.on('end', () => process.nextTick(() => this.expectOwnEnd()));
    if (options.timeout) this.setTimeout(options.timeout);
    if (signal !== undefined) addAbortSignal(signal, this);
  }

  /** Forms as in node:net; the options may have `xpass`. What is written before 'connect' goes with the opening. */
  connect(...all: unknown[]): this {
    const { options, callback } = connectCall(all);
    if (this.destroyed) this.renew();
    if (callback !== undefined) this.once('connect', callback);
    this.connecting = true;
    this.idle.touch();
    if (options.path !== undefined) {
      this.destroy(noPaths(options.path));
      return this;
    }
    this.dial = new Dial(options, {
      onLookup: (...found) => void this.emit('lookup', ...found),
      onFailed: (error) => void this.destroy(error),
      onStream: (stream, shared, remote) => this.attach(stream, shared, remote),
    });
    void this.dial.start();
    return this;
  }

  /** For servers and dials: the socket is the program's end of this stream. */
  attach(stream: Stream, shared: SharedHost, remote: UdpAddress): void {
    this.stream = stream;
    this.shared = shared;
    this.ends = { remote: information(remote), local: information(shared.host.local) };
    shared.enter();
    this.holdProcess();
    stream.on('data', (chunk: Buffer) => this.takeData(chunk));
    stream.on('end', () => this.takeEnd());
    stream.on('error', (error) => this.fail(error));
    stream.on('close', () => void (this.stream === stream && !this.isOver && this.destroy()));
    if (stream.connecting) stream.once('connect', () => this.opened());
    else this.opened();
    this.startWrite();
    if (this.finishing !== null) this.finishStream(this.finishing);
  }

  get pending(): boolean {
    return this.stream === null || this.connecting;
  }

  get readyState(): SocketReadyState {
    if (this.connecting) return 'opening';
    if (this.readable) return this.writable ? 'open' : 'readOnly';
    return this.writable ? 'writeOnly' : 'closed';
  }

  get bytesRead(): number {
    return this.readBytes;
  }

  /** Those that wait included. */
  get bytesWritten(): number {
    return this.sentBytes + this.writableLength;
  }

  get bufferSize(): number {
    return this.writableLength;
  }

  get remoteAddress(): string | undefined {
    return this.peerEnd().address;
  }

  get remotePort(): number | undefined {
    return this.peerEnd().port;
  }

  get remoteFamily(): string | undefined {
    return this.peerEnd().family;
  }

  /** Undefined, as those below, while there is no connection: the declarations of node:net leave it out. */
  get localAddress(): string {
    return this.ends.local.address as string;
  }

  get localPort(): number {
    return this.ends.local.port as number;
  }

  get localFamily(): string {
    return this.ends.local.family as string;
  }

  get autoSelectFamilyAttemptedAddresses(): string[] {
    return [];
  }

  /** Ms; undefined before `setTimeout`. */
  get timeout(): number {
    return this.idle.timeout as number;
  }

  address(): AddressInfo | Record<string, never> {
    return { ...this.ends.local } as AddressInfo | Record<string, never>;
  }

  /** 'timeout' after this long without traffic, ms; 0 for never. */
  setTimeout(ms: number, callback?: () => void): this {
    if (!this.destroyed) this.idle.set(ms, callback);
    return this;
  }

  setNoDelay(_noDelay?: boolean): this {
    return this;
  }

  setKeepAlive(_enable?: boolean, _initialDelay?: number): this {
    return this;
  }

  ref(): this {
    this.holdsProcess = true;
    this.holdProcess();
    return this;
  }

  unref(): this {
    this.holdsProcess = false;
    this.releaseProcess();
    return this;
  }

  override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    const isEndedByPeer = this.readableEnded && !this.allowHalfOpen && this.writableEnded && !this.destroyed;
    if (!isEndedByPeer) return super.write(chunk, encoding as BufferEncoding, callback);
    const error = codedError('EPIPE', 'This socket has been ended by the other party');
    const told = typeof encoding === 'function' ? encoding : callback;
    if (told !== undefined) process.nextTick(told, error);
    this.destroy(error);
    return false;
  }

  override end(...all: unknown[]): this {
    const isOwn = this.endsByItself && all.length === 0 && this.bytesWritten > 0;
    this.endsByItself = false;
    if (isOwn) this.endWhenQuiet(QUIET_TURNS);
    else super.end(...(all as []));
    return this;
  }

  /** Sends what was written, then destroys. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    if (this.stream === null && !this.connecting) {
      return this.destroy(codedError('ERR_SOCKET_CLOSED', 'Socket is closed'));
    }
    if (this.connecting) return this.once('connect', () => this.resetAndDestroy());
    this.stream?.resetAndDestroy();
    return this.destroy();
  }

  override _read(): void {
    if (this.stream?.isPaused()) this.stream.resume();
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: Callback): void {
    this.send([chunk], callback);
  }

  override _writev(chunks: { chunk: Uint8Array }[], callback: Callback): void {
    this.send(
      chunks.map(({ chunk }) => chunk),
      callback,
    );
  }

  override _final(callback: Callback): void {
    if (this.stream !== null) this.finishStream(callback);
    else if (this.connecting) this.finishing = callback;
    else callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const wasConnecting = this.connecting;
    const wasOpen = this.stream !== null || wasConnecting;
    this.connecting = false;
    this.idle.stop();
    this.dial?.stop();
    this.leaveStream(error);
    this.failWrite(wasConnecting, error);
    callback(error);
    // As in node:net: behind 'error', and a turn of the loop later where there was a connection to close.
    const later = wasOpen ? setImmediate : process.nextTick;
    later(() => this.emit('close', error !== null));
    this.emit(SOCKET_CLOSED);
  }

  /** A cut stream must not look like one that was ended: what is lost here resets it. */
  private leaveStream(error: Error | null): void {
    const { stream } = this;
    if (stream !== null) {
      const isCut = this.writableLength > 0 && !this.writableFinished;
      this.stream = null;
      if (isCut) stream.resetAndDestroy();
      else stream.destroy(error ?? undefined);
    }
    this.releaseProcess();
    this.shared?.leave();
    this.shared = null;
    this.ends = NOWHERE;
  }

  private failWrite(wasConnecting: boolean, error: Error | null): void {
    const { writing } = this;
    this.writing = null;
    if (writing === null) return;
    const code = wasConnecting ? 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION' : 'ERR_SOCKET_CLOSED';
    writing.callback(wasConnecting || error === null ? codedError(code, 'Socket is closed') : error);
  }

  /** Begins anew after the socket was closed. */
  private renew(): void {
    (this as unknown as { _undestroy(): void })._undestroy();
    this.peerSeen = null;
    this.readBytes = 0;
    this.sentBytes = 0;
  }

  private opened(): void {
    if (this.destroyed) return;
    const wasConnecting = this.connecting;
    this.connecting = false;
    this.idle.touch();
    if (this.writing?.isTaken) this.wrote();
    if (!wasConnecting) return;
    this.emit('connect');
    this.emit('ready');
  }

  private takeData(chunk: Buffer): void {
    if (this.destroyed) return;
    this.idle.touch();
    this.readBytes += chunk.length;
    const wantsMore = this.onread === undefined ? this.push(chunk) : this.giveTo(this.onread, chunk);
    if (!wantsMore) this.stream?.pause();
  }

  private takeEnd(): void {
    if (this.destroyed) return;
    // 'finish' waits for the peer's host, but not behind its end: a program that reads to the end would miss it.
    this.finished();
    this.push(null);
    // 'end' comes even if nobody reads, unless there is something to read.
    this.read(0);
  }

  /** The option onread: bytes go into the program's buffer, and no 'data' comes. */
  private giveTo({ buffer, callback }: OnReadOpts, chunk: Buffer): boolean {
    let wantsMore = true;
    for (let at = 0; at < chunk.length; ) {
      const room = typeof buffer === 'function' ? buffer() : buffer;
      const count = Math.min(room.length, chunk.length - at);
      room.set(chunk.subarray(at, at + count));
      at += count;
      wantsMore = callback(count, room) !== false && wantsMore;
    }
    return wantsMore;
  }

  private send(chunks: readonly Uint8Array[], callback: Callback): void {
    if (this.stream === null && !this.connecting) {
      callback(codedError('ERR_SOCKET_CLOSED', 'Socket is closed'));
      return;
    }
    this.writing = { chunks, callback, isTaken: false };
    this.startWrite();
  }

  private startWrite(): void {
    const { stream, writing } = this;
    if (stream === null || writing === null) return;
    this.idle.touch();
    const last = writing.chunks.length - 1;
    stream.cork();
    for (const [at, chunk] of writing.chunks.entries()) {
      stream.write(chunk, at < last ? undefined : () => this.taken(writing));
    }
    stream.uncork();
  }

  /** The stream has the bytes. Callbacks wait for the connection, as in node:net. */
  private taken(writing: NonNullable<Socket['writing']>): void {
    if (this.writing !== writing) return;
    writing.isTaken = true;
    if (!this.connecting) this.wrote();
  }

  private wrote(): void {
    const { writing } = this;
    if (writing === null) return;
    this.writing = null;
    this.idle.touch();
    for (const { length } of writing.chunks) this.sentBytes += length;
    writing.callback();
  }

  private finishStream(callback: Callback): void {
    if (this.stream?.destroyed === true) {
      callback();
      return;
    }
    this.finishing = callback;
    // Called with an error too, which 'error' of the stream has told of.
    this.stream?.end((error?: Error | null) => {
      if (!error) this.finished();
    });
  }

  private finished(): void {
    const { finishing } = this;
    this.finishing = null;
    if (!this.destroyed) finishing?.();
  }

  /** A peer that has ended and is gone may leave our last bytes unread: TCP, where the kernel has them, tells nobody either. */
  private fail(error: Error): void {
    const isReset = error instanceof XpassError && error.code === 'reset';
    const isLate = isReset && this.stream?.readableEnded === true;
    if (isLate && this.finishing !== null) this.finished();
    else if (isLate && !this.allowHalfOpen && this.writableLength === 0) this.end();
    else this.destroy(nodeError(error, this.place));
  }

  /** Both directions have ended. */
  private get isOver(): boolean {
    return this.destroyed || (this.stream?.readableEnded === true && this.stream.writableFinished);
  }

  private expectOwnEnd(): void {
    this.endsByItself = !this.allowHalfOpen;
  }

  /** A TLSSocket over this socket may still have something to write that it has read: it takes some turns from one to the other. */
  private endWhenQuiet(turns: number): void {
    if (this.writableEnded || this.destroyed) return;
    if (turns === 0) {
      super.end();
      return;
    }
    const { bytesWritten } = this;
    setImmediate(() => {
      const isQuiet = this.writableLength === 0 && this.bytesWritten === bytesWritten;
      this.endWhenQuiet(isQuiet ? turns - 1 : QUIET_TURNS);
    });
  }

  private get place() {
    const { address, port } = this.ends.remote;
    if (!this.connecting || address === undefined || port === undefined) return { syscall: 'read' as const };
    return { syscall: 'connect' as const, address, port };
  }

  /** As in node:net, the peer stays known once it was asked for. */
  private peerEnd(): Partial<AddressInfo> {
    if (this.stream === null || this.connecting) return this.peerSeen ?? {};
    this.peerSeen ??= this.ends.remote;
    return this.peerSeen;
  }

  private holdProcess(): void {
    if (!this.holdsProcess || this.isHolding || this.shared === null) return;
    this.isHolding = true;
    this.shared.hold();
  }

  private releaseProcess(): void {
    if (!this.isHolding) return;
    this.isHolding = false;
    this.shared?.release();
  }
}

/** Emitted when a socket is destroyed, before 'close': for its server. */
export const SOCKET_CLOSED = Symbol('closed');

function information({ address, port, family }: UdpAddress): AddressInfo {
  return { address, family: family === 6 ? 'IPv6' : 'IPv4', port };
}
