// Tested by test/loopback/net/host.test.ts
import { Duplex } from 'node:stream';
import { XpassError } from '../base/errors.js';
import type { FlowReader, FlowWriter } from '../core/flow-callbacks.js';
import type { ReceiverStatistics } from '../core/receiver-statistics.js';
import type { SenderStatistics } from '../core/sender-requests.js';
import type { UdpAddress } from '../udp/address.js';
import { ResetCode } from '../wire/layout.js';
import type { StreamOptions } from './host-options.js';
import type { Receiver } from './receiver.js';
import type { Sender } from './sender.js';
import { StreamReader } from './stream-reader.js';
import { StreamWriter } from './stream-writer.js';

/** Of both buffers of a stream: what the largest frame holds (ours). */
const HIGH_WATER_MARK_BYTES = 65_536;

/** How long a stream that was destroyed waits for its peer to end as well: Linux's tcp_fin_timeout. */
const ORPHAN_MS = 60_000;

/** How long the answering flow of a stream that has ended waits for bytes before it is opened without them (ours: RFC 9000's max_ack_delay). PROTOCOL §6.1 */
const ANSWER_DELAY_MS = 25;

/** What a stream needs of its host. */
export interface StreamHost {
  /** How long a peer has for its first answer, ms. */
  readonly connectTimeoutMs: number;
  readonly local: UdpAddress;
  peerName(peer: number): string;
  /** Null behind a switch. */
  peerAddress(peer: number): UdpAddress | null;
  /** Answers that name our flow as their pair are not wanted any more. */
  forgetReplies(peer: number, id: number): void;
  /** The stream is destroyed. */
  streamClosed(stream: Stream): void;
}

/** What both flows of a stream say of themselves; null for one that is not there yet. */
export interface StreamStatistics {
  /** What this end sends. */
  readonly sent: SenderStatistics | null;
  /** What this end receives. */
  readonly received: ReceiverStatistics | null;
}

/** What a stream says beside what a Duplex says. */
export interface StreamEvents {
  /** The peer has taken the stream. */
  connect: [];
  /** Nothing was read or written for the time of `setTimeout`. */
  timeout: [];
}

/**
 * A stream of bytes in both directions: two flows that name each other (PROTOCOL §6.1). It behaves as a socket of `node:net` does, with these
 * differences: `finish` comes when the peer's host has every byte; a reader that is slow holds credits back instead of filling a socket's buffer; errors
 * are XpassErrors with the codes of the core, the cause in `cause`.
 *
 * `destroy(error)` and `resetAndDestroy` reset both directions. `destroy()` alone ends the writing direction behind what was written, and resets the
 * other once bytes come that nobody reads.
 */
export class Stream extends Duplex {
  /** Ms without traffic until `timeout` is emitted; undefined for none. */
  timeout: number | undefined;
  private readonly host: StreamHost;
  private readonly output: StreamWriter;
  private readonly input: StreamReader;
  private peer = 0;
  private isOpening: boolean;
  private timer: NodeJS.Timeout | null = null;
  /** While the peer's direction is not open, or not over behind `destroy`. */
  private peerTimer: NodeJS.Timeout | null = null;
  private readonly isAnswering: boolean;
  /** The answering flow was refused before the program had anything for it. */
  private refused: XpassError | null = null;
  private finished: (() => void) | null = null;
  private resetCode: number | null = null;

  /** For hosts. `isOpening`: the peer has not taken the stream yet. @internal */
  constructor(host: StreamHost, options: StreamOptions, isOpening: boolean) {
    super({
      allowHalfOpen: options.allowHalfOpen ?? false,
      readableHighWaterMark: options.readableHighWaterMark ?? HIGH_WATER_MARK_BYTES,
      writableHighWaterMark: options.writableHighWaterMark ?? HIGH_WATER_MARK_BYTES,
    });
    this.host = host;
    this.isOpening = isOpening;
    this.isAnswering = !isOpening;
    this.output = new StreamWriter({
      onOpened: () => this.handleOpened(),
      onWriterClosed: (error) => this.handleWriterClosed(error),
    });
    this.input = new StreamReader({
      push: (chunk) => this.give(chunk),
      waitingBytes: () => this.readableLength,
      onReaderClosed: (error) => this.handleReaderClosed(error),
    });
  }

  /** The peer has not taken the stream yet. What is written meanwhile goes with the opening. */
  get connecting(): boolean {
    return this.isOpening && !this.destroyed;
  }

