import { DurationHistogram, type Percentiles } from '../../shared/perf/histogram.js';
import { STAMP_BYTES, sharedMs } from './shared-clock.js';

/** What has come to a sink. */
export interface Arrived {
  readonly flows: number;
  readonly bytes: number;
  readonly completion: Percentiles;
}

/** Counts the bytes that come, and how long each stream took from its stamp to its end. */
export class MessageMeter {
  private readonly completions = new DurationHistogram();
  private flows = 0;
  private bytes = 0;
  private readonly longestBytes: number;
  private readonly nowMs: () => number;

  /** Streams beyond `longestBytes` count, but are not timed. */
  constructor(longestBytes = Number.POSITIVE_INFINITY, nowMs: () => number = sharedMs) {
    this.longestBytes = longestBytes;
    this.nowMs = nowMs;
  }

  /** For one stream. */
  open(): StreamMeter {
    return new StreamMeter(this);
  }

  /** What has come since it was last taken. */
  take(): Arrived {
    const { flows, bytes, completions } = this;
    const completion = completions.percentiles();
    this.forget();
    return { flows, bytes, completion };
  }

  /** Begins anew, which takes no time: `take` keeps the process from its flows for some milliseconds. */
  forget(): void {
    this.completions.reset();
    this.flows = 0;
    this.bytes = 0;
  }

  add(bytes: number): void {
    this.bytes += bytes;
  }

  end(sinceMs: number, bytes: number): void {
    this.flows++;
    if (bytes <= this.longestBytes) this.completions.record((this.nowMs() - sinceMs) * 1e6);
  }
}

/** One stream. */
export class StreamMeter {
  private readonly meter: MessageMeter;
  /** Made for the first bytes, and let go when it is whole: what an idle flow keeps is to be the transport's. */
  private stamp: Uint8Array | null = null;
  private sinceMs = 0;
  private have = 0;
  private bytes = 0;

  constructor(meter: MessageMeter) {
    this.meter = meter;
  }

  onData(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.meter.add(bytes.length);
    if (this.have === STAMP_BYTES) return;
    const count = Math.min(STAMP_BYTES - this.have, bytes.length);
    this.stamp ??= new Uint8Array(STAMP_BYTES);
    this.stamp.set(bytes.subarray(0, count), this.have);
    this.have += count;
    if (this.have < STAMP_BYTES) return;
    this.sinceMs = new DataView(this.stamp.buffer).getFloat64(0);
    this.stamp = null;
  }

  onEnd(): void {
    this.meter.end(this.sinceMs, this.bytes);
  }
}
