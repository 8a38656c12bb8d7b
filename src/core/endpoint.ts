import { assert } from '../base/assert.js';
import type { Crc32 } from '../base/crc32.js';
import { XpassError } from '../base/errors.js';
import type { Random } from '../base/random.js';
import { hasChunks } from '../wire/chunks.js';
import { checkFrame, destinationHost, flags, flowId, frameType } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { CreditRequest, MtuProbe, MtuProbed, Reset } from '../wire/frames.js';
import { Credits, FrameType, RequestFlag, ResetCode, ResetFlag } from '../wire/layout.js';
import type { Application } from './application.js';
import { ChunkReader } from './chunk-reader.js';
import type { EndpointConfig } from './config.js';
import type { DueSource, FlowContext, TimedFlow } from './context.js';
import { type EndpointCounters, newCounters } from './counters.js';
import { CreditBudget } from './credit-budget.js';
import type { CreditedSender } from './credited-sender.js';
import { CreditsReader } from './credits-reader.js';
import { Disorder } from './disorder.js';
import type { FlowWriter } from './flow-callbacks.js';
import { FlowFactory, HostLink, type OpenOptions } from './flow-factory.js';
import { EndpointPlace, FlowRecords } from './flow-record.js';
import { FlowSchedule, firstSlot, isNoEarlier, moveAlone } from './flow-schedule.js';
import { FlowTable } from './flow-table.js';
import type { FlowTrace } from './flow-trace.js';
import { FrameFiller } from './frame-filler.js';
import { HeldMemory } from './held-memory.js';
import { PeerPaths } from './path/spraying.js';
import { type MtuCounters, type MtuParts, newMtuCounters, PathMtus } from './path-mtus.js';
import { fitsKind, isEarly, ReceiverFlow, type ReceiverOptions } from './receiver-flow.js';
import { RequestGate } from './request-gate.js';
import type { SenderFlow } from './sender-flow.js';
import { Speculation } from './speculation.js';
import type { Traffic, TrafficSnapshot } from './traffic.js';
import { countDrop, UnknownFlows } from './unknown-flows.js';

/** Frames held between two drains; a driver drains after every input. */
const MAX_OUTPUT_FRAMES = 65_536;
const NO_SLOT = -1;
/** That of the path MTUs' timer, where they are discovered. */
const MTU_SLOT = 0;

export interface EndpointParts {
  random: Random;
  /** Null where frames cannot be corrupted: in a simulation without that impairment. */
  check: Crc32 | null;
  pool: FramePool;
  application: Application;
  /** One for all endpoints of a simulated world; an endpoint that is given none has its own. */
  records?: FlowRecords;
  /** Of the machine's paths; without it no peer is local, and nobody hears of a small path. */
  mtu?: MtuParts;
  /** 32 bits that peers do not know, for the tables of flows; 0 in simulations, where it must not take a draw from `random`. */
  hashSeed?: number;
  /** Adds up what flows did; simulations go by the flows themselves. */
  traffic?: Traffic;
  /** Hears what happens to every flow. */
  trace?: FlowTrace | null;
}

/**
 * One host's end of the transport: all its flows, in both directions, with any number of peers.
 *
 * It is a machine without clock or socket. `handleFrame` and the verbs of flows (`write`, `end`, `release`, `reset`) take one input. `advance` does what is
 * due. `poll` yields the next frame to send, `atNs` saying when. `nextTimeout` is when `advance` must be called if nothing else happens. A driver calls
 * `advance`, and then `poll` until null, after every input and at every timeout, and asks for the deadline: `host.ts` does, in front of a NIC.
 */
