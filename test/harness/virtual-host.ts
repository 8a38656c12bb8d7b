import type { XpassError } from '../../src/base/errors.js';
import type { Application, CreditChoice } from '../../src/core/application.js';
import type { AttachedLink } from '../../src/core/attachment.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { FlowReader, FlowWriter } from '../../src/core/flow-callbacks.js';
import type { OpenOptions } from '../../src/core/flow-factory.js';
import type { Host } from '../../src/core/host.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import { flowError } from '../../src/net/flow-errors.js';
import { flowTerms, type SenderOptions } from '../../src/net/host.js';
import type { FlowOptions } from '../../src/net/host-options.js';
import { Pairing } from '../../src/net/pairing.js';
import { type AcceptReply, Receiver, type ReceiverOwner } from '../../src/net/receiver.js';
import { Sender, type SenderOwner } from '../../src/net/sender.js';
import type { FlowHost } from '../../src/services/service.js';
import type { DatapathInfo } from '../../src/udp/datapath.js';

/** The world that a host lives in. */
export interface VirtualWorld {
  readonly nowNs: number;
  /** The world plays: its hosts call their programs. */
  readonly isPlaying: boolean;
}

type Accept = (receiver: Receiver) => FlowReader | null;

/** A host of src/net in virtual time, as far as one-way flows go: the senders and receivers are the real ones. */
export class VirtualHost implements Application, SenderOwner, ReceiverOwner, FlowHost {
  /** Its machine; `StreamWorld.open` sets it. */
  machine!: Host;
  /** Flows that are open. */
  flows = 0;
  readonly info: DatapathInfo = {
    kind: 'dgram',
    local: { address: '', port: 0, family: 4 },
    receiveBufferBytes: 0,
    sendBufferBytes: 0,
    warnings: [],
  };
  private readonly world: VirtualWorld;
  private readonly pairing = new Pairing();
  private accept: Accept | null = null;
  private chooseCredits: ((peer: number, pairedFlowId: number) => CreditChoice | null) | null = null;

  constructor(world: VirtualWorld) {
    this.world = world;
  }

  get config(): EndpointConfig {
    return this.machine.endpoint.config;
  }

  get creditAlgorithm(): string {
    return this.config.creditAlgorithm;
  }

  get frameBytes(): number {
    return this.config.frameBytes;
  }

  get link(): AttachedLink {
    const { hostId, rateBps, frameBytes: maxFrameBytes } = this.config;
    return { hostId, rateBps, maxFrameBytes };
  }

  get workingNs(): number {
    return this.world.isPlaying ? this.world.nowNs : -1;
  }

  now(): number {
    return this.world.nowNs;
  }

  peerName(peer: number): string {
    return `host ${peer}`;
  }

  run<T>(action: (nowNs: number) => T): T {
    return action(this.world.nowNs);
  }

  acceptReceivers(accept: Accept | null): void {
    this.accept = accept;
  }

  chooseCreditsBy(choose: ((peer: number, pairedFlowId: number) => CreditChoice | null) | null): void {
    this.chooseCredits = choose;
  }

  openSender(peer: number, writer: FlowWriter, options: SenderOptions = {}): Sender {
    const { onReply, pairedFlowId = 0 } = options;
    const sender = this.openFlow(peer, writer, { ...flowTerms(options), pairedFlowId });
    if (onReply !== undefined) this.expectReplies(peer, sender.id, onReply);
    return sender;
  }

  openReply(receiver: Receiver, writer: FlowWriter, options: FlowOptions = {}): Sender {
    return this.openFlow(receiver.peer, writer, { ...flowTerms(options), pairedFlowId: receiver.id });
  }

  expectReplies(peer: number, id: number, accept: AcceptReply): void {
    this.pairing.expect(peer, id, accept);
  }

  forgetReplies(peer: number, id: number): void {
    this.pairing.forget(peer, id);
  }

  /** Who would take a flow that answers none of this host's. */
  take(receiver: Receiver): FlowReader | null {
    return this.accept?.(receiver) ?? null;
  }

  acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const receiver = new Receiver(this, flow);
    const reader = receiver.pairedFlowId === 0 ? this.take(receiver) : this.pairing.take(receiver);
    if (reader === null) return null;
    receiver.reader = reader;
    this.flows++;
    return receiver;
  }

  creditChoice(peer: number, pairedFlowId: number): CreditChoice | null {
    return this.chooseCredits?.(peer, pairedFlowId) ?? null;
  }

  senderClosed(sender: Sender, error: XpassError | null): XpassError | null {
    if (error !== null) this.forgetReplies(sender.peer, sender.id);
    return this.told(sender, error);
  }

  receiverClosed(receiver: Receiver, error: XpassError | null): XpassError | null {
    return this.told(receiver, error);
  }

  /** As `Host.destroy`: resets everything with SHUTDOWN. */
  destroy(): void {
    this.machine.endpoint.closeAll(this.world.nowNs);
  }

  private openFlow(peer: number, writer: FlowWriter, options: OpenOptions): Sender {
    const sender = new Sender(this, writer);
    sender.attach(this.machine.endpoint.open(peer, sender, options, this.world.nowNs));
    this.flows++;
    return sender;
  }

  private told({ peer }: Sender | Receiver, error: XpassError | null): XpassError | null {
    this.flows--;
    const { connectTimeoutNs, idleTimeoutNs } = this.config;
    const context = { peerName: this.peerName(peer), connectTimeoutNs, idleTimeoutNs, trouble: null };
    return error === null ? null : flowError(error, context);
  }
}