  /** Bytes that the program was given. */
  get bytesRead(): number {
    return this.input.bytesRead;
  }

  /** Bytes that the program has written, those that wait included. */
  get bytesWritten(): number {
    return this.output.bytesWritten + this.writableLength;
  }

  /** The peer as people write it: `192.0.2.7:28400`, or `host 3` behind a switch. */
  get peerName(): string {
    return this.peer === 0 ? '' : this.host.peerName(this.peer);
  }

  /** The peer's numeric address; undefined behind a switch, and before its name is known. */
  get remoteAddress(): string | undefined {
    return this.remote?.address;
  }

  /** The peer's UDP port; undefined where `remoteAddress` is. */
  get remotePort(): number | undefined {
    return this.remote?.port;
  }

  /** Family of `remoteAddress`; undefined where that is. */
  get remoteFamily(): 'IPv4' | 'IPv6' | undefined {
    return familyOf(this.remote);
  }

  /** Numeric address where this host's socket is bound. */
  get localAddress(): string {
    return this.host.local.address;
  }

  /** UDP port where this host's socket is bound. */
  get localPort(): number {
    return this.host.local.port;
  }

  /** Family of `localAddress`. */
  get localFamily(): 'IPv4' | 'IPv6' | undefined {
    return familyOf(this.host.local);
  }

  /** What the flows of both directions count. Allocates. */
  statistics(): StreamStatistics {
    return { sent: this.output.flow?.statistics ?? null, received: this.input.flow?.statistics ?? null };
  }

  /** Emits `timeout` after this long without bytes read or written, ms; 0 for never. The stream stays as it is. */
  setTimeout(ms: number, callback?: () => void): this {
    if (callback !== undefined && ms > 0) this.once('timeout', callback);
    if (callback !== undefined && ms === 0) this.off('timeout', callback);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.timeout = ms > 0 ? ms : undefined;
    if (ms > 0 && !this.destroyed) this.timer = setTimeout(() => this.emit('timeout'), ms).unref();
    return this;
  }

  /** Gives both directions up at once: the peer's stream fails with `reset`. */
  resetAndDestroy(): this {
    this.resetCode = ResetCode.aborted;
    return this.destroy();
  }

  /** For hosts: the flow that sends; `opens`: the peer is asked even if nothing was written. @internal */
  attachSender(sender: Sender, opens: boolean): void {
    this.peer = sender.peer;
    this.output.attach(sender, opens);
  }

  /** For hosts: the flow that receives. Returns who reads it. @internal */
  attachReceiver(receiver: Receiver): FlowReader | null {
    if (this.input.flow !== null) return null;
    if (receiver.pairedFlowId !== 0) this.host.forgetReplies(receiver.peer, receiver.pairedFlowId);
    this.peer = receiver.peer;
    this.input.attach(receiver);
    this.clearPeerTimer();
    if (this.destroyed) this.awaitPeersEnd();
    return this.input;
  }

  /** For hosts: who hears of the flow that sends. @internal */
  get writer(): FlowWriter {
    return this.output;
  }

  /** For hosts: gives the stream up with this code of RESET. @internal */
  abort(code: number, error?: Error): void {
    this.resetCode = code;
    this.destroy(error);
  }