export class Endpoint implements FlowContext {
  // What every credit needs comes first: V8 lays fields out in the order in which they are set, and with thousands of endpoints each cache line is a miss.
  private readonly numbers: Float64Array;
  private readonly at: number;
  /** The flow that sent last and the one that was looked for last, by slots: most hosts have one flow, and `flows` is two cache lines farther. */
  private dueSlot = NO_SLOT;
  private dueSource: DueSource | null = null;
  private readonly output = new FrameQueue();
  readonly counters: EndpointCounters = newCounters();
  readonly random: Random;
  readonly pool: FramePool;
  readonly check: Crc32 | null;
  private lastSlot = NO_SLOT;
  private lastFlow: SenderFlow | ReceiverFlow | null = null;
  private readonly hostId: number;
  private readonly senders: FlowTable;
  private readonly receivers: FlowTable;
  private readonly flows: (SenderFlow | ReceiverFlow | null)[] = [];
  private readonly credits: FlowSchedule;
  private readonly timers: FlowSchedule;
  readonly config: EndpointConfig;
  readonly disorder = new Disorder();
  readonly held: HeldMemory;
  readonly records: FlowRecords;
  readonly budget: CreditBudget;
  readonly peerPaths = new PeerPaths(this.counters);
  readonly mtus: PathMtus | null;
  readonly requests: RequestGate;
  readonly speculation: Speculation | null;
  readonly filler: FrameFiller | null;
  readonly trace: FlowTrace | null;
  private readonly chunkReader = new ChunkReader((chunk) => this.handleChunk(chunk));
  private readonly creditsReader = new CreditsReader((credit, nowNs) =>
    this.handleForSender(FrameType.credit, credit, nowNs),
  );
  private readonly application: Application;
  private readonly link: HostLink;
  private readonly factory: FlowFactory;
  private readonly freeSlots: number[] = [];
  /** The oldest first. */
  private readonly lingering = new Set<ReceiverFlow>();
  private readonly unknown: UnknownFlows;
  private readonly traffic: Traffic | null;

  /** Throws XpassError `config` for an unknown algorithm or parameter. */
  constructor(config: EndpointConfig, parts: EndpointParts) {
    this.records = parts.records ?? new FlowRecords();
    const { numbers, at } = this.records.take();
    this.numbers = numbers;
    this.at = at;
    this.random = parts.random;
    this.pool = parts.pool;
    this.check = parts.check;
    this.senders = new FlowTable(parts.hashSeed);
    this.receivers = new FlowTable(parts.hashSeed);
    this.hostId = config.hostId;
    this.config = config;
    this.application = parts.application;
    this.traffic = parts.traffic ?? null;
    this.trace = parts.trace ?? null;
    this.held = new HeldMemory(config.heldMemoryBytes);
    numbers[at + EndpointPlace.timerSlackNs] = config.timerSlackNs;
    this.timers = new FlowSchedule(numbers, at + EndpointPlace.timerNs);
    this.credits = new FlowSchedule(numbers, at + EndpointPlace.creditNs);
    this.unknown = new UnknownFlows(this);
    this.link = new HostLink(config);
    // A flow may have been waiting when it completed.
    const maxWaiting = config.maxFlows + config.maxLingering;
    const budget = { ...config, link: this.link, maxWaiting };
    this.budget = new CreditBudget(budget, { numbers, at });
    const isProbing = config.unprobedFrameBytes < Number.POSITIVE_INFINITY;
    if (isProbing) this.flows.push(null);
    this.mtus = isProbing ? new PathMtus(this, MTU_SLOT, parts.mtu) : null;
    this.requests = new RequestGate(config.peerRequests, (slot) => this.sendRequest(slot));
    this.filler = config.frameChunks > 0 ? new FrameFiller(config.frameChunks) : null;
    this.speculation = config.speculativeRttNs > 0 ? new Speculation(config) : null;
    this.factory = new FlowFactory(this, this.link, parts.application);
  }

  /** Flows that are open, lingering ones left out. */
  get flowCount(): number {
    return this.senders.size + this.receivers.size - this.lingering.size;
  }

  /** COMPLETE flows that are kept to answer repeated FINs. */
  get lingeringCount(): number {
    return this.lingering.size;
  }

