import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { REFUSE_ALL } from '../../src/core/application.js';
import { type EndpointConfig, endpointConfig } from '../../src/core/config.js';
import type { FlowContext } from '../../src/core/context.js';
import { newCounters } from '../../src/core/counters.js';
import { CreditBudget } from '../../src/core/credit-budget.js';
import { Disorder } from '../../src/core/disorder.js';
import { Endpoint } from '../../src/core/endpoint.js';
import { EndpointPlace, FlowRecords, ownRecord } from '../../src/core/flow-record.js';
import { FrameFiller } from '../../src/core/frame-filler.js';
import { HeldMemory } from '../../src/core/held-memory.js';
import { PeerPaths } from '../../src/core/path/spraying.js';
import { RequestGate } from '../../src/core/request-gate.js';
import { Speculation } from '../../src/core/speculation.js';
import { pathId } from '../../src/wire/decode.js';
import type { FlowHeader } from '../../src/wire/encode.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { printFrame } from './print-frame.js';

export const FLOW_HEADER: FlowHeader = { destination: 0, source: 0, flowId: 0xbeef };
export const FLOW_PEER = 7;
export const FLOW_SLOT = 3;

/** An endpoint for one flow alone, which writes down what the flow asks of it. */
export class FlowContextStub implements FlowContext {
  readonly config: EndpointConfig;
  readonly random = new SeededRandom(1);
  readonly check = crc32;
  readonly pool = new FramePool(() => new Uint8Array(2_048), 16);
  readonly counters = newCounters();
  readonly disorder = new Disorder();
  readonly held: HeldMemory;
  readonly records = new FlowRecords();
  /** What the flow sent, as `printFrame` writes it, without the header. */
  readonly lines: string[] = [];
  /** When each of `lines` was sent. */
  readonly stampsNs: number[] = [];
  /** Number of the latest probe that was sent. PROTOCOL §5.4 */
  lastProbe = 0;
  wireBytes = 0;
  /** When the flow's timer is to be asked, and when its next credit is due. */
  deadlineNs = NEVER;
  dueNs = NEVER;
  readonly budget: CreditBudget;
  readonly peerPaths = new PeerPaths(this.counters);
  readonly mtus = null;
  readonly requests: RequestGate;
  readonly speculation: Speculation | null;
  readonly filler: FrameFiller | null;
  readonly trace = null;
  /** What the endpoint does when a request that waited may go. */
  onRequest: () => void = () => undefined;
  /** That of the endpoint. */
  private readonly record = ownRecord();
  /** Path ids of the frames that `sent` returned last. */
  sentPaths: number[] = [];
  private paths: number[] = [];
  lingering = 0;
  forgotten = 0;

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.config = endpointConfig(changes);
    this.held = new HeldMemory(this.config.heldMemoryBytes);
    const budget = { ...this.config, link: { creditNs: 1, hasRate: false }, maxWaiting: 4 };
    this.budget = new CreditBudget(budget, this.record);
    this.speculation = this.config.speculativeRttNs > 0 ? new Speculation(this.config) : null;
    const { frameChunks } = this.config;
    this.filler = frameChunks > 0 ? new FrameFiller(frameChunks) : null;
    this.requests = new RequestGate(this.config.peerRequests, () => this.onRequest());
  }

  get nowNs(): number {
    return this.record.numbers[EndpointPlace.clockNs];
  }

  set nowNs(nowNs: number) {
    this.record.numbers[EndpointPlace.clockNs] = nowNs;
  }

  emit(frame: Frame, nowNs: number): void {
    const line = printFrame(frame).replace(/ \S+ flow=\S+ path=\S+ hop=\S+ \S+/, '');
    this.lines.push(line);
    this.paths.push(pathId(frame.bytes));
    if (!line.startsWith('ACK')) this.lastProbe = Number(/ probe=(\d+)/.exec(line)?.[1] ?? this.lastProbe);
    this.stampsNs.push(nowNs);
    this.wireBytes += frame.wireBytes;
    this.pool.give(frame);
  }

  emitDue(frame: Frame, dueNs: number): void {
    this.emit(frame, dueNs);
  }

  arm(_slot: number, deadlineNs: number): void {
    this.deadlineNs = Math.min(this.deadlineNs, deadlineNs);
  }

  schedule(_slot: number, dueNs: number): void {
    this.dueNs = dueNs;
  }

  lingers(): void {
    this.lingering++;
  }

  forget(): void {
    this.forgotten++;
    this.deadlineNs = NEVER;
    this.dueNs = NEVER;
  }

  /** What was sent since the last call. */
  sent(): string[] {
    this.sentPaths = this.paths;
    this.paths = [];
    this.stampsNs.length = 0;
    return this.lines.splice(0);
  }
}

/** An endpoint that the test alone feeds; it takes no flow unless told otherwise. */
export function newEndpoint(changes: Partial<EndpointConfig>, application = REFUSE_ALL): Endpoint {
  const pool = new FramePool(() => new Uint8Array(2_048), 16);
  const parts = { random: new SeededRandom(1), check: crc32, pool, application };
  return new Endpoint(endpointConfig(changes), parts);
}

/** All that it has to send. */
export function pollAll(endpoint: Endpoint): Frame[] {
  const frames: Frame[] = [];
  for (let frame = endpoint.poll(); frame !== null; frame = endpoint.poll()) frames.push(frame);
  return frames;
}

/** The ranges of an ACK as its encoder reads them. */
export function rangeList(ranges: readonly (readonly [number, number])[] = []) {
  return {
    count: ranges.length,
    start: (index: number) => ranges[index][0],
    end: (index: number) => ranges[index][1],
  };
}

/** A frame as it comes from the peer: `write` fills the bytes and returns the length. */
export function incoming(write: (bytes: Uint8Array) => number): Frame {
  const frame = new Frame(new Uint8Array(2_048));
  frame.length = write(frame.bytes);
  frame.peer = FLOW_PEER;
  return frame;
}
