// Tested by test/switch/fabric.test.ts

import { gauge, label, nullable, type Values } from '../base/metric.js';
import type { Random } from '../base/random.js';
import type { NumberRecord } from '../base/record-arena.js';
import { NEVER } from '../base/time.js';
import type { Frame } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import type { FrameTap } from '../wire/frame-tap.js';
import { thresholdBytes } from './data-marking.js';
import { type Impairment, type ImpairmentConfig, NO_IMPAIRMENT } from './impairment.js';
import { Port, type PortConfig } from './port.js';
import { PortField as F, newPortRecord, type PortRecords } from './port-record.js';
import { PORT_METRICS, PortStatistics } from './port-statistics.js';

/** Frames on their way along one direction: 10 Gbit/s of full frames for 20 ms (ours). */
export const MAX_LINE_FRAMES = 16_384;
/** Frames that reordering holds back at a time (ours: each is placed by a search through the others). */
export const MAX_HELD_FRAMES = 256;

const { nextArrivalNs: NEXT, lastArrivalNs: LAST } = F;

/**
 * Frames on one direction of a link, by `atNs`. Only reordered frames leave the order of the queue. The record has the next one's time, so that nobody reads
 * the frame for it.
 */
export class DelayLine extends FrameQueue {
  /** Latest first, so that the next one is at the end; null until there was one. */
  private held: Frame[] | null = null;
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly earlyNs: number;

  /** Frames may be taken off `earlyNs` before they arrive. */
  constructor({ numbers, at }: NumberRecord = newPortRecord(), earlyNs = 0) {
    super();
    this.numbers = numbers;
    this.at = at;
    this.earlyNs = earlyNs;
    numbers[at + NEXT] = NEVER;
  }

  override get length(): number {
    return super.length + (this.held === null ? 0 : this.held.length);
  }

  /** Whether no frame is on its way but those held back, which others may overtake. */
  get isClear(): boolean {
    return super.length === 0;
  }

  /** Makes the frame arrive no earlier than the one before it: a link whose delay shrinks or jitters does not reorder. */
  keepOrder(frame: Frame): void {
    const { numbers, at } = this;
    if (frame.atNs < numbers[at + LAST]) frame.atNs = numbers[at + LAST];
    else numbers[at + LAST] = frame.atNs;
  }

  /** Takes a frame that has been through `keepOrder`; false when there are too many. */
  override push(frame: Frame): boolean {
    const inOrder = super.length;
    if (inOrder >= MAX_LINE_FRAMES) return false;
    super.push(frame);
    if (inOrder === 0) this.noteNext();
    return true;
  }

  /** Takes a frame that the frames behind it may overtake; false when there are too many. */
  hold(frame: Frame): boolean {
    this.held ??= [];
    const { held } = this;
    if (held.length >= MAX_HELD_FRAMES) return false;
    let place = held.length;
    while (place > 0 && held[place - 1].atNs <= frame.atNs) place--;
    held.splice(place, 0, frame);
    this.noteNext();
    return true;
  }

  /** When the next frame is to be taken off; NEVER when there is none. */
  nextNs(): number {
    return this.numbers[this.at + NEXT];
  }

  /** Takes off the frame that arrives next; null when there is none. */
  override shift(): Frame | null {
    const frame = this.isHeldNext() ? this.shiftHeld() : super.shift();
    this.noteNext();
    return frame;
  }

  private isHeldNext(): boolean {
    const { held } = this;
    if (held === null || held.length === 0) return false;
    const first = this.peek();
    return first === null || held[held.length - 1].atNs < first.atNs;
  }

  private shiftHeld(): Frame | null {
    return this.held?.pop() ?? null;
  }

  private noteNext(): void {
    const next = this.isHeldNext() ? (this.held as Frame[])[(this.held as Frame[]).length - 1] : this.peek();
    this.numbers[this.at + NEXT] = next === null ? NEVER : next.atNs - this.earlyNs;
  }
}

/** Where one direction of a link runs. */
export interface DirectionPlace {
  /** `from->to`, unique in the fabric. */
  readonly name: string;
  readonly link: string;
  readonly from: string;
  readonly to: string;
  /** Its place in the fabric's table. */
  readonly index: number;
  /** The switch that it leads to; -1 where it leaves the fabric. */
  readonly toSwitch: number;
  /** The fabric's port by which it leaves; -1 where it leads to a switch. */
  readonly exitPort: number;
  /** Neither end is a host; what is behind a trunk are switches. */
  readonly isBetweenSwitches: boolean;
  /** False where the sending end is in another process, whose own port has metered and serialised. */
  readonly hasPort: boolean;
  /** False where a trunk comes in: the process at its other end adds the delay of what it sends, as this one does. */
  readonly addsDelay: boolean;
}

