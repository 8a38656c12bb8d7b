import type { FlowObserver } from '../../../core/application.js';
import { DurationHistogram } from '../../shared/perf/histogram.js';
import type { GapErrors } from './orders.js';

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
