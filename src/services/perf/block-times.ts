import type { DurationHistogram } from './histogram.js';

/** Blocks on their way of which the times are kept: 64 kB (ours). Small blocks beyond are not measured. */
const MAX_OPEN = 4_096;

/** Measures the blocks of one flow: each from the writing of its first byte to the acknowledgement of its last. */
export class BlockTimes {
  private readonly lengthBytes: number;
  private readonly histogram: DurationHistogram;
  private readonly startsNs = new Float64Array(MAX_OPEN);
  private readonly ends = new Float64Array(MAX_OPEN);
  private oldest = 0;
  private open = 0;
  /** Where the first block that has not begun begins. */
  private next = 0;
  private writtenBytes = 0;

  constructor(lengthBytes: number, histogram: DurationHistogram) {
    this.lengthBytes = lengthBytes;
    this.histogram = histogram;
  }

  /** The flow's bytes up to here are being written. */
  write(toBytes: number, nowNs: number): void {
    this.writtenBytes = Math.max(this.writtenBytes, toBytes);
    for (; this.next < toBytes; this.next += this.lengthBytes) {
      if (this.open === MAX_OPEN) continue;
      const at = (this.oldest + this.open) % MAX_OPEN;
      this.startsNs[at] = nowNs;
      this.ends[at] = this.next + this.lengthBytes;
      this.open++;
    }
  }

  /** The receiver has the bytes up to here. Those that began before `fromNs` are not measured. */
  acknowledge(toBytes: number, nowNs: number, fromNs: number): void {
    for (; this.open > 0 && this.ends[this.oldest] <= toBytes; this.open--) {
      const startNs = this.startsNs[this.oldest];
      if (startNs >= fromNs) this.histogram.record(nowNs - startNs);
      this.oldest = (this.oldest + 1) % MAX_OPEN;
    }
  }

  /** The flow has ended in order. The last block may be shorter, where the flow was to end there. */
  end(isWhole: boolean, nowNs: number, fromNs: number): void {
    this.acknowledge(isWhole ? Number.POSITIVE_INFINITY : this.writtenBytes, nowNs, fromNs);
  }
}
