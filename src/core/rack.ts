import * as time from '../base/time.js';
import type { RttEstimator } from './rtt.js';
import type { SentFrames } from './sent-frames.js';
import * as sentFrames from './sent-frames.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { FrameFate } = sentFrames;

/** Frames that arrive after a missing one before it is lost, as long as no reordering has been seen. RFC 8985 section 6.2 step 4, DupThresh of RFC 5681 */
const REORDER_FRAMES = 3;
/** Recoveries after which a widened reordering window is narrow again. RFC 8985 section 6.2 step 4 */
const PERSISTS_RECOVERIES = 16;

/**
 * Finds the lost among a flow's frames by the times at which they were sent: RACK, RFC 8985 section 6, on frame numbers (PROTOCOL §11.4). Every sending has a number
 * of its own, so an acknowledgement is never ambiguous and a loss that was none shows for certain.
 */
export class Rack {
  /** When the next frame is overdue if nothing else happens; NEVER for none. */
  deadlineNs = NEVER;
  private readonly frames: SentFrames;
  private readonly rtt: RttEstimator;
  /** The latest sent of those that arrived, and its RTT. */
  private latest = -1;
  private latestRttNs = 0;
  private sawReordering = false;
  /** Quarters of the least RTT in the reordering window. */
  private quarters = 1;
  private recoveries = 0;

  constructor(frames: SentFrames, rtt: RttEstimator) {
    this.frames = frames;
    this.rtt = rtt;
  }

  /** The acknowledgement of frame `number` has come, for the first time; its `fate` was this before. */
  arrived(number: number, fate: number, rttNs: number): void {
    if (number > this.latest) {
      this.latest = number;
      this.latestRttNs = rttNs;
    } else if (fate !== FrameFate.replaced) this.sawReordering = true;
    if (fate === FrameFate.lost) this.widen();
  }

  /**
   * Calls `lose` for each frame that is lost by now, the oldest first, until it returns false: then there is no room to remember more, and the rest is looked at later.
   */
  detect(nowNs: number, lose: (number: number) => boolean): void {
    const { frames } = this;
    const waitNs = this.latestRttNs + this.windowNs;
    this.deadlineNs = NEVER;
    for (let number = frames.oldest; number < this.latest; number = frames.outstandingFrom(number + 1)) {
      const overdueNs = frames.sentNs(number) + waitNs;
      const isPassed = !this.sawReordering && this.latest - number >= REORDER_FRAMES;
      if (!isPassed && overdueNs > nowNs) {
        this.deadlineNs = overdueNs;
        return;
      }
      if (!lose(number)) {
        this.deadlineNs = nowNs + Math.max(1, this.rtt.smoothedNs);
        return;
      }
    }
  }

  /** A recovery has begun. */
  countRecovery(): void {
    if (++this.recoveries < PERSISTS_RECOVERIES) return;
    this.recoveries = 0;
    this.quarters = 1;
  }

  /** The reordering window, ns. */
  private get windowNs(): number {
    return Math.min((this.quarters * this.rtt.minNs) / 4, this.rtt.smoothedNs);
  }

  /** A frame that was taken as lost has arrived. */
  private widen(): void {
    this.quarters++;
    this.recoveries = 0;
  }
}
