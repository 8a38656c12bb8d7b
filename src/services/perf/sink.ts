// Tested by test/services/perf/service.test.ts

import { countedSince, initialValues } from '../../base/metric.js';
import { NEVER } from '../../base/time.js';
import type { FlowObserver } from '../../core/flow-callbacks.js';
import { RECEIVER_METRICS, type ReceiverStatistics } from '../../core/receiver-statistics.js';
import type { Receiver } from '../../net/receiver.js';
import type { Fault } from '../file/fault.js';
import type { TransferBody } from '../file/transfer-reader.js';
import type { DurationHistogram } from './histogram.js';

/** Of a flow before its measurement. */
export const NOTHING_RECEIVED: Readonly<ReceiverStatistics> = initialValues(RECEIVER_METRICS);

export interface SinkOptions {
  readonly receiver: Receiver;
  now(): number;
  /** Time after the first byte that is not measured. */
  readonly omitNs: number;
  /** RTTs, and gaps between credits on their way out, of all flows of a test. */
  readonly rtts: DurationHistogram;
  readonly gaps: DurationHistogram;
  /** What comes, before it is let go. */
  onBytes?(bytes: Uint8Array): void;
  /** The stream has ended, or will not. */
  onDone(fault: Fault | null): void;
}

/** Takes one flow's data, counts it and lets it go. */
export class PerfSink implements TransferBody, FlowObserver {
  readonly bodyBytes = Number.POSITIVE_INFINITY;
  readonly hasTrailer = false;
  /** All that has come, what is not measured too. */
  bytes = 0;
  /** When the measurement began, with the first byte or later; NEVER before. */
  firstNs = NEVER;
  /** When the stream ended; NEVER before. */
  lastNs = NEVER;
  private readonly options: SinkOptions;
  private lastCreditNs = NEVER;
  /** When the measurement begins; NEVER before the first byte. */
  private measureFromNs = NEVER;
  private bytesBefore = 0;
  private statisticsBefore: ReceiverStatistics | null = null;

  constructor(options: SinkOptions) {
    this.options = options;
    options.receiver.observer = this;
  }

  get measuredBytes(): number {
    return this.firstNs === NEVER ? 0 : this.bytes - this.bytesBefore;
  }

  /** What the flow counted in the measurement. */
  get measured(): ReceiverStatistics {
    if (this.firstNs === NEVER) return NOTHING_RECEIVED;
    const { statistics } = this.options.receiver;
    return this.statisticsBefore === null
      ? statistics
      : countedSince(RECEIVER_METRICS, this.statisticsBefore, statistics);
  }

  /** Credits that were under way when the measurement began: their fates are counted in it. */
  get creditsBefore(): number {
    const { creditsOutstanding = 0, creditsLostAtHome = 0 } = this.statisticsBefore ?? {};
    return creditsOutstanding + creditsLostAtHome;
  }

  onBody(bytes: Uint8Array): void {
    // One reading of the clock (46 ns) a flow, none a frame.
    if (this.bytes === 0) this.begin();
    this.bytes += bytes.length;
    this.options.onBytes?.(bytes);
    this.options.receiver.release(bytes.length);
  }

  onEnd(): void {
    this.finish(null);
  }

  onFault(fault: Fault): void {
    this.finish(fault);
  }

  onCredit(nowNs: number): void {
    if (this.firstNs === NEVER) {
      if (nowNs >= this.measureFromNs) this.measure(nowNs);
    } else if (this.lastCreditNs !== NEVER) this.options.gaps.record(nowNs - this.lastCreditNs);
    this.lastCreditNs = nowNs;
  }

  onAck(): void {}

  onRtt(rttNs: number): void {
    if (this.firstNs !== NEVER) this.options.rtts.record(rttNs);
  }

  private begin(): void {
    const { omitNs, now } = this.options;
    const nowNs = now();
    this.measureFromNs = nowNs + omitNs;
    if (omitNs === 0) this.firstNs = nowNs;
  }

  /** The time to leave out is over: from here on it counts. */
  private measure(nowNs: number): void {
    this.firstNs = nowNs;
    this.bytesBefore = this.bytes;
    this.statisticsBefore = this.options.receiver.statistics;
  }

  private finish(fault: Fault | null): void {
    this.lastNs = this.options.now();
    this.options.onDone(fault);
  }
}
