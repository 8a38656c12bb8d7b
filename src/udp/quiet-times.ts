import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MICROSECOND_NS, MILLISECOND_NS } = time;

/**
 * Shorter quiet times than this on average, and datagrams are dense (ours, measured): a process that naps hears of them late, as late as its peers, so quiet times grow with the naps themselves. With 100 and 200 us, processes
 * that got a datagram every 65 us from others that did not nap fell back into napping when something held them up, and stayed there.
 */
const DENSE_NS = 500 * MICROSECOND_NS;
/** A quiet time that lasts longer is the end of a dense time, and counts as no more (ours: the shortest timer). */
const LONGEST_NS = 1 * MILLISECOND_NS;
/** Of the latest quiet time in the mean. */
const WEIGHT = 1 / 8;

/** How long a process has nothing to read: from the end of its work on what it had read until the next datagram. */
export class QuietTimes {
  private meanNs = LONGEST_NS;
  private sinceNs = Number.NEGATIVE_INFINITY;
  private isQuiet = false;

  /** All that had arrived is done with. */
  begin(nowNs: number): void {
    if (this.isQuiet) return;
    this.isQuiet = true;
    this.sinceNs = nowNs;
  }

  /** A datagram is there. */
  end(nowNs: number): void {
    if (!this.isQuiet) return;
    this.isQuiet = false;
    this.meanNs += (Math.min(nowNs - this.sinceNs, LONGEST_NS) - this.meanNs) * WEIGHT;
  }

  /** Whether datagrams come so soon one after the other that whoever waits for one does not wait long. */
  areShort(nowNs: number): boolean {
    return this.meanNs < DENSE_NS && nowNs - this.sinceNs < LONGEST_NS;
  }
}
