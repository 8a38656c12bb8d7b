import { assert } from '../base/assert.js';
import { type Random, SeededRandom } from '../base/random.js';
import { NEVER, transmissionNs } from '../base/time.js';
import { frameType, hopLimit, pathId } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import {
  creditShare,
  DEFAULT_FRAME_BYTES,
  FrameType,
  MAX_PLAIN_CREDIT_BYTES,
  MEAN_CREDIT_WIRE_BYTES,
  SEALED_CREDIT_EXTRA_BYTES,
  wireBytes,
} from '../wire/layout.js';
import { markCe } from '../wire/rewrite.js';
import { CreditMarking } from './credit-marking.js';
import { changeMeter, eligibleNs, type MeterRate, spend, startMeter } from './credit-meter.js';
import { DataMarking } from './data-marking.js';
import { ExplicitRate } from './explicit-rate.js';
import { isLowCredit, LowClass } from './low-class.js';
import { PortField as F } from './port-record.js';
import { countFrame, countLowCredit, PortDrop, PortStatistics } from './port-statistics.js';

/** What a port is like. Sizes are wire bytes (PROTOCOL §1.1) but for `maxFrameBytes`, which is a UDP payload. */
export interface PortConfig {
  /** Infinity: unlimited; nothing queues and credits are not metered. */
  rateBps: number;
  /** Propagation to the other end. */
  delayNs: number;
  maxFrameBytes: number;
  /** Of each class. Credits are counted, not their bytes: a limit of one in bytes could not hold a padded credit. */
  creditQueueFrames: number;
  /** W: share of the high class of credits against 1 of the low class while both wait; Infinity: the high class always goes first. PROTOCOL §9.8 */
  creditClassWeight: number;
  creditBurstBytes: number;
  /** N_cdt: after how many credits the probability with which credits are marked is renewed; 0: none is marked. PROTOCOL §9.3 */
  creditMarkFrames: number;
  dataQueueBytes: number;
  /** K: frames that find more in the data queue are marked. Infinity: never marks, unless `ecnRttNs` says otherwise. PROTOCOL §9.3 */
  ecnThresholdBytes: number;
  /** Where `ecnThresholdBytes` is Infinity: K = C * RTT / 7 for this RTT, at the rate that the link has; 0 for none. */
  ecnRttNs: number;
  /** Beyond K the part of the frames that are marked rises to all over so many bytes; 0: at once. */
  ecnRampBytes: number;
  /** Marks go by a phantom queue that drains at this part of the rate; 0: by the data queue. PROTOCOL §9.5 */
  phantomDrainShare: number;
  /** A speculative frame that finds more in the data queue is dropped. PROTOCOL §9.6 */
  speculativeQueueBytes: number;
}

/** Full frames that the data queue takes by default: the 250 of the authors' ns-2 runs on one bottleneck. */
export const DEFAULT_DATA_QUEUE_FRAMES = 250;
/** Credits that the credit queue takes at most. The papers sweep 1 to 128; this only bounds memory (ours). */
export const MAX_CREDIT_QUEUE_FRAMES = 65_536;
/** Frames of any size that the data queue takes at most, whatever its limit in bytes: it only bounds memory (ours). */
const MAX_DATA_QUEUE_FRAMES = 1_048_576;

/** Frames that have started and that nobody has taken: whoever calls a port takes them at once, so this is never met (ours). */
const MAX_STARTED_FRAMES = 2 * MAX_CREDIT_QUEUE_FRAMES + MAX_DATA_QUEUE_FRAMES;

/** SprayPass §III-B1: large enough to tell a share, small enough to follow it within an RTT. */
const CREDIT_MARK_FRAMES = 4;
/** Of a port that gets no generator of its own, such as the NIC of a process: what it marks need not differ from what others mark (ours). */
const MARKING_SEED = 1;

/** Four frames of 1,500 bytes, as in Aeolus (SIGCOMM 2020): they keep a link busy and hold the frames behind them up for no longer. */
const SPECULATIVE_QUEUE_BYTES = 6_000;

