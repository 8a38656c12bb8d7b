// Tested by test/apps/bench/flows/meters.test.ts

import type { FlowObserver } from '../../../core/flow-callbacks.js';
import { DurationHistogram, type Percentiles } from '../../../services/perf/histogram.js';
import type { FlowsOrder, GapErrors } from './orders.js';

/** Milliseconds of the machine's monotonic clock, which is one for all processes of a machine: `performance.now` counts from the start of each. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Bytes of the time at which a flow was opened, with which its stream begins. */
export const STAMP_BYTES = 8;

/** A message that begins with the time now. */
export function stamped(bytes: number): Uint8Array {
  const message = new Uint8Array(bytes);
  new DataView(message.buffer).setFloat64(0, sharedMs());
  return message;
}

/** What has come to a sink. */
export interface Arrived {
  readonly flows: number;
  readonly bytes: number;
  readonly completion: Percentiles;
}

type MeterOptions = Partial<Pick<FlowsOrder, 'longestBytes' | 'messageBytes'>>;

/** Counts the bytes that come, and how long each stream took from its stamp to its end. */
export class MessageMeter {
  private readonly completions = new DurationHistogram();
  private flows = 0;
  private bytes = 0;
  private readonly longestBytes: number;
  /** Infinity where a stream is one message. */
  readonly messageBytes: number;
  private readonly nowMs: () => number;

  /** Streams beyond `longestBytes` count, but are not timed. */
  constructor({ longestBytes, messageBytes }: MeterOptions = {}, nowMs: () => number = sharedMs) {
    this.longestBytes = longestBytes ?? Number.POSITIVE_INFINITY;
    this.messageBytes = messageBytes ?? Number.POSITIVE_INFINITY;
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
    const { messageBytes } = this.meter;
    this.meter.add(bytes.length);
    let rest = bytes;
    while (this.bytes + rest.length > messageBytes) {
      const leftBytes = messageBytes - this.bytes;
      this.take(rest.subarray(0, leftBytes));
      rest = rest.subarray(leftBytes);
    }
    this.take(rest);
  }

  onEnd(): void {
    // A row ends behind its last message.
    if (this.bytes > 0 || this.meter.messageBytes === Number.POSITIVE_INFINITY) this.endMessage();
  }

  /** Bytes of one message. */
  private take(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.have < STAMP_BYTES) this.readStamp(bytes);
    if (this.bytes === this.meter.messageBytes) this.endMessage();
  }

  private endMessage(): void {
    this.meter.end(this.sinceMs, this.bytes);
    this.bytes = 0;
    this.have = 0;
  }

  private readStamp(bytes: Uint8Array): void {
    const count = Math.min(STAMP_BYTES - this.have, bytes.length);
    this.stamp ??= new Uint8Array(STAMP_BYTES);
    this.stamp.set(bytes.subarray(0, count), this.have);
    this.have += count;
    if (this.have < STAMP_BYTES) return;
    this.sinceMs = new DataView(this.stamp.buffer).getFloat64(0);
    this.stamp = null;
  }
}

/** How far the gaps between the credits of a flow are from what they should be. */
export class GapMeter implements FlowObserver {
  private readonly idealNs: number;
  private readonly errors = new DurationHistogram();
  private count = 0;
  private sumNs = 0;
  private squares = 0;
  private lastNs = Number.NaN;

  constructor(idealNs: number) {
    this.idealNs = idealNs;
  }

  onCredit(nowNs: number): void {
    const errorNs = nowNs - this.lastNs - this.idealNs;
    this.lastNs = nowNs;
    if (Number.isNaN(errorNs)) return;
    this.count++;
    this.sumNs += errorNs;
    this.squares += errorNs * errorNs;
    this.errors.record(Math.abs(errorNs));
  }

  onAck(): void {}

  onRtt(): void {}

  /** What was measured since it was last taken; the deviation is that of the gaps from their own mean. */
  take(): GapErrors {
    const { count, sumNs, squares, errors } = this;
    const variance = squares / count - (sumNs / count) ** 2;
    const taken = { count, deviationUs: Math.sqrt(Math.max(0, variance)) / 1e3, p99Us: errors.percentiles().p99 };
    this.forget();
    return taken;
  }

  /** Begins anew, which takes no time: `take` keeps the process from its credits for some milliseconds. */
  forget(): void {
    this.errors.reset();
    this.count = 0;
    this.sumNs = 0;
    this.squares = 0;
  }
}
