import { counter, counters, gauge, group, initialValues, namedCounts, type Values } from '../base/metric.js';
import type { NumberRecord } from '../base/record-arena.js';
import { FrameType } from '../wire/layout.js';
import { PortField as F, newPortRecord } from './port-record.js';

/** Why a port, or the switch behind it, dropped a frame. A drop code is an index of `PortStatistics.drops`; 0 means taken. */
export const PortDrop = {
  creditQueueFull: 1,
  dataQueueFull: 2,
  /** Longer than the link's maximum frame, which would take more of the link than its credit paid for; or a credit longer than any can be. */
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
  /** Longer than what the link carries by its impairment. */
  mtu: 16,
} as const;

/** Names by drop code. */
export const PORT_DROP_NAMES: readonly string[] = ['taken', ...Object.keys(PortDrop)];

const CLASS_METRICS = {
  frames: counter('frames', 'Frames whose transmission began'),
  wireBytes: counter('bytes', 'Their bytes on the wire (PROTOCOL §1.1)'),
};

/** What one port counts since the last reset. Those that are numbers stand under their names in the port's record. */
export const PORT_METRICS = {
  data: group('Data frames', CLASS_METRICS),
  credit: group('Credits', CLASS_METRICS),
  lowCredit: group('Credits of the low class among them (PROTOCOL §9.8)', CLASS_METRICS),
  control: group('Every other type: requests, acknowledgements, stops, resets', CLASS_METRICS),
  drops: counters('frames', 'reason', 'Dropped frames, the reasons that occurred'),
  ecnMarks: counter('frames', 'Frames marked CE'),
  creditMarks: counter('credits', 'Credits marked because others were dropped'),
  sprayedFrames: counter(
    'frames',
    'Frames with a path id: between switches, those that came by it and not by their flow',
  ),
  duplicated: counter('frames', 'Frames duplicated by an impairment'),
  reordered: counter('frames', 'Frames held back by an impairment'),
  corrupted: counter('frames', 'Frames corrupted by an impairment'),
  dataQueueBytes: gauge('bytes', 'Data queue, wire bytes'),
  dataQueueBytesMax: gauge('bytes', 'Largest data queue, wire bytes', 'max'),
  dataQueueBytesMean: gauge('bytes', 'Mean data queue over time, wire bytes', 'mean'),
  creditQueueFrames: gauge('credits', 'Credit queue'),
  creditQueueFramesMax: gauge('credits', 'Longest credit queue', 'max'),
};

/** One port's counts as plain JSON. */
export type PortSnapshot = Values<typeof PORT_METRICS>;

/** Copied for each snapshot: the checks of random worlds take two of every port after each event. */
const EMPTY_SNAPSHOT = initialValues(PORT_METRICS);

/** In the record, the bytes of a class stand behind its frames. */
const BYTES_AFTER_FRAMES = 1;

const CLASS_FRAMES = [F.dataFrames, F.creditFrames, F.lowCreditFrames, F.controlFrames];

/** Metrics that the record has under the same name. */
type RecordField = Exclude<keyof typeof F & keyof PortSnapshot, 'drops'>;
const RECORD_FIELDS = Object.keys(PORT_METRICS).filter((name): name is RecordField => name in F && name !== 'drops');

/** What `reset` sets to zero, the drops aside. */
const COUNTERS: readonly number[] = [
  ...RECORD_FIELDS.filter((name) => PORT_METRICS[name].kind === 'counter').map((name) => F[name]),
  ...CLASS_FRAMES.flatMap((frames) => [frames, frames + BYTES_AFTER_FRAMES]),
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

  /** One more in a field of the record. */
  count(field: number): void {
    this.numbers[this.at + field]++;
  }

  /** A field of the record. */
  read(field: number): number {
    return this.numbers[this.at + field];
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
    numbers[at + F.dataQueueBytes] = bytes;
    if (bytes > numbers[at + F.dataQueueBytesMax]) numbers[at + F.dataQueueBytesMax] = bytes;
    if (bytes > numbers[at + F.queuePeakBytes]) numbers[at + F.queuePeakBytes] = bytes;
  }

  /** The most that the data queue held since the last call: one sample of a series. */
  takeQueuePeak(): number {
    const { numbers, at } = this;
    const peakBytes = numbers[at + F.queuePeakBytes];
    numbers[at + F.queuePeakBytes] = numbers[at + F.dataQueueBytes];
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
    numbers[at + F.dataQueueBytesMax] = numbers[at + F.dataQueueBytes];
    numbers[at + F.creditQueueFramesMax] = numbers[at + F.creditQueueFrames];
    numbers[at + F.sinceNs] = numbers[at + F.integratedNs];
  }

  snapshot(nowNs: number): PortSnapshot {
    this.integrate(nowNs);
    const spanNs = this.read(F.integratedNs) - this.read(F.sinceNs);
    const snapshot = { ...EMPTY_SNAPSHOT };
    for (const name of RECORD_FIELDS) snapshot[name] = this.read(F[name]);
    return Object.assign(snapshot, {
      data: this.classSnapshot(F.dataFrames),
      credit: this.classSnapshot(F.creditFrames),
      lowCredit: this.classSnapshot(F.lowCreditFrames),
      control: this.classSnapshot(F.controlFrames),
      drops: namedCounts(PORT_DROP_NAMES, this.drops),
      dataQueueBytesMean: spanNs > 0 ? this.read(F.queueArea) / spanNs : snapshot.dataQueueBytes,
    });
  }

  private classSnapshot(frames: number): Values<typeof CLASS_METRICS> {
    return { frames: this.read(frames), wireBytes: this.read(frames + BYTES_AFTER_FRAMES) };
  }

  private integrate(nowNs: number): void {
    const { numbers, at } = this;
    const sinceNs = numbers[at + F.integratedNs];
    if (nowNs <= sinceNs) return;
    numbers[at + F.queueArea] += numbers[at + F.dataQueueBytes] * (nowNs - sinceNs);
    numbers[at + F.integratedNs] = nowNs;
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