/** Unlimited, so that a link is slow only where somebody says so; queues as in ExpressPass 2017 and PROTOCOL §9.1. */
export const DEFAULT_PORT: PortConfig = {
  rateBps: Number.POSITIVE_INFINITY,
  delayNs: 0,
  maxFrameBytes: DEFAULT_FRAME_BYTES,
  creditQueueFrames: 8,
  creditClassWeight: Number.POSITIVE_INFINITY,
  creditBurstBytes: 184,
  creditMarkFrames: CREDIT_MARK_FRAMES,
  dataQueueBytes: DEFAULT_DATA_QUEUE_FRAMES * wireBytes(DEFAULT_FRAME_BYTES),
  ecnThresholdBytes: Number.POSITIVE_INFINITY,
  ecnRttNs: 0,
  ecnRampBytes: 0,
  phantomDrainShare: 0,
  speculativeQueueBytes: SPECULATIVE_QUEUE_BYTES,
};

/**
 * One egress port of a switch or NIC (PROTOCOL §9): a metered credit queue, a data queue that marks, one serialiser. Virtual time from the callers' stamps
 * decides everything: a late driver delays frames and changes nothing else. Stamps that go back count as the latest: drivers handle datagrams in batches.
 *
 * Call `enqueue` or `advance`, then `dequeue` until null, then `nextTimeout`. `dequeue` gives a frame once its transmission has started, with `atNs` = the
 * arrival of its last bit. Until then it counts as queued.
 */
export class Port {
  // What each frame needs comes first: V8 lays fields out in the order in which they are set, initial values before what the constructor does, and 64
  // bytes are one cache line.
  private readonly numbers: Float64Array;
  private readonly at: number;
  private maxWireBytes: number;
  /** How many credits wait, and wire bytes in the data queue: 0 as long as it is empty. */
  private creditFrames = 0;
  private dataBytes = 0;
  /** What of it is speculative: it takes no room from the other frames. */
  private speculativeBytes = 0;
  /** Frames whose transmission has started, until the caller takes them: a queue of its own making, linked by `Frame.next`. */
  private startedFirst: Frame | null = null;
  private startedLast: Frame | null = null;
  private startedFrames = 0;
  private nextIsCredit = false;
  /** Frames that wait: the credits, and the data with all else. */
  private readonly credits: FrameQueue;
  private readonly data: FrameQueue;
  private config: PortConfig;
  readonly statistics: PortStatistics;
  private readonly marking: CreditMarking;
  private readonly explicitRate: ExplicitRate;
  private sealedCharge: number;
  private readonly random: Random;
  /** Null until a first credit of that class has come; `credits` and `marking` are those of the high class. */
  private low: LowClass | null = null;
  private dataMarking: DataMarking;
  /** The marking is shown every frame, even one that finds the link idle. */
  private isPhantom: boolean;

  /** `random`: for marking credits. */
  constructor(
    config: PortConfig,
    statistics: PortStatistics = new PortStatistics(),
    random: Random = new SeededRandom(MARKING_SEED),
  ) {
    const { numbers, at } = statistics.record;
    this.numbers = numbers;
    this.at = at;
    this.maxWireBytes = wireBytes(config.maxFrameBytes);
    this.sealedCharge = sealedCharge(config.maxFrameBytes);
    this.marking = new CreditMarking(config.creditMarkFrames, random);
    this.explicitRate = new ExplicitRate(config.rateBps, bitsPerCredit(config), config.creditQueueFrames);
    this.random = random;
    this.credits = new FrameQueue();
    this.data = new FrameQueue();
    this.config = config;
    this.statistics = statistics;
    this.dataMarking = new DataMarking(config);
    this.isPhantom = this.dataMarking.isPhantom;
    numbers[at + F.clockNs] = numbers[at + F.busyUntilNs] = 0;
    numbers[at + F.nextStartNs] = NEVER;
    numbers[at + F.rateBps] = config.rateBps;
    numbers[at + F.portDelayNs] = config.delayNs;
    startMeter(numbers, at, meterRate(config));
  }

  /** The settings in force; change them with `configure`. */
  get settings(): Readonly<PortConfig> {
    return this.config;
  }

  /** Wire bytes in the data queue. */
  get dataQueueBytes(): number {
    return this.dataBytes;
  }

  /** Those of them that are of speculative frames. */
  get speculativeQueueBytes(): number {
    return this.speculativeBytes;
  }

  get creditQueueFrames(): number {
    return this.creditFrames;
  }

