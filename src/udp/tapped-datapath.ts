// Tested by test/loopback/capture.test.ts
import type { Frame } from '../wire/frame.js';
import type { UdpAddress } from './address.js';
import type { Datapath, DatapathCounters, DatapathHandlers, DatapathInfo, Source } from './datapath.js';
import type { PeerTable } from './peer-table.js';
import type { SocketProblem } from './socket-errors.js';

/** Looks at the datagrams of a socket, for a capture. Bytes are lent until a call returns. */
export interface DatagramTap {
  /** Where the socket is bound; once, before all others. */
  bound(local: UdpAddress): void;
  received(bytes: Uint8Array, length: number, from: Source): void;
  sent(frame: Frame, to: Source): void;
  /** The socket is closed, and whoever closes it waits for this. */
  closed(): Promise<void>;
}

export interface TappedParts {
  readonly tap: DatagramTap;
  readonly peers: PeerTable | null;
  /** Of a connected socket. */
  readonly remote: UdpAddress | null;
}

/** A datapath whose datagrams somebody looks at. Without one, nothing is in the way of a frame. */
export class TappedDatapath implements Datapath, DatapathHandlers {
  private readonly inner: Datapath;
  private readonly parts: TappedParts;
  private handlers: DatapathHandlers | null = null;

  constructor(inner: Datapath, parts: TappedParts) {
    this.inner = inner;
    this.parts = parts;
    parts.tap.bound(inner.info.local);
  }

  get info(): DatapathInfo {
    return this.inner.info;
  }

  get counters(): Readonly<DatapathCounters> {
    return this.inner.counters;
  }

  get lendsBytes(): boolean {
    return this.inner.lendsBytes;
  }

  get isBlocked(): boolean {
    return this.inner.isBlocked;
  }

  start(handlers: DatapathHandlers): void {
    this.handlers = handlers;
    this.inner.start(this);
  }

  takeArrived(): void {
    this.inner.takeArrived();
  }

  send(frame: Frame): void {
    const { peers, remote, tap } = this.parts;
    const to = remote ?? { address: peers?.address(frame.peer) ?? '', port: peers?.port(frame.peer) ?? 0 };
    tap.sent(frame, to);
    this.inner.send(frame);
  }

  flush(): void {
    this.inner.flush();
  }

  checkNext(): void {
    this.inner.checkNext();
  }

  problems(): Record<string, number> {
    return this.inner.problems();
  }

  keepAlive(isWanted: boolean): void {
    this.inner.keepAlive(isWanted);
  }

  async close(): Promise<void> {
    await this.inner.close();
    await this.parts.tap.closed();
  }

  onDatagram(bytes: Uint8Array, length: number, from: Source, waitedNs: number): void {
    this.parts.tap.received(bytes, length, from);
    this.handlers?.onDatagram(bytes, length, from, waitedNs);
  }

  onBatchEnd(): void {
    this.handlers?.onBatchEnd();
  }

  onProblem(problem: SocketProblem): void {
    this.handlers?.onProblem(problem);
  }

  onSent(frame: Frame): void {
    this.handlers?.onSent(frame);
  }
}
