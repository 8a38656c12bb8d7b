import { assert } from '../base/assert.js';
import { Ring } from '../base/ring.js';
import { NEVER, transmissionNs } from '../base/time.js';
import { frameType } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { creditShare, DEFAULT_FRAME_BYTES, FrameType, wireBytes } from '../wire/layout.js';
import { markCe } from '../wire/rewrite.js';
import { CreditMeter } from './credit-meter.js';
import { PortDrop, PortStatistics } from './port-statistics.js';

/** What a port is like. Sizes are wire bytes (PROTOCOL §1.1) but for `maxFrameBytes`, which is a UDP payload. */
export interface PortConfig {
  /** Infinity: unlimited; nothing queues and credits are not metered. */
  rateBps: number;
  /** Propagation to the other end. */
  delayNs: number;
  maxFrameBytes: number;
  /** Credits are counted, not their bytes: a limit of one in bytes could not hold a padded credit. */
  creditQueueFrames: number;
  creditBurstBytes: number;
  dataQueueBytes: number;
  /** Infinity: never marks. */
  ecnThresholdBytes: number;
}

/** Full frames that the data queue takes by default: the 250 of the authors' ns-2 runs on one bottleneck. */
export const DEFAULT_DATA_QUEUE_FRAMES = 250;
/** Credits that the credit queue takes at most. The papers sweep 1 to 128; this only bounds memory (ours). */
export const MAX_CREDIT_QUEUE_FRAMES = 65_536;
/** Frames of any size that the data queue takes at most, whatever its limit in bytes: it only bounds memory (ours). */
const MAX_DATA_QUEUE_FRAMES = 1_048_576;

/** Unlimited, so that a link is slow only where somebody says so; queues as in ExpressPass 2017 and PROTOCOL §9.1. */
export const DEFAULT_PORT: PortConfig = {
  rateBps: Number.POSITIVE_INFINITY,
  delayNs: 0,
  maxFrameBytes: DEFAULT_FRAME_BYTES,
  creditQueueFrames: 8,
  creditBurstBytes: 184,
  dataQueueBytes: DEFAULT_DATA_QUEUE_FRAMES * wireBytes(DEFAULT_FRAME_BYTES),
  ecnThresholdBytes: Number.POSITIVE_INFINITY,
};

/**
 * One egress port, of a switch or of a host's NIC (PROTOCOL §9): a credit queue behind a token bucket, a data queue that marks, and one
 * serialiser for both. Everything is computed in virtual time from the stamps that callers give, so a late wake-up of a driver changes when a
 * frame is emitted but not what happens to it.
 *
 * Order of calls: `enqueue` or `advance`, then `dequeue` until null, then `nextTimeout`. A frame comes out of `dequeue` as soon as its transmission
 * has started, with `atNs` = when its last bit reaches the other end. It counts as queued until then, so a frame that finds the port idle
 * is never queued. Stamps that go back are taken as the latest one: drivers handle datagrams in batches.
 */
export class Port {
  readonly statistics: PortStatistics;
  private config: PortConfig;
  private maxWireBytes: number;
  private readonly meter: CreditMeter;
  /** Frames that wait. */
  private readonly credits = new Ring<Frame>(MAX_CREDIT_QUEUE_FRAMES);
  private readonly data = new Ring<Frame>(MAX_DATA_QUEUE_FRAMES);
  /** Frames whose transmission has started, until the caller takes them. */
  private readonly started = new Ring<Frame>(MAX_CREDIT_QUEUE_FRAMES + MAX_DATA_QUEUE_FRAMES);
  private dataBytes = 0;
  private clockNs = 0;
  private busyUntilNs = 0;
  /** When the next queued frame starts, and from which queue it comes. */
  private nextStartNs = NEVER;
  private nextIsCredit = false;

  constructor(config: PortConfig, statistics: PortStatistics = new PortStatistics()) {
    this.config = config;
    this.statistics = statistics;
    this.maxWireBytes = wireBytes(config.maxFrameBytes);
    this.meter = new CreditMeter(creditRateBps(config), config.creditBurstBytes);
  }

  /** The settings in force; change them with `configure`. */
  get settings(): Readonly<PortConfig> {
    return this.config;
  }

  /** Wire bytes in the data queue. */
  get dataQueueBytes(): number {
    return this.dataBytes;
  }

  get creditQueueFrames(): number {
    return this.credits.length;
  }

  /** Frames that it owns: those that wait, and those that have started and were not taken yet. */
  get heldFrames(): number {
    return this.credits.length + this.data.length + this.started.length;
  }

  /** Takes a frame that arrives at `nowNs`; returns 0, or a PortDrop code with which the frame stays the caller's. */
  enqueue(frame: Frame, nowNs: number): number {
    this.advance(nowNs);
    if (frame.wireBytes > this.maxWireBytes) return this.drop(PortDrop.frameTooLong);
    return frameType(frame.bytes) === FrameType.credit ? this.enqueueCredit(frame) : this.enqueueData(frame);
  }

