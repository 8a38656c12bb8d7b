import { crc32 } from '../../src/base/crc32.js';
import type { XpassError } from '../../src/base/errors.js';
import { SeededRandom } from '../../src/base/random.js';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import type { Application } from '../../src/core/application.js';
import { endpointConfig } from '../../src/core/config.js';
import { CreditCoupler } from '../../src/core/credit-coupler.js';
import { Endpoint } from '../../src/core/endpoint.js';
import type { FlowReader, FlowWriter } from '../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { frameType } from '../../src/wire/decode.js';
import { seal } from '../../src/wire/encode.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { CHECK_BYTES, Credits, FrameType } from '../../src/wire/layout.js';
import { flipBits } from './faults.js';
import { checkBudget, checkEndpoint, checkReader, checkWriter } from './invariants.js';
import { patternByte } from './streams.js';

/** What applications of a fuzzed machine share: its clock, its chance, and whether the network is honest. */
interface FuzzWorld {
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
 * Of the flows that are opened: as many with credits as without. Not TIMELY, and Swift with a target of its own: what follows the delay crawls where
 * the delay grows from nothing to seconds, as it does here, and would be at it still when the game ends.
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

/** Frames on their way in one direction, and frames remembered to come again. */
const MAX_FLYING = 300;
const MAX_REMEMBERED = 100;

/** Inputs by weight: mostly a network that works, so that flows get somewhere. */
const WEIGHTS: readonly (readonly [keyof FuzzMachine & `input${string}`, number])[] = [
  ['inputDeliver', 480],
  ['inputWait', 200],
  ['inputWrite', 120],
  ['inputRelease', 50],
  ['inputReorder', 40],
  ['inputDrop', 30],
  ['inputDuplicate', 20],
  ['inputStale', 15],
  ['inputDamage', 15],
  ['inputOpen', 10],
  ['inputEnd', 8],
  ['inputPause', 8],
  ['inputSilence', 1],
  ['inputReset', 1],
];
const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

/**
 * Two endpoints and a network that does anything: each `step` is one random input to one of them. An honest network only loses, copies, reorders and
 * corrupts; one that is not also changes frames and makes their checks fit again.
 */
export class FuzzMachine implements FuzzWorld {
  nowNs = 0;
  /** Frames that were sent with several credits. */
  sharedFrames = 0;
  readonly random: SeededRandom;
  readonly isHonest: boolean;
  readonly applications: FuzzApplication[];
  readonly endpoints: Endpoint[];
  /** What each endpoint sends next: in half of the games credits share frames, as without a switch. */
  private readonly sources: (() => Frame | null)[];
  private readonly flying: Frame[][] = [[], []];
  private readonly remembered: Frame[][] = [[], []];

  constructor(seed: number, isHonest: boolean) {
    this.random = new SeededRandom(seed);
    this.isHonest = isHonest;
    this.applications = [new FuzzApplication(this, 1), new FuzzApplication(this, 0)];
    const pool = new FramePool(() => new Uint8Array(1_472), 64);
    const { random } = this;
    const config = endpointConfig({
      rateBps: this.pick([10e6, 1e9, Number.POSITIVE_INFINITY]),
      receiveWindowBytes: this.pick([65_536, 200_000]),
      sendBufferBytes: 65_536,
      frameBytes: this.pick([128, 1_472]),
      hostCredits: this.pick([4, 64, Number.POSITIVE_INFINITY]),
      queueBoundNs: this.pick([0, MILLISECOND_NS, Number.POSITIVE_INFINITY]),
      speculativeRttNs: this.pick([0, 20 * MICROSECOND_NS, MILLISECOND_NS]),
      frameChunks: this.pick([0, 0, 4]),
      maxFlows: 8,
      maxLingering: this.pick([0, 2, 8]),
    });
    this.endpoints = this.applications.map((application) => {
      const endpoint = new Endpoint(config, { random: random.fork(), check: crc32, pool, application });
      application.endpoint = endpoint;
      return endpoint;
    });
    const isCoupled = this.pick([false, true]);
    this.sources = this.endpoints.map((endpoint) => {
      const poll = () => endpoint.poll();
      const coupler = new CreditCoupler(poll, pool, crc32);
      return isCoupled ? () => coupler.next() : poll;
    });
  }

  /** One random input, and every invariant after it. */
  step(): void {
    let ticket = this.random.next() * TOTAL_WEIGHT;
    for (const [input, weight] of WEIGHTS) {
      ticket -= weight;
      if (ticket < 0) {
        this[input]();
        break;
      }
    }
    this.settle();
  }

  /** From now on the network works, every reader reads and every writer ends, until nothing is left to do or `seconds` are over. */
  finish(seconds: number): void {
    const untilNs = this.nowNs + seconds * SECOND_NS;
    while (this.nowNs < untilNs) {
      for (const { readers, writers } of this.applications) {
        for (const reader of readers) reader.release(Number.POSITIVE_INFINITY);
        for (const writer of writers) writer.end();
      }
      this.settle();
      const isQuiet = this.flying.every((frames) => frames.length === 0);
      const nextNs = Math.min(...this.endpoints.map((endpoint) => endpoint.nextTimeout()));
      if (isQuiet && nextNs === Number.POSITIVE_INFINITY) return;
      this.nowNs = isQuiet ? Math.min(nextNs, untilNs) : this.nowNs + 50 * MICROSECOND_NS;
      for (let to = 0; to < 2; to++) for (const frame of this.flying[to].splice(0)) this.give(frame, to);
    }
  }

