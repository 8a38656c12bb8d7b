import * as time from '../base/time.js';
import { QuietTimes } from './quiet-times.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MICROSECOND_NS, MILLISECOND_NS, NEVER, SECOND_NS } = time;

/** How a driver may wait: `--spin`. */
export type Spin = 'never' | 'auto' | 'always';

/** Ways of waiting for a deadline. */
const Way = {
  /** There is no deadline: until a datagram arrives. */
  idle: 0,
  /** A timer of whole milliseconds; datagrams wake the loop at once. */
  timer: 1,
  /** Turn the loop until the deadline. */
  spin: 2,
  /** Block for some ten microseconds between two turns of the loop; datagrams wait as long. */
  nap: 3,
} as const;
export const Wait = Way;

export interface WakePolicyOptions {
  spin: Spin;
  /** Naps are allowed. */
  nap: boolean;
  /** Cores that this process may run on. */
  cores: number;
}

/**
 * A deadline nearer than this is near: a timer of 1 ms, the shortest there is, comes after 1.09 ms (median) and 1.20 ms (p99), so it is of use only for
 * what is farther. Measured with Node 20 on the 2-core lab machine, as are all figures here.
 */
const NEAR = 1.2 * MILLISECOND_NS;
export const NEAR_NS = NEAR;
/**
 * The timers of flows, none of which is in such a hurry, wait so long for a datagram or a credit that brings the process round (ours: farther than near, and half of what an ACK may wait). Where datagrams come densely no
 * process naps or spins for a timer then. Before, there was one near at 0.13 of the times that a host was done with a batch with one flow, though nearly all had been put off meanwhile, at 0.58 with 256 flows: their sender napped
 * for a third of the time.
 */
export const TIMER_SLACK_NS = 2.5 * MILLISECOND_NS;
/** What a timer comes late, p99. */
const TIMER_LATE_NS = 0.2 * MILLISECOND_NS;
/** Longer timers overflow in Node (2^31 ms); waking once an hour costs nothing. */
const MAX_TIMER_MS = 3_600_000;

/**
 * Another process takes the core when the loop comes back from looking for datagrams after longer than this; a turn of its own takes 1 us (p99.9 5 us).
 */
const STALL_NS = 300 * MICROSECOND_NS;
/**
 * This much of it within one window means contention: a lone spinner has no window of three stalls (garbage collection makes single ones), three spinners
 * on two cores have at least 11 in 30 and lose a fifth to four fifths of their time, six lose nine tenths.
 */
const WINDOW_NS = 100 * MILLISECOND_NS;
const STALLS = 3;
const STALLED_NS = 20 * MILLISECOND_NS;
/** How long a contended process does not spin: this at first, twice as long each time that it finds the same again (ours). */
const FIRST_CALM_NS = 1 * SECOND_NS;
const MAX_CALM_NS = 64 * SECOND_NS;

/**
 * Decides how to wait; a pure object, so that its decisions can be tested without a loop.
 *
 * `never`: it naps when a deadline is near, if it may and datagrams are rare; else a timer of a millisecond, which arrivals anticipate. A process that naps is deaf for as long: with a deadline every 65 us, as the four
 * processes of a loaded switch have, each frame waited for several naps on its way, and 85 Mbit/s of 120 came through (docs/PERF-LOG.md). Where datagrams are dense, what is due is done with the next of them. (Processes that wait for
 * nothing but each other's datagrams could fall into step, all idle until a timer. Then they are rare, and naps come back.)
 * `always`: it spins when a deadline is near.
 * `auto`: it spins when a deadline is near, unless the process has one core only or finds that it is kept from the core (six spinning
 * processes on two cores stall each other for 40 to 100 ms); then it behaves as with `never` for a second and tries again, after twice the time whenever the
 * next try fails as well, up to 64 s.
 */
export class WakePolicy {
  /** Times that contention was found. */
  contentions = 0;
  /** What is known of the datagrams to come. */
  readonly quiet = new QuietTimes();
  private readonly options: WakePolicyOptions;
  private readonly maySpin: boolean;
  private calmUntilNs = 0;
  private calmNs = FIRST_CALM_NS;
  private windowStartNs = 0;
  private windowStalls = 0;
  private windowStalledNs = 0;

  constructor(options: WakePolicyOptions) {
    this.options = options;
    this.maySpin = options.spin === 'always' || (options.spin === 'auto' && options.cores > 1);
  }

  /** How to wait for a deadline that is `untilNs` away, negative when it has passed. */
  choose(untilNs: number, nowNs: number): number {
    if (untilNs === NEVER) return Way.idle;
    if (untilNs > NEAR) return Way.timer;
    if (untilNs <= 0 || this.isSpinning(nowNs)) return Way.spin;
    return this.options.nap && !this.quiet.areShort(nowNs) ? Way.nap : Way.timer;
  }

  /** Whole milliseconds for a timer: it wakes a little before a far deadline, so that the rest can be waited for precisely. */
  timerMs(untilNs: number): number {
    return Math.min(MAX_TIMER_MS, Math.max(1, Math.floor((untilNs - TIMER_LATE_NS) / MILLISECOND_NS)));
  }

  /** Whether a timer that is armed for `timerAtNs` serves a deadline as well as a new one for `newAtNs` would. */
  isTimerGoodFor(deadlineNs: number, timerAtNs: number, newAtNs: number): boolean {
    return timerAtNs <= Math.max(newAtNs, deadlineNs - TIMER_LATE_NS);
  }

  /** While turning, the loop was away for `awayNs` between the end of one turn and the first event of the next. */
  noteAway(awayNs: number, nowNs: number): void {
    if (awayNs <= STALL_NS || this.options.spin !== 'auto' || !this.isSpinning(nowNs)) return;
    if (nowNs - this.windowStartNs > WINDOW_NS) {
      this.windowStartNs = nowNs - awayNs;
      this.windowStalls = 0;
      this.windowStalledNs = 0;
    }
    this.windowStalls++;
    this.windowStalledNs += awayNs;
    if (this.windowStalls >= STALLS || this.windowStalledNs >= STALLED_NS) this.calmDown(nowNs);
  }

  private isSpinning(nowNs: number): boolean {
    return this.maySpin && nowNs >= this.calmUntilNs;
  }

  /** A try that lasted for as long as the calm before it counts as good, and the next calm is short again. */
  private calmDown(nowNs: number): void {
    this.contentions++;
    const wasGood = nowNs - this.calmUntilNs > this.calmNs;
    this.calmNs = wasGood ? FIRST_CALM_NS : Math.min(2 * this.calmNs, MAX_CALM_NS);
    this.calmUntilNs = nowNs + this.calmNs;
    this.windowStalls = 0;
    this.windowStalledNs = 0;
  }
}