  /** For Duplex. @internal */
  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    this.touch();
    if (this.refused !== null) callback(resetOf(this.refused));
    else this.output.write([chunk], callback);
  }

  /** For Duplex. @internal */
  override _writev(chunks: { chunk: Uint8Array }[], callback: (error?: Error) => void): void {
    this.touch();
    if (this.refused !== null) {
      callback(resetOf(this.refused));
      return;
    }
    this.output.write(
      chunks.map(({ chunk }) => chunk),
      callback,
    );
  }

  /** For Duplex. @internal */
  override _final(callback: () => void): void {
    if (this.refused !== null) {
      callback();
      return;
    }
    this.finished = callback;
    this.output.end();
  }

  /** As of a Readable. */
  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    this.input.taken();
    return chunk;
  }

  /** For Duplex. @internal */
  override _read(): void {
    this.input.resume();
  }

  /** For Duplex. @internal */
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.clearPeerTimer();
    const code = this.resetCode ?? (error === null && !this.isOpening ? null : ResetCode.aborted);
    this.input.abandon();
    if (code === null) {
      this.leave();
    } else {
      this.resetFlows(code);
      this.output.fail(error ?? new XpassError('reset', 'the stream was destroyed'));
    }
    this.host.streamClosed(this);
    callback(error);
  }

  /** Ends the writing direction; the other has its time to end. */
  private leave(): void {
    this.output.end();
    this.input.releaseUnread();
    this.awaitPeersEnd();
    if (this.output.flow?.isClosed) this.forgetAnswer();
  }

  private awaitPeersEnd(): void {
    const { flow } = this.input;
    if (flow !== null && !flow.isClosed) this.peerTimer = setTimeout(() => flow.reset(), ORPHAN_MS).unref();
  }

  /** A peer that dies now says nothing, so both ends bound this state: the opener waits for the answering flow, which the other end opens in time. */
  private awaitAnswer(): void {
    const ms = this.isAnswering ? ANSWER_DELAY_MS : this.host.connectTimeoutMs;
    const act = this.isAnswering ? () => this.output.open() : () => this.fail(this.noAnswer());
    this.peerTimer = setTimeout(act, ms).unref();
  }

  private noAnswer(): XpassError {
    const within = `within the connect timeout of ${this.host.connectTimeoutMs / 1e3} s`;
    return new XpassError(
      'idle',
      `${this.peerName} is lost: it has all that was sent, and nothing came from it ${within}`,
    );
  }

  private clearPeerTimer(): void {
    if (this.peerTimer !== null) clearTimeout(this.peerTimer);
    this.peerTimer = null;
  }

  /** All that was written before the stream was destroyed has arrived. An answer that comes now is refused. */
  private forgetAnswer(): void {
    const { flow } = this.output;
    if (flow !== null && this.input.flow === null) this.host.forgetReplies(flow.peer, flow.id);
  }

  private resetFlows(code: number): void {
    const { flow } = this.output;
    if (flow !== null) this.host.forgetReplies(flow.peer, flow.id);
    flow?.reset(code);
    this.input.flow?.reset(code);
  }

  private get remote(): UdpAddress | null {
    return this.peer === 0 ? null : this.host.peerAddress(this.peer);
  }

  private give(chunk: Uint8Array | null): boolean {
    this.touch();
    return this.push(chunk);
  }

  private touch(): void {
    this.timer?.refresh();
  }

  private handleOpened(): void {
    if (!this.isOpening) return;
    this.isOpening = false;
    process.nextTick(() => {
      if (!this.destroyed) this.emit('connect');
    });
  }

  private handleWriterClosed(error: XpassError | null): void {
    if (error !== null && !this.isNeedless(error)) this.failBehindInput(error);
    else if (this.destroyed) this.forgetAnswer();
    else if (this.finished === null) this.refused = error;
    else {
      process.nextTick(this.finished);
      if (error === null && this.input.flow === null) this.awaitAnswer();
    }
  }

  private handleReaderClosed(error: XpassError | null): void {
    this.clearPeerTimer();
    if (error !== null) this.fail(error);
    else if (this.isAnswering && !this.destroyed) this.awaitAnswer();
  }

  /** A peer that is gone resets the direction that we have ended, and ends its own: that is read first, as from a socket of TCP. */
  private failBehindInput(error: XpassError): void {
    const { flow, isComplete } = this.input;
    const isComing = flow !== null && (isComplete || !flow.isClosed) && !this.readableEnded && !this.destroyed;
    if (error.code === 'reset' && this.finished !== null && isComing) this.once('end', () => this.fail(error));
    else this.fail(error);
  }

  /** The end of a direction in which nothing was written is refused by a peer whose stream is gone: nothing is lost. */
  private isNeedless(error: XpassError): boolean {
    return error.code === 'refused' && !this.isOpening && this.bytesWritten === 0;
  }

  /** A peer whose stream is gone refuses the answering flow, which to the program is a reset. */
  private fail(error: XpassError): void {
    const isLate = error.code === 'refused' && !this.isOpening;
    this.resetCode = ResetCode.aborted;
    this.destroy(isLate ? resetOf(error) : error);
  }
}

function resetOf(refused: XpassError): XpassError {
  return new XpassError('reset', refused.message, { cause: refused });
}

function familyOf(address: UdpAddress | null): 'IPv4' | 'IPv6' | undefined {
  if (address === null) return undefined;
  return address.family === 6 ? 'IPv6' : 'IPv4';
}