/** One direction of a link: its settings, and what its port counts. */
export const DIRECTION_METRICS = {
  name: label('Direction, as from->to'),
  link: label('Link'),
  from: label('Host or switch at the sending end'),
  to: label('Host or switch at the other end'),
  rateBps: nullable(gauge('bit/s', 'Rate; null: unlimited')),
  delayNs: gauge('ns', 'Propagation delay'),
  impairment: label('Impairments as they are set (docs/SCENARIOS.md); times in ns', NO_IMPAIRMENT),
  dataQueueBytesLimit: gauge('bytes', 'What the data queue holds at most'),
  markThresholdBytes: nullable(
    gauge('bytes', 'Data queue from which frames are marked CE (PROTOCOL §9.3); null: never'),
  ),
  creditQueueFramesLimit: gauge('credits', 'What the credit queue holds at most, of each class'),
  ...PORT_METRICS,
};

/** One direction of a link as plain JSON. */
export type DirectionSnapshot = Values<typeof DIRECTION_METRICS>;

export interface DirectionOptions {
  config: PortConfig;
  impairment: Impairment;
  /** For marking credits. */
  random: Random;
  /** How long before its arrival a frame that leaves the fabric is handed over. */
  earlyNs: number;
  /** Of the fabric. */
  records: PortRecords;
}

/**
 * One direction of a link: the port that sends into it, what it does to frames, and the frames on their way along it. Port, line and statistics share
 * a record.
 */
export class LinkDirection {
  // What each frame needs comes first, as in a port.
  readonly numbers: Float64Array;
  readonly at: number;
  readonly line: DelayLine;
  /** Its impairment does something. */
  isImpaired: boolean;
  readonly port: Port | null;
  /** Of its place. */
  readonly index: number;
  readonly toSwitch: number;
  readonly exitPort: number;
  readonly earlyNs: number;
  readonly place: DirectionPlace;
  readonly impairment: Impairment;
  readonly statistics: PortStatistics;
  private config: PortConfig;
  private watcher: FrameTap | null = null;

  constructor(place: DirectionPlace, { config, impairment, random, earlyNs, records }: DirectionOptions) {
    const record = records.take();
    const statistics = new PortStatistics(record);
    this.numbers = record.numbers;
    this.at = record.at;
    this.earlyNs = place.exitPort < 0 ? 0 : earlyNs;
    this.line = new DelayLine(record, this.earlyNs);
    this.isImpaired = impairment.active;
    this.port = place.hasPort ? new Port(config, statistics, random) : null;
    this.index = place.index;
    this.toSwitch = place.toSwitch;
    this.exitPort = place.exitPort;
    this.place = place;
    this.impairment = impairment;
    this.statistics = statistics;
    this.config = config;
    this.numbers[this.at + F.deadlineNs] = this.numbers[this.at + F.nextStartNs] = NEVER;
    this.numbers[this.at + F.linkDelayNs] = place.addsDelay ? config.delayNs : 0;
  }

  get settings(): Readonly<PortConfig> {
    return this.config;
  }

  /** Sees every frame of the direction. */
  get tap(): FrameTap | null {
    return this.watcher;
  }

  set tap(tap: FrameTap | null) {
    this.watcher = tap;
    if (this.port !== null) this.port.tap = tap;
  }

  /** Propagation from one end to the other, as far as it is added here. */
  get delayNs(): number {
    return this.numbers[this.at + F.linkDelayNs];
  }

  /** Its impairment loses everything. */
  get isCut(): boolean {
    return this.impairment.settings.down;
  }

  /** Paths may go through it, since it is not a host's; a trunk leads to switches of another process. */
  get isBetweenSwitches(): boolean {
    return this.place.isBetweenSwitches;
  }

  /** What the fabric's heap holds for this direction. */
  get deadlineNs(): number {
    return this.numbers[this.at + F.deadlineNs];
  }

  configure(port: Partial<PortConfig>, impairment: Partial<ImpairmentConfig>, nowNs: number): void {
    this.config = { ...this.config, ...port };
    this.numbers[this.at + F.linkDelayNs] = this.place.addsDelay ? this.config.delayNs : 0;
    this.impairment.configure(impairment);
    this.isImpaired = this.impairment.active;
    this.port?.configure(port, nowNs);
  }

  /** When something happens here next: a transmission starts or a frame arrives. */
  nextTimeout(): number {
    return Math.min(this.numbers[this.at + F.nextArrivalNs], this.numbers[this.at + F.nextStartNs]);
  }

  snapshot(nowNs: number): DirectionSnapshot {
    const { name, link, from, to } = this.place;
    const { config, delayNs } = this;
    const threshold = thresholdBytes(config);
    return {
      ...{ name, link, from, to, delayNs },
      rateBps: Number.isFinite(config.rateBps) ? config.rateBps : null,
      impairment: this.impairment.settings,
      dataQueueBytesLimit: config.dataQueueBytes,
      markThresholdBytes: Number.isFinite(threshold) ? threshold : null,
      creditQueueFramesLimit: config.creditQueueFrames,
      ...this.statistics.snapshot(nowNs),
    };
  }
}
