// Tested by test/loopback/net/host.test.ts
import { EventEmitter } from 'node:events';
import { XpassError } from '../base/errors.js';
import type { Application, CreditChoice } from '../core/application.js';
import type { AttachedLink } from '../core/attachment.js';
import type { FlowReader, FlowWriter } from '../core/flow-callbacks.js';
import type { OpenOptions } from '../core/flow-factory.js';
import type { ReceiverFlow } from '../core/receiver-flow.js';
import type { Address, UdpAddress } from '../udp/address.js';
import type { DatapathInfo } from '../udp/datapath.js';
import { ResetCode } from '../wire/layout.js';
import { abortWith, unlessAborted } from './abort.js';
import { type Assembled, assembleHost, type Overrides } from './assemble.js';
import { flowError } from './flow-errors.js';
import type { ConnectOptions, FlowOptions, HostOptions, Notice, ServeOptions } from './host-options.js';
import { type HostPlace, type HostSettings, hostPlace, hostSettings } from './host-settings.js';
import { type HostStatistics, machineStatistics } from './host-statistics.js';
import type { HostWatch } from './host-watch.js';
import { Pairing } from './pairing.js';
import { parsePeer } from './peer-name.js';
import { type AcceptReply, Receiver, type ReceiverOwner } from './receiver.js';
import { Sender, type SenderOwner } from './sender.js';
import { Stream, type StreamHost } from './stream.js';

/** Of a flow that this host opens for one direction. */
export interface SenderOptions extends FlowOptions {
  /** Takes the flows that the peer opens as answers to this one, until `forgetReplies`; without it they are refused. */
  onReply?: AcceptReply;
  /** Another flow to this peer, which the new one names as its pair: for a peer that calls `acceptPaired`. */
  pairedFlowId?: number;
}

/** Where a host's socket is bound, and which host of a switch it is. */
export interface HostAddress extends UdpAddress {
  /** Id behind the switch; 0 in direct mode. */
  readonly hostId: number;
}

/** What a host says; an event's value is the list of its arguments. */
export interface HostEvents {
  /** A flow ended because its peer fell silent or never answered: the peer as people write it. */
  peerLost: [peerName: string, error: XpassError];
  /** The switch gave other terms than before. */
  linkChanged: [link: AttachedLink, before: AttachedLink];
  /** The switch takes this host no more: every flow has ended with this error. */
  detached: [error: XpassError];
  /** The socket is closed. */
  close: [];
}

/** What a host is opened with besides its options: for the commands of this package. */
export interface HostParts {
  readonly settings: HostSettings;
  readonly place?: HostPlace;
  readonly overrides?: Overrides;
  readonly watch?: HostWatch;
  readonly signal?: AbortSignal;
  onNotice?(notice: Notice): void;
}

/** Streams of a host at once, where peers open them (ours: 20,000 of the 65,536 flows that it may have). */
const MAX_STREAMS = 10_000;
/** Repeats of a FIN that came after a host has closed find nobody: it waits for this many of its peers' retransmission times (ours). */
const CLOSE_WAIT_RETRIES = 4;
/** What a retransmission time is longer than a round trip. PROTOCOL §5.5 */
const RETRANSMIT_MARGIN_MS = 10;

/**
 * Opens a host: one UDP socket that talks to many peers, directly or behind a switch. Rejects with XpassError: `config` names the option, its value and what
 * is allowed, or the address that cannot be bound; `attach`, `frameSize`, `version` and `unreachable` come from the switch.
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { signal, onNotice } = options;
  return openHostOf({
    settings: hostSettings(options),
    place: hostPlace(options),
    ...(signal !== undefined && { signal }),
    ...(onNotice !== undefined && { onNotice }),
  });
}

/** With settings that were read already. Throws as `openHost` does. */
export async function openHostOf(parts: HostParts): Promise<Host> {
  const { signal } = parts;
  signal?.throwIfAborted();
  const host = new Host(parts.settings);
  const assembled = host.assemble(parts);
  await (signal === undefined ? assembled : unlessAborted(assembled, signal, () => void host.destroy()));
  return host;
}

/**
 * One host on its socket: streams and one-way flows with any number of peers. `openHost` makes one. It keeps the process alive until it is closed;
 * `unref` changes that.
 */
