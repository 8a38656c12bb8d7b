import { jainIndex } from '../../sim/measure/jain.js';

/** What one interval brought. Times in seconds since the first began. */
export interface Interval {
  readonly startS: number;
  readonly endS: number;
  readonly bytes: number;
  readonly goodputBps: number;
  /** Goodput of each flow, bit/s. */
  readonly flows: readonly number[];
  /** NaN when nothing came. */
  readonly jain: number;
}

/** Cuts growing counts of bytes into intervals, each as long as it really was: timers are late. */
export class Intervals {
  private readonly startNs: number;
  private lastNs: number;
  private lastBytes: readonly number[];

  /** `bytes` is what each flow has brought by then. */
  constructor(startNs: number, bytes: readonly number[]) {
    this.startNs = startNs;
    this.lastNs = startNs;
    this.lastBytes = bytes;
  }

  /** Time since the last cut. */
  elapsedNs(nowNs: number): number {
    return nowNs - this.lastNs;
  }

  /** The interval that ends now; `bytes` is what each flow has brought in all. */
  cut(nowNs: number, bytes: readonly number[]): Interval {
    const seconds = (nowNs - this.lastNs) / 1e9;
    const newBytes = bytes.map((count, at) => count - this.lastBytes[at]);
    const total = newBytes.reduce((sum, count) => sum + count, 0);
    const interval = {
      startS: (this.lastNs - this.startNs) / 1e9,
      endS: (nowNs - this.startNs) / 1e9,
      bytes: total,
      goodputBps: (total * 8) / seconds,
      flows: newBytes.map((count) => (count * 8) / seconds),
      jain: jainIndex(newBytes),
    };
    this.lastNs = nowNs;
    this.lastBytes = bytes;
    return interval;
  }
}
