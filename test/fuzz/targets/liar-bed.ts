import { crc32 } from '../../../src/base/crc32.js';
import { SeededRandom } from '../../../src/base/random.js';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { type EndpointConfig, endpointConfig } from '../../../src/core/config.js';
import { Endpoint } from '../../../src/core/endpoint.js';
import * as decode from '../../../src/wire/decode.js';
import { Frame, FramePool } from '../../../src/wire/frame.js';
import { CreditRequest, Fin } from '../../../src/wire/frames.js';
import { FrameType } from '../../../src/wire/layout.js';
import { FuzzApplication } from '../../harness/fuzz-machine.js';
import { checkBudget, checkEndpoint, checkReader, checkWriter } from '../../harness/invariants.js';
import type { Input } from '../engine/input.js';
import { must } from '../engine/target.js';
import { hostileFrame, type Known } from './hostile-frames.js';

/**
 * Frames that an endpoint sends at one time, whatever came and however late it was woken. Ours: six flows with 256 credits each, and some windows of
 * frames.
 */
const MOST_FRAMES = 4_000;
const MOST_DEADLINES = 5_000;
/** Frames on their way to the other endpoint; older ones are lost. */
const MOST_FLYING = 64;
/** Longer than any timeout of an endpoint. */
const FOREVER_NS = 100 * SECOND_NS;

const WAITS_NS = [10 * MICROSECOND_NS, MILLISECOND_NS, 50 * MILLISECOND_NS, SECOND_NS, 12 * SECOND_NS];

/** An endpoint whose peer says what the input says, in virtual time. */
export class Side {
  readonly endpoint: Endpoint;
  readonly application: FuzzApplication;
  readonly sent: Frame[] = [];
  private readonly bed: LiarBed;
  private readonly peer: number;
  private frames = 0;

  constructor(bed: LiarBed, peer: number, config: EndpointConfig) {
    this.bed = bed;
    this.peer = peer;
    this.application = new FuzzApplication(bed, peer);
    const pool = new FramePool(() => new Uint8Array(1_472), 16);
    const { application } = this;
    this.endpoint = new Endpoint(config, { random: bed.random.fork(), check: crc32, pool, application });
    application.endpoint = this.endpoint;
  }

  give(frame: Frame): void {
    frame.peer = this.peer;
    this.endpoint.handleFrame(frame, this.bed.nowNs);
    this.settle();
  }

  /** What is due is done, what is to be sent is taken, and all books are looked at. */
  settle(): void {
    const { endpoint, application } = this;
    this.frames = 0;
    endpoint.advance(this.bed.nowNs);
    for (let frame = endpoint.poll(); frame !== null; frame = endpoint.poll()) this.take(frame);
    checkEndpoint(endpoint, this.bed.nowNs);
    checkBudget(endpoint, application.readers);
    for (const reader of application.readers) if (reader.life.closed === undefined) checkReader(reader, endpoint);
    for (const writer of application.writers) if (writer.life.closed === undefined) checkWriter(writer);
  }

  private take(frame: Frame): void {
    must(++this.frames < MOST_FRAMES, `an endpoint sends ${MOST_FRAMES} frames at one time`);
    // VERSION repeats the host ids of the frame that it answers, whatever they are.
    const isEcho = decode.frameType(frame.bytes) === FrameType.version;
    must(isEcho || decode.checkFrame(frame, crc32) > 0, `an endpoint sends what is ${dropName(frame)}`);
    const copy = new Frame(frame.bytes.slice(0, frame.length));
    copy.length = frame.length;
    this.endpoint.pool.give(frame);
    this.bed.learn(copy);
    this.sent.push(copy);
    if (this.sent.length > MOST_FLYING) this.sent.shift();
  }
}

/** One endpoint or two, their applications and a liar between them, played by an input. */
export class LiarBed {
  nowNs = 0;
  readonly random: SeededRandom;
  readonly isHonest = false;
  readonly sides: readonly Side[];
  private readonly input: Input;
  private readonly known = { destination: 0, source: 0, flowId: 1, offset: 0, sequence: 0, probe: 1, token: 0 };

  constructor(input: Input, sides: 1 | 2, changes: Partial<EndpointConfig> = {}) {
    this.input = input;
    this.random = new SeededRandom(1 + input.u8());
    const config = endpointConfig({
      rateBps: input.pick([1e9, 10e6, Number.POSITIVE_INFINITY]),
      receiveWindowBytes: 65_536,
      sendBufferBytes: 65_536,
      frameBytes: input.pick([1_472, 176]),
      hostCredits: input.pick([64, 4, Number.POSITIVE_INFINITY]),
      queueBoundNs: input.pick([MILLISECOND_NS, 0, Number.POSITIVE_INFINITY]),
      speculativeRttNs: input.pick([0, MILLISECOND_NS]),
      frameChunks: input.pick([0, 4]),
      maxFlows: 6,
      maxOutstandingCredits: 256,
      maxLingering: input.pick([8, 2, 0]),
      ...changes,
    });
    this.sides = Array.from({ length: sides }, (_, index) => new Side(this, 1 - index, config));
  }

  /** As the peer of all sides would say it. */
  learn({ bytes }: Frame): void {
    const { known } = this;
    known.flowId = decode.flowId(bytes);
    switch (decode.frameType(bytes)) {
      case CreditRequest.type:
        known.offset = CreditRequest.read.sentOffset(bytes);
        known.probe = CreditRequest.read.probe(bytes);
        break;
      case FrameType.credit:
        known.sequence = decode.creditSequence(bytes);
        break;
      case FrameType.data:
        known.offset = decode.dataOffset(bytes);
        known.sequence = decode.dataCreditSequence(bytes) + 1;
        break;
      case FrameType.ack:
      case FrameType.windowAck:
        known.offset = decode.ackCumulative(bytes);
        known.probe = decode.ackProbe(bytes);
        break;
      case Fin.type:
        known.offset = Fin.read.finalOffset(bytes);
        known.probe = Fin.read.probe(bytes);
        break;
      default:
    }
  }

  lie(side: Side): void {
    side.give(hostileFrame(this.input, this.known as Known));
  }

  wait(): void {
    this.nowNs += this.input.pick(WAITS_NS) * (1 + this.input.u8());
    for (const side of this.sides) side.settle();
  }

  /** All flows are given up; what is left ends by itself. */
  finish(): void {
    for (const { endpoint, application } of this.sides) {
      for (const reader of application.readers) reader.release(Number.POSITIVE_INFINITY);
      endpoint.closeAll(this.nowNs);
    }
    for (const side of this.sides) this.playOut(side);
  }

  private playOut(side: Side): void {
    const { endpoint } = side;
    side.settle();
    const untilNs = this.nowNs + FOREVER_NS;
    for (let count = 0; endpoint.nextTimeout() < untilNs; count++) {
      must(count < MOST_DEADLINES, 'what is given up comes to an end');
      this.nowNs = endpoint.nextTimeout();
      side.settle();
    }
    must(endpoint.flowCount === 0, `${endpoint.flowCount} flows are left`);
    must(endpoint.nextTimeout() === Number.POSITIVE_INFINITY, 'nothing is left to do');
  }
}

function dropName(frame: Frame): string {
  return decode.DROP_NAMES[-decode.checkFrame(frame, crc32)] ?? 'valid';
}
