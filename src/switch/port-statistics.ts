import type { NumberRecord } from '../base/record-arena.js';
import * as layout from '../wire/layout.js';
import * as portRecord from './port-record.js';
import { newPortRecord } from './port-record.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { FrameType } = layout;
const { PortField: F } = portRecord;

/** Why a port, or the switch behind it, dropped a frame. A drop code is an index of `PortStatistics.drops`; 0 means taken. */
export const PortDrop = {
  creditQueueFull: 1,
  dataQueueFull: 2,
  /** Longer than the link's maximum frame: it would take more of the link than its credit paid for. */
  frameTooLong: 3,
  /** The link was set down. */
  down: 4,
  /** Random loss. */
  lost: 5,
  /** Loss in the bad state of the burst model. */
  burstLost: 6,
  /** Corrupted in a world without checks, where the drop stands for the receiver's. */
  corrupted: 7,
  /** More frames on the way along one link than the fabric keeps. */
  lineFull: 8,
  noRoute: 9,
  hopLimit: 10,
  /** Nobody is attached to the host port by which the frame would leave. */
  notAttached: 11,
  /** More frames ready to leave the fabric than it keeps. */
  outputFull: 12,
  /** Was in a switch that was stopped, or came to it. */
  switchDown: 13,
  /** A speculative frame that found more in the data queue than such a frame may. */
  speculative: 14,
  /** A credit of the low class that found its queue full. */
  lowCreditQueueFull: 15,
} as const;

/** Names by drop code. */
export const PORT_DROP_NAMES: readonly string[] = ['taken', ...Object.keys(PortDrop)];

/** Frames and wire bytes of one class. */
export interface ClassSnapshot {
  frames: number;
  wireBytes: number;
}

/** One port's counters as plain JSON: sizes in wire bytes (PROTOCOL §1.1), counted since the last reset. */
export interface PortSnapshot {
  data: ClassSnapshot;
  credit: ClassSnapshot;
  /** Those of the low class among them. PROTOCOL §9.8 */
  lowCredit: ClassSnapshot;
  /** Every other type: requests, acknowledgements, stops, resets. */
  control: ClassSnapshot;
  /** Only the reasons that occurred. */
  drops: Record<string, number>;
  ecnMarks: number;
  /** Credits marked because others were dropped. */
  creditMarks: number;
  /** Frames that carried a path id: on a link between switches, those that came here by it and not by their flow. */
  sprayedFrames: number;
  duplicated: number;
  reordered: number;
  corrupted: number;
  dataQueueBytes: number;
  dataQueueBytesMax: number;
  /** Over time since the last reset. */
  dataQueueBytesMean: number;
  creditQueueFrames: number;
  creditQueueFramesMax: number;
}

/** In the record, the bytes of a class stand behind its frames. */
const BYTES_AFTER_FRAMES = 1;

/** What `reset` sets to zero, the drops aside. */
const COUNTERS = [
  F.ecnMarks,
  F.creditMarks,
  F.sprayedFrames,
  F.duplicated,
  F.reordered,
  F.corrupted,
  F.dataFrames,
  F.dataBytes,
  F.creditFrames,
  F.creditBytes,
  F.lowCreditFrames,
  F.lowCreditBytes,
  F.controlFrames,
  F.controlBytes,
  F.queueArea,
];

/** What happened at one port, or on one direction of a link: counters in its record, since they are on the path of every frame. */
export class PortStatistics {
  readonly record: NumberRecord;
  private readonly numbers: Float64Array;
  private readonly at: number;

  constructor(record: NumberRecord = newPortRecord()) {
    this.record = record;
    this.numbers = record.numbers;
    this.at = record.at;
  }

  /** One frame of `type` whose transmission starts. */
  countFrame(type: number, wireBytes: number): void {
    countFrame(this.numbers, this.at, type, wireBytes);
  }

  /** `code` is a PortDrop code. */
  countDrop(code: number): void {
    this.numbers[this.at + F.drops + code]++;
  }

  countMark(): void {
    this.numbers[this.at + F.ecnMarks]++;
  }

  countCreditMark(): void {
    this.numbers[this.at + F.creditMarks]++;
  }

  countSprayed(): void {
    this.numbers[this.at + F.sprayedFrames]++;
  }

  countDuplicated(): void {
    this.numbers[this.at + F.duplicated]++;
  }

  countReordered(): void {
    this.numbers[this.at + F.reordered]++;
  }

  countCorrupted(): void {
    this.numbers[this.at + F.corrupted]++;
  }

  get ecnMarks(): number {
    return this.numbers[this.at + F.ecnMarks];
  }

  get duplicated(): number {
    return this.numbers[this.at + F.duplicated];
  }

  get reordered(): number {
    return this.numbers[this.at + F.reordered];
  }

  get corrupted(): number {
    return this.numbers[this.at + F.corrupted];
  }