  /** Starts every transmission that can start by `nowNs`. */
  advance(nowNs: number): void {
    if (nowNs > this.clockNs) this.clockNs = nowNs;
    while (this.nextStartNs <= this.clockNs) this.startNext();
  }

  /** The next frame whose transmission has started; null when there is none. */
  dequeue(): Frame | null {
    return this.started.shift() ?? null;
  }

  /** When the next queued frame can start; NEVER when nothing is queued. */
  nextTimeout(): number {
    return this.nextStartNs;
  }

  /** Other settings from `nowNs` on. Frames that have started keep their times; queued ones stay, even above a smaller limit. */
  configure(changes: Partial<PortConfig>, nowNs: number): void {
    this.advance(nowNs);
    this.config = { ...this.config, ...changes };
    this.maxWireBytes = wireBytes(this.config.maxFrameBytes);
    this.meter.configure(creditRateBps(this.config), this.config.creditBurstBytes, this.clockNs);
    this.schedule();
    this.advance(this.clockNs);
  }

  /** Empties both queues: the frames go to `lose`. What has started to be sent is on its way. */
  flush(lose: (frame: Frame) => void, nowNs: number): void {
    this.advance(nowNs);
    for (const queue of [this.credits, this.data]) {
      for (let frame = queue.shift(); frame !== undefined; frame = queue.shift()) lose(frame);
    }
    this.dataBytes = 0;
    this.statistics.setDataQueue(0, this.clockNs);
    this.statistics.setCreditQueue(0);
    this.schedule();
  }

  private enqueueCredit(frame: Frame): number {
    if (this.credits.length === 0 && this.isIdle() && this.meter.eligibleNs(frame.wireBytes) <= this.clockNs) {
      this.meter.spend(frame.wireBytes, this.clockNs);
      this.start(frame, this.clockNs);
      return 0;
    }
    if (this.credits.length >= this.config.creditQueueFrames || !this.credits.push(frame)) {
      return this.drop(PortDrop.creditQueueFull);
    }
    this.statistics.setCreditQueue(this.credits.length);
    this.schedule();
    return 0;
  }

  private enqueueData(frame: Frame): number {
    if (this.data.length === 0 && this.isIdle()) {
      this.start(frame, this.clockNs);
      if (this.credits.length > 0) this.schedule();
      return 0;
    }
    const queuedBytes = this.dataBytes + frame.wireBytes;
    if (queuedBytes > this.config.dataQueueBytes || !this.data.push(frame)) return this.drop(PortDrop.dataQueueFull);
    if (this.dataBytes > this.config.ecnThresholdBytes && markCe(frame.bytes)) this.statistics.ecnMarks++;
    this.dataBytes = queuedBytes;
    this.statistics.setDataQueue(queuedBytes, this.clockNs);
    if (this.nextStartNs === NEVER || this.nextIsCredit) this.schedule();
    return 0;
  }

  /** Whether the serialiser is free now; whatever was queued and could start has, since `advance` came first. */
  private isIdle(): boolean {
    return this.busyUntilNs <= this.clockNs;
  }

  private startNext(): void {
    const startNs = this.nextStartNs;
    const frame = (this.nextIsCredit ? this.credits : this.data).shift();
    assert(frame !== undefined, 'a scheduled start has a frame');
    if (this.nextIsCredit) {
      this.meter.spend(frame.wireBytes, startNs);
      this.statistics.setCreditQueue(this.credits.length);
    } else {
      this.dataBytes -= frame.wireBytes;
      this.statistics.setDataQueue(this.dataBytes, startNs);
    }
    this.start(frame, startNs);
    this.schedule();
  }

  private start(frame: Frame, startNs: number): void {
    const bytes = frame.wireBytes;
    this.busyUntilNs = startNs + transmissionNs(bytes, this.config.rateBps);
    frame.atNs = this.busyUntilNs + this.config.delayNs;
    this.statistics.countFrame(frameType(frame.bytes), bytes);
    assert(this.started.push(frame), 'frames that have started are taken before more than a full queue follow');
  }

  /**
   * Finds the next start: a credit goes first from the moment that the bucket holds it. PROTOCOL §9.2
   * Only what cannot start on arrival is queued, so none of these times lies before an arrival.
   */
  private schedule(): void {
    const creditNs = this.creditStartNs();
    const dataNs = this.data.length === 0 ? NEVER : this.busyUntilNs;
    this.nextIsCredit = creditNs <= dataNs;
    this.nextStartNs = this.nextIsCredit ? creditNs : dataNs;
  }

  private creditStartNs(): number {
    const head = this.credits.peek();
    if (head === undefined) return NEVER;
    return Math.max(this.busyUntilNs, this.meter.eligibleNs(head.wireBytes));
  }

  private drop(code: number): number {
    this.statistics.drops[code]++;
    return code;
  }
}

/** The part of the link that credits get. PROTOCOL §9.1 */
function creditRateBps(config: PortConfig): number {
  return config.rateBps * creditShare(config.maxFrameBytes);
}