  /** Zeros where every frame is taken to pass. */
  get mtuCounters(): MtuCounters {
    return this.mtus?.counters ?? newMtuCounters();
  }

  /** Opens a flow; nothing is sent before bytes, its end or `open`. Throws XpassError `tooManyFlows`, or `config` for a wrong option. */
  open(peer: number, writer: FlowWriter, options: OpenOptions, nowNs: number): SenderFlow {
    if (this.flowCount >= this.config.maxFlows) {
      throw new XpassError(
        'tooManyFlows',
        `this host has ${this.flowCount} flows open: at most ${this.config.maxFlows} are allowed`,
      );
    }
    const flow = this.factory.sender(writer, options, () => this.seat(peer, this.newFlowId(peer)), nowNs);
    this.flows[flow.slot] = flow;
    this.senders.set(peer, flow.id, flow.slot);
    return flow;
  }

  /**
   * Takes a frame from the network; `frame.peer` says from whom. The frame stays the caller's. Anything wrong with it is counted and dropped. The
   * frame's type, or why it is none: a DropCode.
   */
  handleFrame(frame: Frame, nowNs: number): number {
    this.numbers[this.at + EndpointPlace.clockNs] = nowNs;
    this.sendDueCredits(nowNs);
    this.counters.framesReceived++;
    const type = checkFrame(frame, this.check);
    if (type < 0) {
      countDrop(this.counters, type);
      return type;
    }
    if (destinationHost(frame.bytes) !== this.hostId) {
      this.counters.misdirected++;
      return type;
    }
    switch (type) {
      case FrameType.data:
        this.handleForReceiver(type, frame, nowNs);
        if (hasChunks(frame.bytes)) this.chunkReader.takeApart(frame);
        break;
      case FrameType.speculativeData:
      case FrameType.creditRequest:
      case FrameType.creditStop:
      case FrameType.fin:
        this.handleForReceiver(type, frame, nowNs);
        break;
      case FrameType.credit:
      case FrameType.ack:
      case FrameType.windowAck:
        this.handleForSender(type, frame, nowNs);
        break;
      case FrameType.reset:
        this.handleReset(frame);
        break;
      default:
        this.handleControl(type, frame, nowNs);
    }
    return type;
  }

  /** Sends the credits that are due and fires the timers that are due. */
  advance(nowNs: number): void {
    this.numbers[this.at + EndpointPlace.clockNs] = nowNs;
    this.sendDueCredits(nowNs);
    while (this.numbers[this.at + EndpointPlace.timerNs] <= nowNs) {
      this.fireTimer(nowNs);
      this.sendDueCredits(nowNs);
    }
  }

  /** The next frame to send, null when there is none. The frame becomes the caller's. */
  poll(): Frame | null {
    return this.output.shift();
  }

  /** A frame that `poll` yielded was dropped by the host's own NIC, and nobody has seen it. */
  takeBack(frame: Frame, nowNs: number): void {
    this.numbers[this.at + EndpointPlace.clockNs] = nowNs;
    this.counters.nicDrops++;
    this.trace?.takenBack(frame, nowNs);
    const type = frameType(frame.bytes);
    if (type === FrameType.credit) {
      const slot = this.receivers.get(frame.peer, flowId(frame.bytes));
      if (slot >= 0) (this.flows[slot] as ReceiverFlow).creditTakenBack(frame, nowNs);
    } else if (type === FrameType.speculativeData) {
      const slot = this.senders.get(frame.peer, flowId(frame.bytes));
      if (slot >= 0) (this.flows[slot] as CreditedSender).speculativeTakenBack(frame);
    }
    this.pool.give(frame);
  }

  /** Whether `advance` has something to do. */
  isDue(nowNs: number): boolean {
    const { numbers, at } = this;
    return numbers[at + EndpointPlace.timerNs] <= nowNs || numbers[at + EndpointPlace.creditNs] <= nowNs;
  }

