import { FrameType } from '../wire/layout.js';

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
  /** Every other type: requests, acknowledgements, stops, resets. */
  control: ClassSnapshot;
  /** Only the reasons that occurred. */
  drops: Record<string, number>;
  ecnMarks: number;
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

/** What happened at one port, or on one direction of a link. Counters are plain fields: they are on the path of every frame. */
export class PortStatistics {
  /** By PortDrop code. */
  readonly drops = new Float64Array(PORT_DROP_NAMES.length);
  ecnMarks = 0;
  duplicated = 0;
  reordered = 0;
  corrupted = 0;

  private dataFrames = 0;
  private dataBytes = 0;
  private creditFrames = 0;
  private creditBytes = 0;
  private controlFrames = 0;
  private controlBytes = 0;

  private queueBytes = 0;
  private queueBytesMax = 0;
  /** The same since `takeQueuePeak`. */
  private queuePeakBytes = 0;
  /** Integral of the data queue over time, byte nanoseconds, up to `integratedNs`. */
  private queueArea = 0;
  private integratedNs = 0;
  private sinceNs = 0;
  private creditQueueFrames = 0;
  private creditQueueFramesMax = 0;

  /** One frame of `type` whose transmission starts. */
  countFrame(type: number, wireBytes: number): void {
    if (type === FrameType.data) {
      this.dataFrames++;
      this.dataBytes += wireBytes;
    } else if (type === FrameType.credit) {
      this.creditFrames++;
      this.creditBytes += wireBytes;
    } else {
      this.controlFrames++;
      this.controlBytes += wireBytes;
    }
  }

  /** The data queue holds `bytes` from `nowNs` on; times never go back. */
  setDataQueue(bytes: number, nowNs: number): void {
    this.integrate(nowNs);
    this.queueBytes = bytes;
    if (bytes > this.queueBytesMax) this.queueBytesMax = bytes;
    if (bytes > this.queuePeakBytes) this.queuePeakBytes = bytes;
  }

  /** The most that the data queue held since the last call: one sample of a series. */
  takeQueuePeak(): number {
    const peakBytes = this.queuePeakBytes;
    this.queuePeakBytes = this.queueBytes;
    return peakBytes;
  }

  /** Wire bytes of data frames since the last reset. */
  get dataWireBytes(): number {
    return this.dataBytes;
  }

  get creditQueueLength(): number {
    return this.creditQueueFrames;
  }

  setCreditQueue(frames: number): void {
    this.creditQueueFrames = frames;
    if (frames > this.creditQueueFramesMax) this.creditQueueFramesMax = frames;
  }

  /** Starts counting anew at `nowNs`; high-water marks start at what is queued now. */
  reset(nowNs: number): void {
    this.integrate(nowNs);
    this.drops.fill(0);
    this.ecnMarks = this.duplicated = this.reordered = this.corrupted = 0;
    this.dataFrames = this.creditFrames = this.controlFrames = 0;
    this.dataBytes = this.creditBytes = this.controlBytes = 0;
    this.queueBytesMax = this.queueBytes;
    this.creditQueueFramesMax = this.creditQueueFrames;
    this.queueArea = 0;
    this.sinceNs = this.integratedNs;
  }

  snapshot(nowNs: number): PortSnapshot {
    this.integrate(nowNs);
    const spanNs = this.integratedNs - this.sinceNs;
    return {
      data: { frames: this.dataFrames, wireBytes: this.dataBytes },
      credit: { frames: this.creditFrames, wireBytes: this.creditBytes },
      control: { frames: this.controlFrames, wireBytes: this.controlBytes },
      drops: this.namedDrops(),
      ecnMarks: this.ecnMarks,
      duplicated: this.duplicated,
      reordered: this.reordered,
      corrupted: this.corrupted,
      dataQueueBytes: this.queueBytes,
      dataQueueBytesMax: this.queueBytesMax,
      dataQueueBytesMean: spanNs > 0 ? this.queueArea / spanNs : this.queueBytes,
      creditQueueFrames: this.creditQueueFrames,
      creditQueueFramesMax: this.creditQueueFramesMax,
    };
  }

  private integrate(nowNs: number): void {
    if (nowNs <= this.integratedNs) return;
    this.queueArea += this.queueBytes * (nowNs - this.integratedNs);
    this.integratedNs = nowNs;
  }

  private namedDrops(): Record<string, number> {
    const named: Record<string, number> = {};
    for (let code = 1; code < this.drops.length; code++) {
      if (this.drops[code] > 0) named[PORT_DROP_NAMES[code]] = this.drops[code];
    }
    return named;
  }
}