export class Host
  extends EventEmitter<HostEvents>
  implements Application, SenderOwner, ReceiverOwner, StreamHost, AsyncDisposable
{
  private readonly settings: HostSettings;
  private readonly pairing = new Pairing();
  private readonly streams = new Set<Stream>();
  private assembled: Assembled | null = null;
  private accept: ((receiver: Receiver) => FlowReader | null) | null = null;
  private listener: ((stream: Stream) => void) | null = null;
  private serveOptions: ServeOptions = {};
  private chooseCredits: ((peer: number, pairedFlowId: number) => CreditChoice | null) | null = null;
  private flows = 0;
  private refusedFlows = 0;
  private isClosing = false;
  private closing: Promise<void> | null = null;
  private shutting: Promise<void> | null = null;
  private onIdle: (() => void) | null = null;
  private longestRttNs = 0;
  private detachedBy: XpassError | null = null;

  /** For `openHostOf`. @internal */
  constructor(settings: HostSettings) {
    super();
    this.settings = settings;
  }

  /** For `openHostOf`. @internal */
  async assemble({ settings, place = {}, overrides, watch, onNotice = () => {} }: HostParts): Promise<void> {
    this.assembled = await assembleHost({
      settings,
      place,
      application: this,
      onNotice,
      ...(overrides !== undefined && { overrides }),
      ...(watch !== undefined && { watch }),
      onLinkChanged: (link, before) => process.nextTick(() => this.emit('linkChanged', link, before)),
      onDetached: (error) => this.handleDetached(error),
    });
  }

  /** Where the socket is bound, and what the system gave it. @internal */
  get info(): DatapathInfo {
    return this.driver.info;
  }

  /** The terms of the host's link: behind a switch the latest that it gave. */
  get link(): AttachedLink {
    return this.driver.link;
  }

  /** Where the socket is bound. @internal */
  get local(): UdpAddress {
    return this.driver.info.local;
  }

  /** How long a peer has for its first answer, ms. @internal */
  get connectTimeoutMs(): number {
    return this.settings.connectTimeout / 1e6;
  }

  /** The host's NIC, for who counts at it. @internal */
  get nic(): Assembled['nic'] {
    return (this.assembled as Assembled).nic;
  }

  /** Largest UDP payload of its data frames. @internal */
  get frameBytes(): number {
    return this.driver.machine.endpoint.config.frameBytes;
  }

  /** The credit algorithm of the flows that it receives, unless `chooseCreditsBy` says otherwise. */
  get creditAlgorithm(): string {
    return this.driver.machine.endpoint.config.creditAlgorithm;
  }

  /** Where the socket is bound, and the host's id behind a switch; 0 in direct mode. */
  address(): HostAddress {
    return { ...this.local, hostId: this.link.hostId };
  }

  /** The host's clock, ns. */
  now(): number {
    return this.driver.now();
  }

  /**
   * Opens a stream and waits until the peer has taken it. `to`: `HOST:PORT` in direct mode, a host id behind a switch. Rejects with XpassError: `config` for a
   * name that makes no sense, `unreachable`, `refused`, `tooManyFlows`; or with an AbortError.
   */
  connect(to: string | number | Address, options: ConnectOptions = {}): Promise<Stream> {
    const stream = this.createStream(to, options);
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(stream.errored ?? new XpassError('shutdown', 'this host was closed'));
      stream.once('error', reject);
      stream.once('close', onClose);
      stream.once('connect', () => {
        stream.off('error', reject);
        stream.off('close', onClose);
        resolve(stream);
      });
    });
  }

  /** Opens a stream without waiting: what is written before `connect` goes with the opening. Its errors are events, as those of `connect`. */
  createStream(to: string | number | Address, options: ConnectOptions = {}): Stream {
    const stream = new Stream(this, options, true);
    this.streams.add(stream);
    const { signal } = options;
    if (signal !== undefined) abortWith(signal, stream);
    process.nextTick(() => void this.dial(stream, to, options));
    return stream;
  }

  /** Gives streams that peers open to `listener`, from a turn of its own; null for no more. Throws XpassError `config` where there is a listener. */
  serve(listener: ((stream: Stream) => void) | null, options: ServeOptions = {}): void {
    if (listener !== null && this.listener !== null)
      throw new XpassError('config', 'this host serves already: one listener is allowed');
    this.listener = listener;
    this.serveOptions = options;
  }

  /** The number of a peer, for `openSender`: the host id behind a switch. Throws XpassError `config` or `tooManyFlows`. */
  async resolve(to: string | number | Address): Promise<number> {
    const peer = parsePeer(to, this.settings.switch !== undefined);
    return typeof peer === 'number' ? peer : this.driver.resolvePeer(peer);
  }

  /** Opens a one-way flow to a peer by its number. Nothing is sent before bytes are written, `open` or `end`. Throws XpassError `tooManyFlows` or `config`. */
  openSender(peer: number, writer: FlowWriter, options: SenderOptions = {}): Sender {
    const { onReply, pairedFlowId } = options;
    const sender = this.open(peer, writer, {
      ...flowTerms(options),
      ...(pairedFlowId !== undefined && { pairedFlowId }),
    });
    if (onReply !== undefined) this.expectReplies(peer, sender.id, onReply);
    return sender;
  }

  /** For receivers. @internal */
  openReply(receiver: Receiver, writer: FlowWriter, options: FlowOptions = {}): Sender {
    return this.open(receiver.peer, writer, { ...flowTerms(options), pairedFlowId: receiver.id });
  }

  /** Who takes the one-way flows that peers open, and refuses them with null; null for nobody. The call comes from inside the host and must not throw. */
  acceptReceivers(accept: ((receiver: Receiver) => FlowReader | null) | null): void {
    this.accept = accept;
  }

  /** The credit algorithm for flows that answer one of ours, by peer and flow id; null for the host's own. @internal */
  chooseCreditsBy(choose: ((peer: number, pairedFlowId: number) => CreditChoice | null) | null): void {
    this.chooseCredits = choose;
  }

  /** What `action` does to several flows happens at one instant, and what it makes due is sent behind it. */
  run<T>(action: (nowNs: number) => T): T {
    return this.driver.run(action);
  }

  /** For senders and receivers. @internal */
  get workingNs(): number {
    return this.driver.workingNs;
  }

  ownsBytes(bytes: Uint8Array): boolean {
    return this.driver.ownsBytes(bytes);
  }

  /** A peer as people write it, by its number: `192.0.2.7:28400`, or `host 3` behind a switch. */
  peerName(peer: number): string {
    return this.driver.peerName(peer);
  }

  /** A peer's numeric address, by its number; null behind a switch, and for a number that no peer has. */
  peerAddress(peer: number): UdpAddress | null {
    return this.driver.peerAddress(peer);
  }

  /** A snapshot; allocates. */
  statistics(): HostStatistics {
    const { flows, refusedFlows } = this;
    return { streams: this.streams.size, flows, refusedFlows, ...machineStatistics(this.driver) };
  }

  /** The host keeps the process alive; so it does at first. */
  ref(): this {
    this.driver.keepAlive(true);
    return this;
  }

  /** The process may end although the host is open. */
  unref(): this {
    this.driver.keepAlive(false);
    return this;
  }

  /** Takes and opens nothing more, waits until all streams and flows are over, and closes the socket. A peer that never ends calls for `destroy`. */
  close(): Promise<void> {
    this.closing ??= this.drain();
    return this.closing;
  }

  /** Resets all streams and flows with SHUTDOWN, gives the port back to its switch and closes the socket. Streams are destroyed with `error`. */
  async destroy(error?: Error): Promise<void> {
    this.isClosing = true;
    for (const stream of [...this.streams]) stream.abort(ResetCode.shutdown, error);
    this.driver.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
    await this.shut();
  }

  /** `close`, at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** For the endpoint. @internal */
  acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const receiver = new Receiver(this, flow);
    const reader = this.readerFor(receiver, flow.isDuplex);
    if (reader === null) {
      this.refusedFlows++;
      return null;
    }
    receiver.reader = reader;
    this.flows++;
    return receiver;
  }

  /** For the endpoint. @internal */
  creditChoice(peer: number, pairedFlowId: number): CreditChoice | null {
    return this.chooseCredits?.(peer, pairedFlowId) ?? null;
  }

  /** For senders. @internal */
  senderClosed(sender: Sender, error: XpassError | null): XpassError | null {
    // An answer may come when all has arrived, but not from a peer that is lost.
    if (error !== null) this.pairing.forget(sender.peer, sender.id);
    return this.flowClosed(sender, error);
  }

  /** For receivers. @internal */
  receiverClosed(receiver: Receiver, error: XpassError | null): XpassError | null {
    return this.flowClosed(receiver, error);
  }

  /** Flows of `peer` that name the flow `id` as their pair go to `accept` from now on. */
  expectReplies(peer: number, id: number, accept: AcceptReply): void {
    this.pairing.expect(peer, id, accept);
  }

  /** Flows of `peer` that answer our flow `id` are refused from now on. @internal */
  forgetReplies(peer: number, id: number): void {
    this.pairing.forget(peer, id);
  }

  /** For streams. @internal */
  streamClosed(stream: Stream): void {
    this.streams.delete(stream);
    this.tellIdle();
  }

  /** For metrics. @internal */
  get driver(): Assembled['driver'] {
    return (this.assembled as Assembled).driver;
  }

  private async dial(stream: Stream, to: string | number | Address, options: ConnectOptions): Promise<void> {
    try {
      const peer = await this.resolve(to);
      if (stream.destroyed) return;
      if (this.isClosing) throw new XpassError('shutdown', 'this host is closing: it opens no more streams');
      const sender = this.open(peer, stream.writer, { ...flowTerms(options), isDuplex: true });
      this.pairing.expect(peer, sender.id, (reply) => stream.attachReceiver(reply));
      stream.attachSender(sender, true);
    } catch (error) {
      stream.destroy(error as Error);
    }
  }

  private open(peer: number, writer: FlowWriter, options: OpenOptions): Sender {
    const sender = new Sender(this, writer);
    const flow = this.driver.run((nowNs, { endpoint }) => endpoint.open(peer, sender, options, nowNs));
    this.flows++;
    return sender.attach(flow);
  }

  private readerFor(receiver: Receiver, isDuplex: boolean): FlowReader | null {
    if (receiver.pairedFlowId !== 0) return this.pairing.take(receiver);
    if (this.isClosing) return null;
    return isDuplex ? this.acceptStream(receiver) : (this.accept?.(receiver) ?? null);
  }

  private acceptStream(receiver: Receiver): FlowReader | null {
    const { listener, serveOptions } = this;
    if (listener === null || this.streams.size >= (serveOptions.maxStreams ?? MAX_STREAMS)) return null;
    const stream = new Stream(this, serveOptions, false);
    try {
      stream.attachSender(
        this.open(receiver.peer, stream.writer, { pairedFlowId: receiver.id, isDuplex: true }),
        false,
      );
    } catch (error) {
      if (error instanceof XpassError) return null;
      throw error;
    }
    this.streams.add(stream);
    process.nextTick(() => listener(stream));
    return stream.attachReceiver(receiver);
  }

  private flowClosed(flow: Sender | Receiver, error: XpassError | null): XpassError | null {
    this.flows--;
    this.longestRttNs = Math.max(this.longestRttNs, flow.statistics.rttNs);
    this.tellIdle();
    // No peer is to blame for what the switch did.
    if (error === null || error === this.detachedBy) return error;
    const peerName = this.peerName(flow.peer);
    const told = flowError(error, {
      peerName,
      connectTimeoutNs: this.settings.connectTimeout,
      idleTimeoutNs: this.settings.idleTimeout,
      trouble: this.driver.trouble(),
    });
    if (error.code === 'idle' || error.code === 'unreachable')
      process.nextTick(() => this.emit('peerLost', peerName, told));
    return told;
  }

  private get isIdle(): boolean {
    return this.flows === 0 && this.streams.size === 0;
  }

  private tellIdle(): void {
    if (this.isIdle) this.onIdle?.();
  }

  private handleDetached(error: XpassError): void {
    this.detachedBy = error;
    this.driver.run((nowNs, machine) => machine.giveUp(error, nowNs));
    process.nextTick(() => this.emit('detached', error));
  }

  private async drain(): Promise<void> {
    this.isClosing = true;
    if (!this.isIdle) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve;
      });
    }
    if (this.driver.machine.endpoint.lingeringCount > 0) {
      const waitMs = CLOSE_WAIT_RETRIES * (this.longestRttNs / 1e6 + RETRANSMIT_MARGIN_MS);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    await this.shut();
  }

  private shut(): Promise<void> {
    this.shutting ??= this.driver.close().then(() => void this.emit('close'));
    return this.shutting;
  }
}

/** What a flow's options are to an endpoint. @internal */
export function flowTerms({ algorithm, set, weight, class: creditClass }: FlowOptions): OpenOptions {
  return {
    ...(algorithm !== undefined && { windowAlgorithm: algorithm }),
    ...(set !== undefined && { windowParameters: set }),
    ...(weight !== undefined && { weight }),
    ...(creditClass !== undefined && { creditClass }),
  };
}
