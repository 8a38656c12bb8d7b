// Tested by test/apps/shared/perf/service.test.ts

import { NEVER } from '../../../base/time.js';
import type { FlowObserver } from '../../../core/application.js';
import type { ReceiverFlow } from '../../../core/receiver-flow.js';
import type { Fault } from '../files/fault.js';
import type { TransferBody } from '../files/transfer-reader.js';
import type { DurationHistogram } from './histogram.js';

export interface SinkOptions {
  readonly flow: ReceiverFlow;
  /** Gives bytes that are done with back to the flow. */
  release(bytes: number): void;
  now(): number;
  /** RTTs, and gaps between credits on their way out, of all flows of a test. */
  readonly rtts: DurationHistogram;
  readonly gaps: DurationHistogram;
  /** The stream has ended, or will not. */
  onDone(fault: Fault | null): void;
}

/** Takes one flow's data, counts it and lets it go. */
export class PerfSink implements TransferBody, FlowObserver {
  readonly bodyBytes = Number.POSITIVE_INFINITY;
  readonly hasTrailer = false;
  readonly flow: ReceiverFlow;
  bytes = 0;
  /** When the first byte came; NEVER before. */
  firstNs = NEVER;
  /** When the stream ended; NEVER before. */
  lastNs = NEVER;
  private readonly options: SinkOptions;
  private lastCreditNs = NEVER;

  constructor(options: SinkOptions) {
    this.options = options;
    this.flow = options.flow;
    this.flow.observer = this;
  }

  onBody(bytes: Uint8Array): void {
    // One reading of the clock (46 ns) a flow, none a frame.
    if (this.bytes === 0) this.firstNs = this.options.now();
    this.bytes += bytes.length;
    this.options.release(bytes.length);
  }

  onEnd(): void {
    this.finish(null);
  }

  onFault(fault: Fault): void {
    this.finish(fault);
  }

  onCredit(nowNs: number): void {
    if (this.lastCreditNs !== NEVER) this.options.gaps.record(nowNs - this.lastCreditNs);
    this.lastCreditNs = nowNs;
  }

  onRtt(rttNs: number): void {
    this.options.rtts.record(rttNs);
  }

  private finish(fault: Fault | null): void {
    this.lastNs = this.options.now();
    this.options.onDone(fault);
  }
}
