import * as time from '../../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;

/** Beyond this, doubling has long met `longestNs`; it keeps the power finite. */
const MAX_DOUBLINGS = 30;

export interface ReturnOptions {
  /** Time from leaving a path out to its first probe at least, ns. */
  waitNs: number;
  /** The same in RTTs, where that is longer. */
  waitRtts: number;
  /** No wait is longer, however often it doubled, ns. */
  longestNs: number;
}

/** When an answer came, how late it may be, and the smoothed RTT; ns. */
export interface AnswerAge {
  nowNs: number;
  rttNs: number;
  longRttNs: number;
}

/**
 * When paths that were left out get a credit again, to see whether data comes back (docs/decisions/0012-paths-that-return.md). One probe is one credit, so a dead path
 * costs one credit in each wait. A path whose answer comes late, or that was taken back and is left out again, waits twice as long as before; one that stays for
 * as long as it last waited begins anew.
 */
export class LeftOutPaths {
  private readonly options: ReturnOptions;
  /** By path id: when the next probe is due; NEVER for a path that is in. */
  private readonly dueNs: Float64Array;
  /** When the probe that is out was sent; NEVER: none is. */
  private readonly probeNs: Float64Array;
  private readonly doublings: Uint8Array;
  private readonly returnedNs: Float64Array;
  /** The earliest of `dueNs`. */
  private nextDueNs = NEVER;

  constructor(paths: number, options: ReturnOptions) {
    this.options = options;
    this.dueNs = new Float64Array(paths + 1).fill(NEVER);
    this.probeNs = new Float64Array(paths + 1).fill(NEVER);
    this.doublings = new Uint8Array(paths + 1);
    this.returnedNs = new Float64Array(paths + 1).fill(-NEVER);
  }

  /** `path` is left out from `nowNs` on. */
  add(path: number, rttNs: number, nowNs: number): void {
    const stayedNs = nowNs - this.returnedNs[path];
    if (stayedNs > this.waitNs(path, rttNs)) this.doublings[path] = 0;
    else if (this.doublings[path] < MAX_DOUBLINGS) this.doublings[path]++;
    this.probeNs[path] = NEVER;
    this.setDue(path, nowNs + this.waitNs(path, rttNs));
  }

  /** A path whose probe is due, and counts as probed from now on; 0 for none. */
  take(rttNs: number, nowNs: number): number {
    if (nowNs < this.nextDueNs) return 0;
    const path = this.dueNs.indexOf(this.nextDueNs);
    this.probeNs[path] = nowNs;
    this.setDue(path, nowNs + this.waitNs(path, rttNs));
    return path;
  }

  /**
   * Data came by a path that is left out, for a credit sent at `creditNs`. True: it answers a probe, no later than `longRttNs` after it, so the path is taken
   * back. A later answer is of a path that is still slow; one to a credit from before says nothing.
   */
  answer(path: number, creditNs: number, age: AnswerAge): boolean {
    if (creditNs < this.probeNs[path]) return false;
    if (age.nowNs - creditNs > age.longRttNs) {
      this.probeNs[path] = NEVER;
      if (this.doublings[path] < MAX_DOUBLINGS) this.doublings[path]++;
      this.setDue(path, age.nowNs + this.waitNs(path, age.rttNs));
      return false;
    }
    this.remove(path, age.nowNs);
    return true;
  }

  /** All are back. */
  clear(nowNs: number): void {
    for (let path = 1; path < this.dueNs.length; path++) if (this.dueNs[path] !== NEVER) this.remove(path, nowNs);
  }

  /** Until then a path that came back is not judged: what its credits release is not all here yet. */
  returnedAt(path: number): number {
    return this.returnedNs[path];
  }

  private remove(path: number, nowNs: number): void {
    this.returnedNs[path] = nowNs;
    this.probeNs[path] = NEVER;
    this.setDue(path, NEVER);
  }

  private waitNs(path: number, rttNs: number): number {
    const { waitNs, waitRtts, longestNs } = this.options;
    return Math.min(Math.max(waitNs, waitRtts * rttNs) * 2 ** this.doublings[path], longestNs);
  }

  private setDue(path: number, dueNs: number): void {
    this.dueNs[path] = dueNs;
    let earliest = NEVER;
    for (let each = 1; each < this.dueNs.length; each++) earliest = Math.min(earliest, this.dueNs[each]);
    this.nextDueNs = earliest;
  }
}