  inputDeliver(): void {
    const to = this.side();
    for (let count = this.below(4); count >= 0; count--) {
      const frame = this.flying[to].shift();
      if (frame === undefined) return;
      this.give(frame, to);
    }
  }

  inputWait(): void {
    this.nowNs += this.random.next() * 200 * MICROSECOND_NS;
  }

  inputPause(): void {
    this.nowNs += this.random.next() * 60 * MILLISECOND_NS;
  }

  inputSilence(): void {
    this.nowNs += this.random.next() ** 2 * 12 * SECOND_NS;
  }

  inputWrite(): void {
    this.someWriter()?.write(1 + this.below(this.pick([10, 2_000, 20_000])));
  }

  inputRelease(): void {
    this.someReader()?.release(this.below(20_000));
  }

  inputEnd(): void {
    this.someWriter()?.end();
  }

  inputOpen(): void {
    this.applications[this.side()].open();
  }

  inputReset(): void {
    if (this.random.next() < 0.02) this.endpoints[this.side()].closeAll(this.nowNs);
    if (this.random.next() < 0.5) this.someWriter()?.flow.reset(this.nowNs);
    else this.someReader()?.flow.reset(this.nowNs);
  }

  inputReorder(): void {
    const to = this.side();
    const [frame] = this.flying[to].splice(this.below(this.flying[to].length), 1);
    if (frame !== undefined) this.give(frame, to);
  }

  inputDrop(): void {
    const frames = this.flying[this.side()];
    frames.splice(this.below(frames.length), 1 + this.below(3));
  }

  inputDuplicate(): void {
    const to = this.side();
    const frame = this.flying[to][this.below(this.flying[to].length)];
    if (frame !== undefined) this.give(frame, to);
  }

  inputStale(): void {
    const to = this.side();
    const frame = this.remembered[to][this.below(this.remembered[to].length)];
    if (frame !== undefined) this.give(frame, to);
  }

  /** A damaged copy, sometimes to the wrong side; where the network is not honest its check fits all the same. */
  inputDamage(): void {
    const frame = this.remembered[this.side()][this.below(this.remembered[0].length)];
    if (frame === undefined) return;
    const copy = copyOf(frame);
    flipBits(copy, this.random);
    if (!this.isHonest) repairCheck(copy);
    this.give(copy, this.side());
  }

  private give(frame: Frame, to: number): void {
    this.endpoints[to].handleFrame(frame, this.nowNs);
    this.settle();
  }

  /** Lets both endpoints do what is due, takes what they send, and looks at everything. */
  private settle(): void {
    for (let from = 0; from < 2; from++) this.drain(from);
    for (let side = 0; side < 2; side++) {
      const endpoint = this.endpoints[side];
      checkEndpoint(endpoint, this.nowNs);
      checkBudget(endpoint, this.applications[side].readers);
      for (const reader of this.applications[side].readers) {
        if (reader.life.closed === undefined) checkReader(reader, endpoint);
      }
      for (const writer of this.applications[side].writers) {
        if (writer.life.closed === undefined) checkWriter(writer);
      }
    }
  }

  private drain(from: number): void {
    const [endpoint, next] = [this.endpoints[from], this.sources[from]];
    endpoint.advance(this.nowNs);
    for (let frame = next(); frame !== null; frame = next()) {
      if (frameType(frame.bytes) === Credits.type) this.sharedFrames++;
      const copy = copyOf(frame);
      copy.peer = from;
      endpoint.pool.give(frame);
      const to = 1 - from;
      this.flying[to].push(copy);
      if (this.flying[to].length > MAX_FLYING) this.flying[to].shift();
      if (this.random.next() < 0.1) this.remembered[to][this.below(MAX_REMEMBERED)] = copy;
    }
  }

  private side(): number {
    return this.random.next() < 0.5 ? 0 : 1;
  }

  private below(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  private someWriter() {
    return this.pick(this.applications[this.side()].writers.slice(-8));
  }

  private someReader() {
    return this.pick(this.applications[this.side()].readers.slice(-8));
  }
}

function copyOf(frame: Frame): Frame {
  const copy = new Frame(frame.bytes.slice(0, frame.length));
  copy.length = frame.length;
  copy.peer = frame.peer;
  return copy;
}

/** Makes the check fit the bytes, so that they are looked at. */
function repairCheck(frame: Frame): void {
  if (frameType(frame.bytes) !== FrameType.credit) seal(frame.bytes, frame.length - CHECK_BYTES, crc32);
  else {
    const check = crc32(frame.bytes, 1, 16);
    frame.bytes[16] = check >>> 8;
    frame.bytes[17] = check;
  }
}