  /** Frames that it owns: those that wait, and those that have started and were not taken yet. */
  get heldFrames(): number {
    return this.creditFrames + this.data.length + this.startedFrames;
  }

  /** Takes a frame that arrives at `nowNs`; returns 0, or a PortDrop code with which the frame stays the caller's. */
  enqueue(frame: Frame, nowNs: number): number {
    frame.atNs = nowNs;
    return this.enqueueStamped(frame);
  }

  /** The same for a frame that arrives at its `atNs`: a time as an argument is a number on the heap, for each frame. */
  enqueueStamped(frame: Frame): number {
    frame.type = frameType(frame.bytes);
    frame.pathId = pathId(frame.bytes);
    frame.hopLimit = hopLimit(frame.bytes);
    return this.enqueueRead(frame);
  }

  /** As `enqueueStamped`, for a frame that knows its type and path id, which saves a look at its bytes. */
  enqueueRead(frame: Frame): number {
    this.advance(frame.atNs);
    const { type, wireBytes: bytes } = frame;
    if (bytes > this.maxWireBytes) return this.drop(PortDrop.frameTooLong);
    return type === FrameType.credit ? this.enqueueCredit(frame, bytes) : this.enqueueOther(frame, bytes, type);
  }

  /** Starts every transmission that can start by `nowNs`. */
  advance(nowNs: number): void {
    const { numbers, at } = this;
    if (nowNs > numbers[at + F.clockNs]) numbers[at + F.clockNs] = nowNs;
    while (numbers[at + F.nextStartNs] <= numbers[at + F.clockNs]) this.startNext();
  }

  /** The next frame whose transmission has started; null when there is none. */
  dequeue(): Frame | null {
    const frame = this.startedFirst;
    if (frame === null) return null;
    this.startedFirst = frame.next;
    if (this.startedFirst === null) this.startedLast = null;
    else frame.next = null;
    this.startedFrames--;
    return frame;
  }

  /** When the next queued frame can start; NEVER when nothing is queued. */
  nextTimeout(): number {
    return this.numbers[this.at + F.nextStartNs];
  }

  /** Other settings from `nowNs` on. Frames that have started keep their times; queued ones stay, even above a smaller limit. */
  configure(changes: Partial<PortConfig>, nowNs: number): void {
    const { numbers, at } = this;
    this.advance(nowNs);
    this.config = { ...this.config, ...changes };
    this.maxWireBytes = wireBytes(this.config.maxFrameBytes);
    this.sealedCharge = sealedCharge(this.config.maxFrameBytes);
    this.dataMarking = new DataMarking(this.config);
    this.isPhantom = this.dataMarking.isPhantom;
    numbers[at + F.rateBps] = this.config.rateBps;
    numbers[at + F.portDelayNs] = this.config.delayNs;
    changeMeter(numbers, at, meterRate(this.config), numbers[at + F.clockNs]);
    this.marking.configure(this.config.creditMarkFrames);
    this.explicitRate.configure(this.config.rateBps, bitsPerCredit(this.config), this.config.creditQueueFrames);
    this.low?.configure(this.config.creditClassWeight, this.config.creditMarkFrames);
    this.low?.shareOffers(this.explicitRate);
    this.schedule();
    this.advance(numbers[at + F.clockNs]);
  }

  /** Empties both queues: the frames go to `lose`. What has started to be sent is on its way. */
  flush(lose: (frame: Frame) => void, nowNs: number): void {
    this.advance(nowNs);
    for (const queue of [this.credits, this.low?.queue, this.data]) {
      for (let frame = queue?.shift() ?? null; frame !== null; frame = queue?.shift() ?? null) lose(frame);
    }
    this.creditFrames = this.dataBytes = this.speculativeBytes = 0;
    this.statistics.setDataQueue(0, this.numbers[this.at + F.clockNs]);
    this.statistics.setCreditQueue(0);
    this.schedule();
  }

