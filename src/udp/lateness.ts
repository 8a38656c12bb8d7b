import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MILLISECOND_NS } = time;

/** Upper bounds of the classes in which late wakes are counted, ns; a last class has no bound. */
const CLASSES_NS: readonly number[] = [10e3, 30e3, 100e3, 300e3, 1e6, 3e6, 10e6, 30e6, 100e6];
export const LATE_CLASSES_NS = CLASSES_NS;

/** How late the loop came to its deadlines. */
export interface LatenessSnapshot {
  /** Wakes after their deadline, however little. */
  wakes: number;
  /** The latest wake, ns after its deadline. */
  maxNs: number;
  /** Wakes that were more than a millisecond late. */
  overMillisecond: number;
  /** Wakes by class: `[upper bound in ns, count]`, the last bound Infinity. */
  classes: readonly (readonly [number, number])[];
}

/** A histogram of ten classes: enough to tell a spinning loop from a napping and a stalled one, at two comparisons a wake. */
export class Lateness {
  private readonly counts = new Float64Array(CLASSES_NS.length + 1);
  private maxNs = 0;
  private overMillisecond = 0;

  add(lateNs: number): void {
    let at = 0;
    while (at < CLASSES_NS.length && lateNs > CLASSES_NS[at]) at++;
    this.counts[at]++;
    if (lateNs > this.maxNs) this.maxNs = lateNs;
    if (lateNs > MILLISECOND_NS) this.overMillisecond++;
  }

  snapshot(): LatenessSnapshot {
    const bounds = [...CLASSES_NS, Number.POSITIVE_INFINITY];
    return {
      wakes: this.counts.reduce((sum, count) => sum + count, 0),
      maxNs: this.maxNs,
      overMillisecond: this.overMillisecond,
      classes: bounds.map((bound, at) => [bound, this.counts[at]] as const),
    };
  }
}
