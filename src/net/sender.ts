// Tested by test/net/flows.test.ts
import { assert } from '../base/assert.js';
import { XpassError } from '../base/errors.js';
import type { FlowObserver, FlowWriter } from '../core/flow-callbacks.js';
import type { SenderFlow } from '../core/sender-flow.js';
import type { SenderStatistics } from '../core/sender-requests.js';
import { ResetCode } from '../wire/layout.js';
import type { FlowDriver } from './flow-driver.js';

/** What a sender tells its host. */
export interface SenderOwner extends FlowDriver {
  /** Flows of `peer` that answer our flow `id` are refused from now on. */
  forgetReplies(peer: number, id: number): void;
  /** The flow is over. Returns the error as its writer is to have it. */
  senderClosed(sender: Sender, error: XpassError | null): XpassError | null;
}

/**
 * The sending end of a one-way flow: bytes in order to one peer. Its verbs may be called anywhere, inside its writer's calls too. The writer's calls
 * come from inside the host and must not throw.
 */
export class Sender implements FlowWriter {
  private readonly owner: SenderOwner;
  private readonly writer: FlowWriter;
  private opened: SenderFlow | null = null;
  private isEnded = false;

  /** For hosts; `attach` follows. @internal */
  constructor(owner: SenderOwner, writer: FlowWriter) {
    this.owner = owner;
    this.writer = writer;
  }

  /** For hosts: `flow` was opened with this as its writer. @internal */
  attach(flow: SenderFlow): this {
    this.opened = flow;
    return this;
  }

  /** The peer's number, as of `Host.resolve`. */
  get peer(): number {
    return this.flow.peer;
  }

  /** Of the flow, unique among those to its peer. */
  get id(): number {
    return this.flow.id;
  }

  /** No callback comes any more, and the verbs do nothing. */
  get isClosed(): boolean {
    return this.flow.isClosed;
  }

  /** Bytes that the peer's host has. */
  get acknowledgedBytes(): number {
    return this.flow.acknowledgedBytes;
  }

  /** Bytes that were written and have not been sent for the first time. */
  get unsentBytes(): number {
    return this.flow.unsentBytes;
  }

  /** A snapshot; allocates. */
  get statistics(): SenderStatistics {
    return this.flow.statistics;
  }

  /** What the window algorithm remembers, by the names of the papers; empty for a flow with credits. Allocates. */
  get algorithmState(): Record<string, number> {
    return this.flow.algorithmState;
  }

  /** Watches the flow for measurements. */
  set observer(observer: FlowObserver) {
    this.flow.observer = observer;
  }

  /** Asks the peer to take the flow before there are bytes; `onOpened` follows. */
  open(): void {
    this.owner.run((nowNs) => this.flow.open(nowNs));
  }

  /**
   * Gives `bytes` to the flow. True: taken whole, and not to be changed until they are acknowledged. False: none taken, because the send buffer is full
   * (`onWritable` comes when half of it is free) or the flow is closed. Throws XpassError `config` after `end`, and for what is no Uint8Array.
   */
  write(bytes: Uint8Array): boolean {
    if (this.flow.isClosed) return false;
    // What is thrown inside a host would leave it in the middle of its work.
    if (this.isEnded) throw new XpassError('config', 'write after end: the flow takes no more bytes');
    if (!(bytes instanceof Uint8Array))
      throw new XpassError('config', `write of a ${typeof bytes}: it must be a Uint8Array`);
    const nowNs = this.owner.workingNs;
    return nowNs >= 0 ? this.flow.write(bytes, nowNs) : this.owner.run((atNs) => this.flow.write(bytes, atNs));
  }

  /** No more bytes follow. The writer's `onClosed(null)` comes when the peer's host has them all. */
  end(): void {
    this.isEnded = true;
    this.owner.run((nowNs) => this.flow.end(nowNs));
  }

  /** Gives the flow up on both sides. Does nothing once it is closed. `code`: one of ResetCode. */
  reset(code: number = ResetCode.aborted): void {
    this.owner.run((nowNs) => this.flow.reset(nowNs, code));
  }

  /** Flows that answer this one are refused from now on. */
  forgetReplies(): void {
    this.owner.forgetReplies(this.peer, this.id);
  }

  /** For the endpoint. @internal */
  onOpened(): void {
    this.writer.onOpened?.();
  }

  /** For the endpoint. @internal */
  onWritable(): void {
    this.writer.onWritable();
  }

  /** For the endpoint. @internal */
  onClosed(error: XpassError | null): void {
    this.writer.onClosed(this.owner.senderClosed(this, error));
  }

  private get flow(): SenderFlow {
    assert(this.opened !== null, 'a sender has its flow before it is used');
    return this.opened;
  }
}
