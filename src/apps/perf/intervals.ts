import { gauge, gauges, type Values } from '../../base/metric.js';
import { jainIndex } from '../../sim/measure/jain.js';

/** What one interval brought. */
export const INTERVAL_METRICS = {
  startS: gauge('s', 'Beginning, since that of the first interval'),
  endS: gauge('s', 'End, since the beginning of the first interval'),
  bytes: gauge('bytes', 'Payload that arrived in it'),
  goodputBps: gauge('bit/s', 'Payload over its length'),
  flows: gauges('bit/s', 'Goodput of each flow'),
  jain: gauge('share', "Jain's fairness index of the flows; null: nothing came"),
};

export type Interval = Readonly<Values<typeof INTERVAL_METRICS>>;

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