  nextTimeout(): number {
    const { numbers, at } = this;
    return Math.min(
      numbers[at + EndpointPlace.timerNs] + numbers[at + EndpointPlace.timerSlackNs],
      numbers[at + EndpointPlace.creditNs],
    );
  }

  /** The host's link has another rate from now on, bit/s: flows that run follow at their next update. */
  setLinkRate(rateBps: number): void {
    this.link.setRate(rateBps);
    this.budget.setLink(this.link);
    this.speculation?.setLinkRate(rateBps);
  }

  /** Another path leads to `peer` from now on. */
  pathChanged(peer: number): void {
    this.mtus?.moved(peer, this.numbers[this.at + EndpointPlace.clockNs]);
    this.speculation?.paths?.moved(peer);
  }

  /** The number `peer` may come to stand for another host. */
  forgetPeer(peer: number): void {
    this.mtus?.forget(peer);
    this.speculation?.paths?.forget(peer);
  }

  /** Ends every flow: with a RESET SHUTDOWN, or silently with `error`, since nobody hears it. */
  closeAll(nowNs: number, error: XpassError | null = null): void {
    for (const flow of [...this.flows]) {
      if (flow !== null && this.flows[flow.slot] === flow) {
        if (error === null) flow.reset(nowNs, ResetCode.shutdown);
        flow.close(error);
      }
    }
  }

  /** No handshake with `peer` can succeed: its flows end with `error`. */
  closePeer(peer: number, error: XpassError): void {
    for (const flow of [...this.flows])
      if (flow !== null && flow.peer === peer && this.flows[flow.slot] === flow) flow.close(error);
  }

  /** What was due before goes first, so that times in the output never run backwards: a verb may precede `advance`. Due now may be a burst behind it. */
  emit(frame: Frame, nowNs: number): void {
    this.numbers[this.at + EndpointPlace.clockNs] = nowNs;
    if (this.numbers[this.at + EndpointPlace.creditNs] < nowNs) this.sendDueCredits(nowNs, true);
    this.emitDue(frame, nowNs);
  }

  emitDue(frame: Frame, dueNs: number): void {
    frame.atNs = dueNs;
    this.counters.framesSent++;
    if (this.trace !== null) this.trace.sent(frame);
    if (this.output.length < MAX_OUTPUT_FRAMES) {
      this.output.push(frame);
      return;
    }
    this.counters.outputOverflows++;
    this.pool.give(frame);
  }

  arm(slot: number, deadlineNs: number): void {
    if (isNoEarlier(this.numbers, this.at + EndpointPlace.timerNs, slot, deadlineNs)) return;
    this.timers.bringForward(slot, deadlineNs);
  }

  schedule(slot: number, dueNs: number): void {
    if (!moveAlone(this.numbers, this.at + EndpointPlace.creditNs, slot, dueNs)) this.credits.set(slot, dueNs);
  }

  lingers(slot: number): void {
    this.lingering.add(this.flows[slot] as ReceiverFlow);
    if (this.lingering.size <= this.config.maxLingering) return;
    this.counters.lingerEvictions++;
    const [oldest] = this.lingering;
    oldest.close(null);
  }

  forget(slot: number): void {
    const flow = this.flows[slot] as SenderFlow | ReceiverFlow;
    if (flow instanceof ReceiverFlow) {
      this.receivers.delete(flow.peer, flow.id);
      this.lingering.delete(flow);
    } else this.senders.delete(flow.peer, flow.id);
    this.flows[slot] = null;
    if (this.lastSlot === slot) this.lastSlot = NO_SLOT;
    if (this.dueSlot === slot) {
      this.dueSource = null;
      this.dueSlot = NO_SLOT;
    }
    this.timers.remove(slot);
    this.credits.remove(slot);
    this.freeSlots.push(slot);
    this.traffic?.flowClosed(flow, this.numbers[this.at + EndpointPlace.clockNs]);
  }

