import type { Percentiles } from '../../services/perf/histogram.js';
import type { PerfSample } from '../../services/perf/sample.js';

/** What one interval brought. Of each flow: first the flows of the client's data, then of the server's. */
export interface Interval {
  /** Since the measurement began, or of an omitted interval since the test did. */
  readonly startS: number;
  readonly endS: number;
  /** Before the measurement: in no sum of the end. */
  readonly isOmitted: boolean;
  /** Payload that arrived in it. */
  readonly flowBytes: readonly number[];
  /** Frames sent again in it; null of a flow that the other side sends. */
  readonly retransmits: readonly (number | null)[];
  /** Sent and not acknowledged at its end; null of a flow that the other side sends. */
  readonly underWayBytes: readonly (number | null)[];
  /** Round trips in it, of all flows of a direction; none where the other side measures them. */
  readonly rtt: readonly Percentiles[];
}

/** Cuts growing counts into intervals, each as long as it really was: timers are late. */
export class Intervals {
  private readonly startNs: number;
  private readonly isOmitted: boolean;
  private last: PerfSample;

  constructor(start: PerfSample, isOmitted = false) {
    this.startNs = start.nowNs;
    this.isOmitted = isOmitted;
    this.last = start;
  }

  /** Time since the last cut. */
  elapsedNs(nowNs: number): number {
    return nowNs - this.last.nowNs;
  }

  /** The interval that ends now. */
  cut(now: PerfSample): Interval {
    const { last, startNs, isOmitted } = this;
    this.last = now;
    return {
      startS: (last.nowNs - startNs) / 1e9,
      endS: (now.nowNs - startNs) / 1e9,
      isOmitted,
      flowBytes: now.bytes.map((count, at) => count - (last.bytes[at] ?? 0)),
      retransmits: now.repairs.map((count, at) => (count === null ? null : count - (last.repairs[at] ?? 0))),
      underWayBytes: now.underWayBytes,
      rtt: now.rtt,
    };
  }
}
