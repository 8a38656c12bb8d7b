import type { SeededRandom } from '../../src/base/random.js';
import type { Application, FlowReader, FlowWriter } from '../../src/core/application.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import type { XpassError } from '../../src/core/errors.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { patternByte } from './streams.js';

/** What applications of a fuzzed machine share: its clock, its chance, and whether the network is honest. */
export interface FuzzWorld {
  nowNs: number;
  readonly random: SeededRandom;
  readonly isHonest: boolean;
}

/** A flow's bytes differ from those of others, so that no flow's data passes for another's. */
function saltOf(flowId: number): number {
  return (flowId % 1_009) * 331;
}

/** Fails when a callback comes after the last. */
class Lifetime {
  closed: XpassError | null | undefined;

  call(name: string): void {
    if (this.closed !== undefined) throw new Error(`${name} after onClosed`);
  }

  close(error: XpassError | null): void {
    this.call('onClosed');
    this.closed = error;
  }
}

/** Writes as it likes, and does what it likes inside callbacks. */
export class FuzzWriter implements FlowWriter {
  readonly life = new Lifetime();
  flow!: SenderFlow;
  written = 0;
  ended = false;
  private readonly world: FuzzWorld;

  constructor(world: FuzzWorld) {
    this.world = world;
  }

  write(length: number): void {
    if (this.ended || this.life.closed !== undefined) return;
    const salt = saltOf(this.flow.id);
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index++) bytes[index] = patternByte(this.written + index + salt);
    if (this.flow.write(bytes, this.world.nowNs)) this.written += length;
  }

  end(): void {
    this.ended = true;
    this.flow.end(this.world.nowNs);
  }

  onWritable(): void {
    this.life.call('onWritable');
    const chance = this.world.random.next();
    if (chance < 0.01) this.flow.reset(this.world.nowNs);
    else if (chance < 0.1) this.end();
    else if (chance < 0.6) this.write(20_000);
  }

  onClosed(error: XpassError | null): void {
    this.life.close(error);
    if (this.world.random.next() < 0.1) this.flow.reset(this.world.nowNs);
  }
}

/** Checks what it reads, keeps some of it for a while, and does what it likes inside callbacks. */
export class FuzzReader implements FlowReader {
  readonly life = new Lifetime();
  readonly flow: ReceiverFlow;
  received = 0;
  kept = 0;
  ended = false;
  private readonly world: FuzzWorld;

  constructor(world: FuzzWorld, flow: ReceiverFlow) {
    this.world = world;
    this.flow = flow;
  }

  release(bytes: number): void {
    const count = Math.min(bytes, this.kept);
    this.kept -= count;
    this.flow.release(count, this.world.nowNs);
  }

  onData(bytes: Uint8Array): void {
    this.life.call('onData');
    if (this.ended) throw new Error('onData after onEnd');
    if (this.world.isHonest) this.check(bytes);
    this.received += bytes.length;
    this.kept += bytes.length;
    const chance = this.world.random.next();
    if (chance < 0.001) this.flow.reset(this.world.nowNs);
    else if (chance < 0.8) this.release(bytes.length);
  }

  onEnd(): void {
    this.life.call('onEnd');
    this.ended = true;
    if (this.world.random.next() < 0.02) this.flow.reset(this.world.nowNs);
  }

  onClosed(error: XpassError | null): void {
    this.life.close(error);
    if (error === null && !this.ended) throw new Error('closed in order without onEnd');
  }

  private check(bytes: Uint8Array): void {
    const start = this.received + saltOf(this.flow.id);
    for (let index = 0; index < bytes.length; index++) {
      if (bytes[index] !== patternByte(start + index)) throw new Error(`byte ${this.received + index} is wrong`);
    }
  }
}

/**
 * Of the flows that are opened: as many with credits as without. Not TIMELY, and Swift with a target of its own: what follows the delay crawls where the delay grows from
 * nothing to seconds, as it does here, and would be at it still when the game ends.
 */
const WINDOWS = [
  ...['', '', '', 'dctcp', 'cubic', 'hull'].map((windowAlgorithm) => ({ windowAlgorithm, windowParameters: {} })),
  { windowAlgorithm: 'swift', windowParameters: { base_target: 100_000 } },
];

/** One host's application: takes most flows, and sometimes opens one or resets one while it does. */
export class FuzzApplication implements Application {
  endpoint!: Endpoint;
  readonly readers: FuzzReader[] = [];
  readonly writers: FuzzWriter[] = [];
  private readonly world: FuzzWorld;
  private readonly peer: number;

  constructor(world: FuzzWorld, peer: number) {
    this.world = world;
    this.peer = peer;
  }

  open(pairedFlowId = 0): void {
    const { endpoint, world } = this;
    if (endpoint.flowCount >= endpoint.config.maxFlows) return;
    const writer = new FuzzWriter(world);
    const window = WINDOWS[Math.floor(world.random.next() * WINDOWS.length)];
    writer.flow = endpoint.open(this.peer, writer, { pairedFlowId, ...window }, world.nowNs);
    this.writers.push(writer);
  }

  acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const chance = this.world.random.next();
    if (chance < 0.05) return null;
    if (chance < 0.1) flow.reset(this.world.nowNs);
    else if (chance < 0.4) this.open(flow.id);
    if (chance < 0.06) return null;
    const reader = new FuzzReader(this.world, flow);
    this.readers.push(reader);
    return reader;
  }
}
