// Tested by test/services/perf/service.test.ts

import { sumValues } from '../../base/metric.js';
import { NEVER } from '../../base/time.js';
import { type CreditTotals, creditTotals } from '../../core/credit-totals.js';
import { RECEIVER_METRICS, type ReceiverStatistics } from '../../core/receiver-statistics.js';
import type { Receiver } from '../../net/receiver.js';
import { Fault } from '../file/fault.js';
import type { TransferBody } from '../file/transfer-reader.js';
import { DurationHistogram } from './histogram.js';
import type { PerfRequest } from './messages.js';
import type { ReceivedResults } from './results.js';
import type { FlowSample } from './sample.js';
import { NOTHING_RECEIVED, PerfSink } from './sink.js';

export interface PerfReceiverOptions {
  readonly request: PerfRequest;
  now(): number;
  /** What comes on each flow; what the bytes are counts in an exchange alone. */
  onBytes?(index: number, bytes: Uint8Array): void;
  /** One flow has ended in order. */
  onFlowEnd?(index: number): void;
  /** Every flow has ended in order. Or the first that did not, and then nothing more is told. */
  onDone(fault: Fault | null): void;
}

/** The side of a test that receives the data: all its flows. */
export class PerfReceiver {
  private readonly options: PerfReceiverOptions;
  private readonly rtts = new DurationHistogram();
  private readonly gaps = new DurationHistogram();
  private readonly sinks: (PerfSink | null)[];
  private openFlows: number;
  private isDone = false;

  constructor(options: PerfReceiverOptions) {
    this.options = options;
    const { flows } = options.request;
    this.openFlows = flows;
    this.sinks = new Array(flows).fill(null);
  }

  /** The stream of data number `index` has come: who takes it. */
  accept(index: number, receiver: Receiver): TransferBody | Fault {
    if (index >= this.sinks.length) return new Fault('badMessage', `the test has no flow ${index}`);
    if (this.sinks[index] !== null) return new Fault('badMessage', `flow ${index} of the test has come before`);
    const { rtts, gaps, options } = this;
    const { onBytes } = options;
    const sink = new PerfSink({
      receiver,
      now: this.options.now,
      omitNs: this.options.request.omitNs,
      rtts,
      gaps,
      ...(onBytes !== undefined && { onBytes: (bytes) => onBytes(index, bytes) }),
      onDone: (fault) => {
        if (fault === null && !this.isDone) options.onFlowEnd?.(index);
        this.handleDone(fault);
      },
    });
    this.sinks[index] = sink;
    return sink;
  }

  /** Bytes of each flow that have arrived. */
  progress(): number[] {
    return this.sinks.map((sink) => sink?.bytes ?? 0);
  }

  sample(): FlowSample {
    const { sinks } = this;
    const nothing = sinks.map(() => null);
    const rtt = this.rtts.cut();
    return { bytes: this.progress(), repairs: nothing, underWayBytes: nothing, rtt: sinks.map(() => rtt) };
  }

  /** What there is so far: of a flow that has not ended, up to now. */
  results(): ReceivedResults {
    const sinks = this.sinks.filter((sink) => sink !== null);
    const flowBytes = this.sinks.map((sink) => sink?.measuredBytes ?? 0);
    const counted = sinks.reduce((sum, { measured }) => sumValues(RECEIVER_METRICS, sum, measured), NOTHING_RECEIVED);
    const { dataFrames, speculativeFrames, repairedFrames, filledFrames, chunks, markedFrames } = counted;
    return {
      bytes: flowBytes.reduce((sum, bytes) => sum + bytes, 0),
      durationNs: this.durationNs(sinks),
      frames: dataFrames + speculativeFrames,
      speculativeFrames,
      repairedFrames,
      filledFrames,
      chunks,
      flowBytes,
      markedFrames,
      rtt: this.rtts.percentiles(),
      rttClasses: this.rtts.classes(),
      creditGap: this.gaps.percentiles(),
      credits: measuredCredits(
        counted,
        sinks.reduce((sum, sink) => sum + sink.creditsBefore, 0),
      ),
    };
  }

  /** The test is over: `onDone` does not follow. What still arrives is let go. */
  abort(): void {
    this.isDone = true;
  }

  private durationNs(sinks: readonly PerfSink[]): number {
    const started = sinks.filter(({ firstNs }) => firstNs !== NEVER);
    if (started.length === 0) return 0;
    const nowNs = this.options.now();
    const firstNs = Math.min(...started.map((sink) => sink.firstNs));
    return Math.max(...started.map(({ lastNs }) => Math.min(lastNs, nowNs))) - firstNs;
  }

  private handleDone(fault: Fault | null): void {
    this.openFlows--;
    if (this.isDone || (fault === null && this.openFlows > 0)) return;
    this.isDone = true;
    this.options.onDone(fault);
  }
}

/** `before`: those under way when the measurement began. */
function measuredCredits(counted: ReceiverStatistics, before: number): CreditTotals {
  const credits = creditTotals(counted);
  // A credit that was taken as dropped before the measurement and is used in it counts as one dropped less.
  const dropped = Math.max(0, credits.dropped);
  // It was under way as well.
  const sent = Math.max(before + credits.sent, credits.used + credits.unused + dropped);
  return { ...credits, sent, dropped };
}