  /** What all flows did together; null where nobody adds it up. A walk over the flows. */
  trafficSnapshot(): TrafficSnapshot | null {
    const { traffic, held } = this;
    if (traffic === null) return null;
    return { ...traffic.snapshot(this.flows), heldBytes: held.totalBytes, heldLimitBytes: held.limitBytes };
  }

  /** Credits, and the data of flows that pace, carry the times at which they were due, and go into the output in that order. `isPast`: not those due now. */
  private sendDueCredits(nowNs: number, isPast = false): void {
    const { numbers } = this;
    const at = this.at + EndpointPlace.creditNs;
    while (isPast ? numbers[at] < nowNs : numbers[at] <= nowNs) {
      const slot = firstSlot(numbers, at);
      if (slot !== this.dueSlot) this.findDueSource(slot);
      const source = this.dueSource as DueSource;
      const nextNs = source.sendDue(nowNs);
      // A program that was told may have closed the flow, whose slot may be another's, or have made others send.
      if (source !== this.dueSource && this.flows[slot]?.dueSource !== source) continue;
      if (!moveAlone(numbers, at, slot, nextNs)) this.credits.set(slot, nextNs);
    }
  }

  private findDueSource(slot: number): void {
    this.dueSlot = slot;
    this.dueSource = (this.flows[slot] as SenderFlow | ReceiverFlow).dueSource;
  }

  /** The flow in a slot that is in use. */
  private flowAt(slot: number): SenderFlow | ReceiverFlow {
    if (slot !== this.lastSlot) {
      this.lastSlot = slot;
      this.lastFlow = this.flows[slot];
    }
    return this.lastFlow as SenderFlow | ReceiverFlow;
  }

  private fireTimer(nowNs: number): void {
    const { slot } = this.timers;
    this.timers.remove(slot);
    if (slot === MTU_SLOT && this.mtus !== null) {
      this.arm(slot, this.mtus.onTimer(nowNs));
      return;
    }
    const flow = this.flows[slot] as TimedFlow;
    const deadlineNs = flow.onTimer(nowNs);
    this.trace?.fired(flow as SenderFlow | ReceiverFlow, nowNs);
    assert(deadlineNs > nowNs, 'a timer that has fired moves on');
    if (this.flows[slot] === flow) this.arm(slot, deadlineNs);
  }

  /** The flow in `slot` waited to ask for credits, and waits no more once it is closed. */
  private sendRequest(slot: number): void {
    (this.flows[slot] as CreditedSender).sendWaitingRequest(this.numbers[this.at + EndpointPlace.clockNs]);
  }

  /** Credits of one frame count as if each had come by itself. */
  private handleControl(type: number, frame: Frame, nowNs: number): void {
    if (type === Credits.type) this.counters.framesReceived += this.creditsReader.takeApart(frame, nowNs) - 1;
    else if (type === MtuProbe.type && this.mtus !== null) this.mtus.handleProbe(frame, nowNs);
    else if (type === MtuProbed.type && this.mtus !== null) this.mtus.handleProbed(frame, nowNs);
    else this.counters.direction++;
  }

  private handleForReceiver(type: number, frame: Frame, nowNs: number): void {
    const slot = this.receivers.get(frame.peer, flowId(frame.bytes));
    const flow = slot < 0 ? this.acceptOrRefuse(type, frame, nowNs) : (this.flowAt(slot) as ReceiverFlow);
    if (flow === null) return;
    if (!fitsKind(type, frame, flow)) this.counters.invalid++;
    else if (type === FrameType.data) flow.handleData(frame, nowNs);
    else if (type === FrameType.creditRequest) flow.handleRequest(frame, nowNs);
    else if (type === FrameType.creditStop) flow.handleStop(frame, nowNs);
    else if (type === FrameType.speculativeData) flow.handleSpeculative(frame, nowNs);
    else flow.handleFin(frame, nowNs);
    if (this.trace !== null) this.trace.received(flow, frame, nowNs);
  }

