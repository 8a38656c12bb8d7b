/** What one interval brought. */
export interface Interval {
  /** Since the beginning of the first. */
  readonly startS: number;
  readonly endS: number;
  /** Payload of each flow that arrived in it: first the flows of the client's data, then of the server's. */
  readonly flowBytes: readonly number[];
  /** Frames of each flow sent again in it, of the flows that this side sends. */
  readonly retransmits: readonly number[];
}

/** How far a test is: each flow's counts since it began. */
export interface Progress {
  readonly nowNs: number;
  readonly bytes: readonly number[];
  readonly retransmits: readonly number[];
}

/** Cuts growing counts into intervals, each as long as it really was: timers are late. */
export class Intervals {
  private readonly startNs: number;
  private last: Progress;

  constructor(start: Progress) {
    this.startNs = start.nowNs;
    this.last = start;
  }

  /** Time since the last cut. */
  elapsedNs(nowNs: number): number {
    return nowNs - this.last.nowNs;
  }

  /** The interval that ends now. */
  cut(now: Progress): Interval {
    const { last, startNs } = this;
    this.last = now;
    return {
      startS: (last.nowNs - startNs) / 1e9,
      endS: (now.nowNs - startNs) / 1e9,
      flowBytes: grown(last.bytes, now.bytes),
      // The counts begin anew when the measurement begins.
      retransmits: grown(last.retransmits, now.retransmits).map((count) => Math.max(0, count)),
    };
  }
}

function grown(before: readonly number[], after: readonly number[]): number[] {
  return after.map((count, at) => count - (before[at] ?? 0));
}
