// Tested by test/net/flows.test.ts
import type { XpassError } from '../base/errors.js';
import type { FlowObserver, FlowReader, FlowWriter } from '../core/flow-callbacks.js';
import type { ReceiverFlow } from '../core/receiver-flow.js';
import type { ReceiverStatistics } from '../core/receiver-statistics.js';
import { ResetCode } from '../wire/layout.js';
import type { FlowDriver } from './flow-driver.js';
import type { FlowOptions } from './host-options.js';
import type { Sender } from './sender.js';

/** Takes a flow that a peer opened as the answer to one of ours, or refuses it with null. */
export type AcceptReply = (reply: Receiver) => FlowReader | null;

/** What a receiver needs of its host. */
export interface ReceiverOwner extends FlowDriver {
  peerName(peer: number): string;
  openReply(receiver: Receiver, writer: FlowWriter, options?: FlowOptions): Sender;
  /** Flows of `peer` that name the flow `id` as their pair go to `accept`, until they are forgotten. */
  expectReplies(peer: number, id: number, accept: AcceptReply): void;
  forgetReplies(peer: number, id: number): void;
  /** The flow is over. Returns the error as its reader is to have it. */
  receiverClosed(receiver: Receiver, error: XpassError | null): XpassError | null;
}

const NOBODY: FlowReader = { onData: () => {}, onEnd: () => {}, onClosed: () => {} };

/**
 * The receiving end of a one-way flow that a peer has opened. Its verbs may be called anywhere. The reader's calls come from inside the host and must
 * not throw; bytes are valid only during `onData`.
 */
export class Receiver implements FlowReader {
  /** Who takes the bytes. @internal */
  reader: FlowReader = NOBODY;
  private readonly owner: ReceiverOwner;
  private readonly flow: ReceiverFlow;
  private takesPaired = false;

  /** For hosts. @internal */
  constructor(owner: ReceiverOwner, flow: ReceiverFlow) {
    this.owner = owner;
    this.flow = flow;
  }

  /** The peer's number, as of `Host.resolve`. */
  get peer(): number {
    return this.flow.peer;
  }

  /** The peer as people write it. */
  get peerName(): string {
    return this.owner.peerName(this.flow.peer);
  }

  /** Of the flow, unique among those of its peer. */
  get id(): number {
    return this.flow.id;
  }

  /** The flow of ours that this one answers; 0 for none. */
  get pairedFlowId(): number {
    return this.flow.pairedFlowId;
  }

  /** The flow is reactive: PROTOCOL §11. */
  get isReactive(): boolean {
    return this.flow.isReactive;
  }

  /** No callback comes any more, and the verbs do nothing. */
  get isClosed(): boolean {
    return this.flow.isClosed;
  }

  /** Rate of its credits in bit/s of data, as the algorithm sets it; 0 of a reactive flow. */
  get rateBps(): number {
    return this.flow.rateBps;
  }

  /** A snapshot; allocates. */
  get statistics(): ReceiverStatistics {
    return this.flow.statistics;
  }

  /** What the credit algorithm remembers, by the names of the papers. Allocates. */
  get algorithmState(): Record<string, number> {
    return this.flow.algorithmState;
  }

  /** Watches the flow for measurements. */
  set observer(observer: FlowObserver) {
    this.flow.observer = observer;
  }

  /** The reader is done with this many bytes: the peer gets credits for as many. What is not released holds the peer back. */
  release(bytes: number): void {
    const nowNs = this.owner.workingNs;
    if (nowNs >= 0) this.flow.release(bytes, nowNs);
    else this.owner.run((atNs) => this.flow.release(bytes, atNs));
  }

  /** Inside `onData`: these bytes may be kept as they are. */
  mayKeep(bytes: Uint8Array): boolean {
    return this.owner.ownsBytes?.(bytes) ?? false;
  }

  /** Gives the flow up on both sides. Does nothing once it is complete or closed. `code`: one of ResetCode. */
  reset(code: number = ResetCode.aborted): void {
    this.owner.run((nowNs) => this.flow.reset(nowNs, code));
  }

  /** Opens a flow to the peer that names this one as its pair (PROTOCOL §6.1). Throws XpassError `tooManyFlows`. */
  openReply(writer: FlowWriter, options?: FlowOptions): Sender {
    return this.owner.openReply(this, writer, options);
  }

  /** Further flows of the peer that name this one as their pair go to `accept` while this one is open; without it they are refused. */
  acceptPaired(accept: AcceptReply): void {
    this.takesPaired = true;
    this.owner.expectReplies(this.peer, this.id, accept);
  }

  /** For the endpoint. @internal */
  onData(bytes: Uint8Array): void {
    this.reader.onData(bytes);
  }

  /** For the endpoint. @internal */
  onEnd(): void {
    this.reader.onEnd();
  }

  /** For the endpoint. @internal */
  onClosed(error: XpassError | null): void {
    if (this.takesPaired) this.owner.forgetReplies(this.peer, this.id);
    this.reader.onClosed(this.owner.receiverClosed(this, error));
  }
}