  /** A chunk of a filled frame, whatever became of the frame for its own flow. PROTOCOL §13.2 */
  private handleChunk(chunk: Frame): void {
    const slot = this.receivers.get(chunk.peer, flowId(chunk.bytes));
    if (slot < 0) this.counters.unknownFlow++;
    else (this.flows[slot] as ReceiverFlow).handleChunk(chunk, this.numbers[this.at + EndpointPlace.clockNs]);
  }

  private handleForSender(type: number, frame: Frame, nowNs: number): void {
    const slot = this.senders.get(frame.peer, flowId(frame.bytes));
    if (slot < 0) {
      this.counters.unknownFlow++;
      this.unknown.reset(frame, ResetCode.unknownFlow, nowNs);
      return;
    }
    const flow = this.flowAt(slot) as SenderFlow;
    if (type === FrameType.credit) flow.handleCredit(frame, nowNs);
    else if (type === flow.ackType) flow.handleAck(frame, nowNs);
    else this.counters.invalid++;
    if (this.trace !== null) this.trace.received(flow, frame, nowNs);
  }

  private handleReset(frame: Frame): void {
    const fromReceiver = (flags(frame.bytes) & ResetFlag.fromReceiver) !== 0;
    const table = fromReceiver ? this.senders : this.receivers;
    const slot = table.get(frame.peer, flowId(frame.bytes));
    if (slot < 0) this.counters.unknownFlow++;
    else (this.flows[slot] as SenderFlow | ReceiverFlow).handleReset(Reset.read.code(frame.bytes));
  }

  /** A frame for a flow that this receiver does not know. PROTOCOL §6.1, §6.2, §6.8 */
  private acceptOrRefuse(type: number, frame: Frame, nowNs: number): ReceiverFlow | null {
    if (type !== FrameType.creditRequest || (flags(frame.bytes) & RequestFlag.open) === 0) {
      this.counters.unknownFlow++;
      if (!isEarly(type, frame)) this.unknown.reset(frame, ResetCode.unknownFlow, nowNs);
      return null;
    }
    if (CreditRequest.read.maxFrameBytes(frame.bytes) > this.config.frameBytes)
      return this.unknown.refuse(frame, ResetCode.frameSize, nowNs);
    if (this.flowCount >= this.config.maxFlows) return this.unknown.refuse(frame, ResetCode.tooManyFlows, nowNs);
    const flow = this.factory.receiver(frame, () => this.seat(frame.peer, flowId(frame.bytes)), nowNs);
    return flow === null ? this.unknown.refuse(frame, ResetCode.weight, nowNs) : this.accept(flow, frame, nowNs);
  }

  /** `request` opens the flow. Null where the application does not take it, or closes it at once. */
  private accept(flow: ReceiverFlow, request: Frame, nowNs: number): ReceiverFlow | null {
    flow.handleOpening(request);
    this.flows[flow.slot] = flow;
    this.receivers.set(flow.peer, flow.id, flow.slot);
    const reader = this.application.acceptFlow(flow);
    if (reader !== null) flow.accept(reader);
    if (flow.isClosed) return null;
    if (reader !== null) return flow;
    flow.close(null);
    return this.unknown.refuse(request, ResetCode.refused, nowNs);
  }

  /** A place for a flow with this peer. */
  private seat(peer: number, id: number): ReceiverOptions {
    const slot = this.freeSlots.pop() ?? this.flows.length;
    this.flows[slot] = null;
    // The id is signed: V8 keeps it in place then, and its 32 bits are what is written.
    const destination = this.hostId === 0 ? 0 : peer;
    return { slot, peer, header: { destination, source: this.hostId, flowId: id | 0, pathId: 0 } };
  }

  private newFlowId(peer: number): number {
    for (;;) {
      const id = this.random.uint32();
      if (id !== 0 && this.senders.get(peer, id) < 0) return id;
    }
  }
}
