// Tested by test/apps/lab/flow-source.test.ts
import type { XpassError } from '../../base/errors.js';
import { type CreditTotals, creditTotals } from '../../core/credit-totals.js';
import type { FlowReader } from '../../core/flow-callbacks.js';
import type { Receiver } from '../../net/receiver.js';
import type { SlowReader } from '../../sim/slow-reader.js';
import type { OpenFlow, ReceivedFlow, WindowCounts } from './messages.js';
import { isPattern } from './stream-pattern.js';

/** Counts one flow's bytes in windows of one length. It grows with the time that the flow lasts. */
export class WindowCounter {
  private readonly windowNs: number;
  private first = -1;
  private readonly bytes: number[] = [];

  constructor(windowNs: number) {
    this.windowNs = windowNs;
  }

  /** `count` bytes arrived `atNs` after the measured time began; times never go back. */
  add(count: number, atNs: number): void {
    const window = Math.floor(atNs / this.windowNs);
    if (this.first < 0) this.first = window;
    const at = window - this.first;
    while (this.bytes.length <= at) this.bytes.push(0);
    this.bytes[at] += count;
  }

  counts(): WindowCounts {
    return { windowNs: this.windowNs, first: Math.max(0, this.first), bytes: this.bytes };
  }
}

/** The time of a run as one host sees it: ns of its own clock. */
export interface RunTimes {
  readonly startNs: number;
  /** From here to `endNs` is measured. */
  readonly measureNs: number;
  readonly endNs: number;
}

export interface SinkOptions {
  readonly flow: Receiver;
  readonly times: RunTimes;
  readonly windowsNs: readonly number[];
  /** Whether the bytes are compared with what they should be. */
  readonly isChecked: boolean;
  readonly reader: SlowReader<Receiver>;
  /** The time of the call that the flow is in. */
  now(): number;
}

/** Takes one flow's data: counts it by window, checks it, and lets it go as fast as the host's reader does. */
export class FlowSink implements FlowReader {
  private readonly options: SinkOptions;
  private readonly counters: readonly WindowCounter[];
  /** All that has arrived until the end of the run. */
  deliveredBytes = 0;
  private measuredBytes = 0;
  private completeNs: number | null = null;
  private wrongAtByte: number | null = null;
  private error: string | null = null;
  /** Taken when the flow ends. */
  private finalCredits: CreditTotals | null = null;

  constructor(options: SinkOptions) {
    this.options = options;
    this.counters = options.windowsNs.map((windowNs) => new WindowCounter(windowNs));
  }

  onData(bytes: Uint8Array): void {
    const { flow, times, reader } = this.options;
    const nowNs = this.options.now();
    const count = bytes.length;
    if (nowNs < times.endNs) {
      if (this.options.isChecked) this.check(bytes);
      this.deliveredBytes += count;
      if (nowNs >= times.measureNs) this.measure(count, nowNs - times.measureNs);
    }
    reader.take(flow, count, nowNs);
  }

  onEnd(): void {
    const nowNs = this.options.now();
    if (nowNs < this.options.times.endNs) this.completeNs = nowNs - this.options.times.startNs;
  }

  onClosed(error: XpassError | null): void {
    this.error = error?.code ?? null;
    this.finalCredits = creditTotals(this.options.flow.statistics);
  }

  /** The sender's host id. */
  get from(): number {
    return this.options.flow.peer;
  }

  get flowId(): number {
    return this.options.flow.id;
  }

  /** As the algorithm sets it; 0 once the flow is over. */
  get creditRateBps(): number {
    return this.finalCredits === null ? this.options.flow.rateBps : 0;
  }

  get credits(): CreditTotals {
    return this.finalCredits ?? creditTotals(this.options.flow.statistics);
  }

  /** null once the flow is over. `creditAlgorithm` is the host's. */
  look(creditAlgorithm: string): OpenFlow | null {
    if (this.finalCredits !== null) return null;
    const { flow } = this.options;
    const { rateBps, rttNs } = flow.statistics;
    const algorithm = flow.isReactive ? 'window' : creditAlgorithm;
    const state = flow.algorithmState;
    return { from: this.from, flowId: flow.id, algorithm, bytes: this.deliveredBytes, rateBps, rttNs, state };
  }

  report(): ReceivedFlow {
    return {
      from: this.from,
      flowId: this.flowId,
      deliveredBytes: this.deliveredBytes,
      measuredBytes: this.measuredBytes,
      completeNs: this.completeNs,
      wrongAtByte: this.wrongAtByte,
      error: this.error,
      credits: this.credits,
      windows: this.counters.map((counter) => counter.counts()),
    };
  }

  private check(bytes: Uint8Array): void {
    if (this.wrongAtByte !== null || isPattern(bytes, this.options.flow.id, this.deliveredBytes)) return;
    this.wrongAtByte = this.deliveredBytes;
  }

  private measure(count: number, atNs: number): void {
    this.measuredBytes += count;
    for (const counter of this.counters) counter.add(count, atNs);
  }
}