  /** By PortDrop code; a new view for each call. */
  get drops(): Float64Array {
    const first = this.at + F.drops;
    return this.numbers.subarray(first, first + PORT_DROP_NAMES.length);
  }

  /** Wire bytes of data frames since the last reset. */
  get dataWireBytes(): number {
    return this.numbers[this.at + F.dataBytes];
  }

  get creditQueueLength(): number {
    return this.numbers[this.at + F.creditQueueFrames];
  }

  /** The data queue holds `bytes` from `nowNs` on; times never go back. */
  setDataQueue(bytes: number, nowNs: number): void {
    const { numbers, at } = this;
    this.integrate(nowNs);
    numbers[at + F.queueBytes] = bytes;
    if (bytes > numbers[at + F.queueBytesMax]) numbers[at + F.queueBytesMax] = bytes;
    if (bytes > numbers[at + F.queuePeakBytes]) numbers[at + F.queuePeakBytes] = bytes;
  }

  /** The most that the data queue held since the last call: one sample of a series. */
  takeQueuePeak(): number {
    const { numbers, at } = this;
    const peakBytes = numbers[at + F.queuePeakBytes];
    numbers[at + F.queuePeakBytes] = numbers[at + F.queueBytes];
    return peakBytes;
  }

  setCreditQueue(frames: number): void {
    const { numbers, at } = this;
    numbers[at + F.creditQueueFrames] = frames;
    if (frames > numbers[at + F.creditQueueFramesMax]) numbers[at + F.creditQueueFramesMax] = frames;
  }

  /** Starts counting anew at `nowNs`; high-water marks start at what is queued now. */
  reset(nowNs: number): void {
    const { numbers, at } = this;
    this.integrate(nowNs);
    this.drops.fill(0);
    for (const counter of COUNTERS) numbers[at + counter] = 0;
    numbers[at + F.queueBytesMax] = numbers[at + F.queueBytes];
    numbers[at + F.creditQueueFramesMax] = numbers[at + F.creditQueueFrames];
    numbers[at + F.sinceNs] = numbers[at + F.integratedNs];
  }

  snapshot(nowNs: number): PortSnapshot {
    const { numbers, at } = this;
    this.integrate(nowNs);
    const queueBytes = numbers[at + F.queueBytes];
    const spanNs = numbers[at + F.integratedNs] - numbers[at + F.sinceNs];
    return {
      data: this.classSnapshot(F.dataFrames),
      credit: this.classSnapshot(F.creditFrames),
      lowCredit: this.classSnapshot(F.lowCreditFrames),
      control: this.classSnapshot(F.controlFrames),
      drops: this.namedDrops(),
      ecnMarks: this.ecnMarks,
      creditMarks: numbers[at + F.creditMarks],
      sprayedFrames: numbers[at + F.sprayedFrames],
      duplicated: this.duplicated,
      reordered: this.reordered,
      corrupted: this.corrupted,
      dataQueueBytes: queueBytes,
      dataQueueBytesMax: numbers[at + F.queueBytesMax],
      dataQueueBytesMean: spanNs > 0 ? numbers[at + F.queueArea] / spanNs : queueBytes,
      creditQueueFrames: this.creditQueueLength,
      creditQueueFramesMax: numbers[at + F.creditQueueFramesMax],
    };
  }

  private classSnapshot(first: number): ClassSnapshot {
    const place = this.at + first;
    return { frames: this.numbers[place], wireBytes: this.numbers[place + BYTES_AFTER_FRAMES] };
  }

  private integrate(nowNs: number): void {
    const { numbers, at } = this;
    const sinceNs = numbers[at + F.integratedNs];
    if (nowNs <= sinceNs) return;
    numbers[at + F.queueArea] += numbers[at + F.queueBytes] * (nowNs - sinceNs);
    numbers[at + F.integratedNs] = nowNs;
  }

  private namedDrops(): Record<string, number> {
    const { drops } = this;
    const named: Record<string, number> = {};
    for (let code = 1; code < drops.length; code++) {
      if (drops[code] > 0) named[PORT_DROP_NAMES[code]] = drops[code];
    }
    return named;
  }
}

/** What `PortStatistics.countFrame` does, for those that have the record at hand. */
export function countFrame(numbers: Float64Array, at: number, type: number, wireBytes: number): void {
  const isData = type === FrameType.data || type === FrameType.speculativeData;
  const frames = at + (isData ? F.dataFrames : type === FrameType.credit ? F.creditFrames : F.controlFrames);
  numbers[frames]++;
  numbers[frames + BYTES_AFTER_FRAMES] += wireBytes;
}

/** A credit of the low class whose transmission starts, beside `countFrame`. */
export function countLowCredit(numbers: Float64Array, at: number, wireBytes: number): void {
  numbers[at + F.lowCreditFrames]++;
  numbers[at + F.lowCreditBytes] += wireBytes;
}