  private enqueueCredit(frame: Frame, bytes: number): number {
    if (bytes > MAX_CREDIT_WIRE_BYTES) return this.drop(PortDrop.frameTooLong);
    const { numbers, at } = this;
    const nowNs = numbers[at + F.clockNs];
    const low = isLowCredit(frame.bytes) ? this.lowClass : null;
    const marking = low === null ? this.marking : low.marking;
    (low === null ? this.explicitRate : low.explicitRate).count(frame, nowNs);
    if (this.creditFrames === 0 && numbers[at + F.busyUntilNs] <= nowNs && eligibleNs(numbers, at, bytes) <= nowNs) {
      marking.inject(0);
      numbers[at + F.busyUntilNs] = nowNs;
      this.startCredit(frame, bytes);
      return 0;
    }
    const queue = low === null ? this.credits : low.queue;
    if (queue.length >= this.config.creditQueueFrames || queue.length >= MAX_CREDIT_QUEUE_FRAMES) {
      marking.inject(1);
      return this.drop(low === null ? PortDrop.creditQueueFull : PortDrop.lowCreditQueueFull);
    }
    marking.inject(0);
    queue.push(frame);
    this.statistics.setCreditQueue(++this.creditFrames);
    this.schedule();
    return 0;
  }

  /** Whatever was queued and could start has, since `advance` came first: a serialiser that is free is free for this frame. */
  private enqueueOther(frame: Frame, bytes: number, type: number): number {
    const { numbers, at } = this;
    const nowNs = numbers[at + F.clockNs];
    if (this.dataBytes === 0 && numbers[at + F.busyUntilNs] <= nowNs) {
      if (this.isPhantom) this.mark(frame, bytes, nowNs);
      numbers[at + F.busyUntilNs] = nowNs;
      this.start(frame, type);
      if (this.creditFrames > 0) this.schedule();
      return 0;
    }
    const queuedBytes = this.dataBytes + bytes;
    const isSpeculative = type === FrameType.speculativeData;
    if (isSpeculative && !this.hasRoomForSpeculative(queuedBytes)) return this.drop(PortDrop.speculative);
    const besidesBytes = queuedBytes - this.speculativeBytes;
    if (besidesBytes > this.config.dataQueueBytes || this.data.length >= MAX_DATA_QUEUE_FRAMES) {
      return this.drop(PortDrop.dataQueueFull);
    }
    if (isSpeculative) this.speculativeBytes += bytes;
    this.data.push(frame);
    if (!this.dataMarking.isOff) this.mark(frame, bytes, nowNs);
    this.dataBytes = queuedBytes;
    this.statistics.setDataQueue(queuedBytes, nowNs);
    if (numbers[at + F.nextStartNs] === NEVER || this.nextIsCredit) this.schedule();
    return 0;
  }

  /** Whether a speculative frame that would make the data queue so long may wait in it. PROTOCOL §9.6 */
  private hasRoomForSpeculative(queuedBytes: number): boolean {
    return this.dataBytes <= this.config.speculativeQueueBytes && queuedBytes <= this.config.dataQueueBytes;
  }

  private mark(frame: Frame, bytes: number, nowNs: number): void {
    if (this.dataMarking.marks(bytes, this.dataBytes, nowNs) && markCe(frame.bytes)) this.statistics.count(F.ecnMarks);
  }

  private startNext(): void {
    const { numbers, at } = this;
    const startNs = numbers[at + F.nextStartNs];
    numbers[at + F.busyUntilNs] = startNs;
    const frame = this.nextIsCredit ? this.shiftCredit() : this.data.shift();
    assert(frame !== null, 'a scheduled start has a frame');
    if (this.nextIsCredit) {
      this.statistics.setCreditQueue(--this.creditFrames);
      this.startCredit(frame, this.meteredBytes(frame));
    } else {
      this.dataBytes -= frame.wireBytes;
      if (frame.type === FrameType.speculativeData) this.speculativeBytes -= frame.wireBytes;
      this.statistics.setDataQueue(this.dataBytes, startNs);
      this.start(frame, frame.type);
    }
    this.schedule();
  }

  private startCredit(frame: Frame, bytes: number): void {
    const { numbers, at } = this;
    spend(numbers, at, bytes, numbers[at + F.busyUntilNs]);
    const isLow = this.low !== null && isLowCredit(frame.bytes);
    if (isLow) countLowCredit(numbers, at, bytes);
    (isLow ? this.lowClass.explicitRate : this.explicitRate).stamp(frame);
    const marking = isLow ? this.lowClass.marking : this.marking;
    if (marking.draw() && markCe(frame.bytes)) this.statistics.count(F.creditMarks);
    this.start(frame, FrameType.credit);
  }

  private get lowClass(): LowClass {
    if (this.low === null) {
      this.low = new LowClass(this.config.creditClassWeight, this.config.creditMarkFrames, this.random);
      this.low.shareOffers(this.explicitRate);
    }
    return this.low;
  }

  private shiftCredit(): Frame | null {
    return this.low === null ? this.credits.shift() : this.low.shift(this.credits);
  }

  private peekCredit(): Frame | null {
    return this.low === null ? this.credits.peek() : this.low.peek(this.credits);
  }

  /** From `busyUntilNs` on, when whatever was before it is over or the link has been idle. */
  private start(frame: Frame, type: number): void {
    const { numbers, at } = this;
    const bytes = frame.wireBytes;
    const endNs = numbers[at + F.busyUntilNs] + transmissionNs(bytes, numbers[at + F.rateBps]);
    numbers[at + F.busyUntilNs] = endNs;
    frame.atNs = endNs + numbers[at + F.portDelayNs];
    countFrame(numbers, at, type, bytes);
    if (frame.pathId !== 0) this.statistics.count(F.sprayedFrames);
    if (this.startedLast === null) this.startedFirst = frame;
    else this.startedLast.next = frame;
    this.startedLast = frame;
    assert(++this.startedFrames <= MAX_STARTED_FRAMES, 'frames that have started are taken');
  }

  /**
   * Finds the next start: a credit goes first from when the bucket holds it (PROTOCOL §9.2). No start lies before an arrival, since only what cannot start is
   * queued.
   */
  private schedule(): void {
    const { numbers, at } = this;
    const busyUntilNs = numbers[at + F.busyUntilNs];
    const credit = this.creditFrames === 0 ? null : this.peekCredit();
    const creditNs = credit === null ? NEVER : this.creditStartNs(credit, busyUntilNs);
    const dataNs = this.dataBytes === 0 ? NEVER : busyUntilNs;
    this.nextIsCredit = creditNs <= dataNs;
    numbers[at + F.nextStartNs] = this.nextIsCredit ? creditNs : dataNs;
  }

  private creditStartNs(credit: Frame, busyUntilNs: number): number {
    const startNs = Math.max(busyUntilNs, eligibleNs(this.numbers, this.at, this.meteredBytes(credit)));
    // A credit that overtakes a longer one of the other class may have come after the bucket held its bytes.
    return this.low === null ? startNs : Math.max(startNs, credit.atNs);
  }

  /** Sealed credits are longer than the share was made for: fewer of them fill it, so that their data fills the link. PROTOCOL §9.1 */
  private meteredBytes({ wireBytes: bytes }: Frame): number {
    return bytes <= MAX_PLAIN_CREDIT_WIRE_BYTES ? bytes : bytes * this.sealedCharge;
  }

  private drop(code: number): number {
    this.statistics.countDrop(code);
    return code;
  }
}

const MAX_PLAIN_CREDIT_WIRE_BYTES = wireBytes(MAX_PLAIN_CREDIT_BYTES);
/** One as long as a data frame would hold the meter for as long as the credits of a hundred. PROTOCOL §9.1 */
const MAX_CREDIT_WIRE_BYTES = wireBytes(MAX_PLAIN_CREDIT_BYTES + SEALED_CREDIT_EXTRA_BYTES);

/** What a byte of a sealed credit counts at a meter whose share is made for plain ones. PROTOCOL §9.1 */
function sealedCharge(maxFrameBytes: number): number {
  return creditShare(maxFrameBytes) / creditShare(maxFrameBytes, true);
}

/** What a credit and the data that it releases take of the link. PROTOCOL §4.4 */
function bitsPerCredit({ maxFrameBytes }: PortConfig): number {
  return (MEAN_CREDIT_WIRE_BYTES + wireBytes(maxFrameBytes)) * 8;
}

/** Credits get a part of the link. PROTOCOL §9.1 */
function meterRate({ rateBps, maxFrameBytes, creditBurstBytes }: PortConfig): MeterRate {
  return { rateBps: rateBps * creditShare(maxFrameBytes), depthBytes: creditBurstBytes };
}
