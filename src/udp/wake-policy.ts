import { MICROSECOND_NS, MILLISECOND_NS, NEVER, SECOND_NS } from '../base/time.js';

/**
 * Datagrams are dense while the mean gap is shorter (ours, measured). Gaps grow with a process's own naps: with 100 and 200 us, processes that got a datagram
 * every 65 us fell back into napping after a stall, and stayed there.
 */
const DENSE_NS = 500 * MICROSECOND_NS;
/** A longer gap ends a dense time, and counts as this (ours: the shortest timer). */
const LONGEST_NS = 1 * MILLISECOND_NS;
/** Of the latest gap in the mean. */
const WEIGHT = 1 / 8;

/** Gaps without input: from the end of the work on what was read until the next datagram. */
export class ArrivalGaps {
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

  /** Whether the next datagram is expected before a timer could fire. */
  areShort(nowNs: number): boolean {
    return this.meanNs < DENSE_NS && nowNs - this.sinceNs < LONGEST_NS;
  }
}

/** How a driver may wait: `--spin`. */
export type Spin = 'never' | 'auto' | 'always';

/** Ways of waiting for a deadline. */
export const Wait = {
  /** There is no deadline: until a datagram arrives. */
  idle: 0,
  /** A timer of whole milliseconds; datagrams wake the loop at once. */
  timer: 1,
  /** Turn the loop until the deadline. */
  spin: 2,
  /** Block for some ten microseconds between two turns of the loop; datagrams wait as long. */
  nap: 3,
} as const;

export interface WakePolicyOptions {
  spin: Spin;
  /** Naps are allowed. */
  nap: boolean;
  /** Cores that this process may run on. */
  cores: number;
}

/** Nearer deadlines are near: a timer of 1 ms, the shortest, comes after 1.09 ms (median), 1.20 ms (p99; Node 20, lab machine). */
export const NEAR_NS = 1.2 * MILLISECOND_NS;
/**
 * Slack of the timers of flows: they wait this long for a datagram or credit that wakes the process anyway (ours: farther than near, and half of what an ACK
 * may wait). Without it, hosts with 256 flows had a timer near after 0.58 of their batches, and their sender napped for a third of the time.
 */
export const TIMER_SLACK_NS = 2.5 * MILLISECOND_NS;
/** What a timer comes late, p99. */
const TIMER_LATE_NS = 0.2 * MILLISECOND_NS;
/** Longer timers overflow in Node (2^31 ms); waking once an hour costs nothing. */
const MAX_TIMER_MS = 3_600_000;

/** Another process took the core when a turn of the loop lasted longer; a turn alone takes 1 us (p99.9 5 us). */
const STALL_NS = 300 * MICROSECOND_NS;
/** Contention: stalls, or stalled time, in one window. A lone spinner never has three, three spinners on two cores have 11 in 30. */
const WINDOW_NS = 100 * MILLISECOND_NS;
const STALLS = 3;
const STALLED_NS = 20 * MILLISECOND_NS;
/** A contended process does not spin for this time, doubled each time that it finds contention again. */
const FIRST_CALM_NS = 1 * SECOND_NS;
const MAX_CALM_NS = 64 * SECOND_NS;

/**
 * Decides how to wait for a near deadline; a pure object, so that tests need no loop.
 *
 * `never`: naps where they are allowed and datagrams are rare, else sets a timer of a millisecond, which arrivals anticipate. A process is deaf while it naps:
 * where datagrams are dense, what is due is done with the next of them (docs/decisions/0007-late-processes.md).
 * `always`: spins.
 * `auto`: spins, unless the process has one core or is kept from it by others; then it behaves as with `never` for 1 s, doubled up to 64 s while that repeats.
 */
export class WakePolicy {
  /** Times that contention was found. */
  contentions = 0;
  /** What is known of the datagrams to come. */
  readonly gaps = new ArrivalGaps();
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
    if (untilNs === NEVER) return Wait.idle;
    if (untilNs > NEAR_NS) return Wait.timer;
    if (untilNs <= 0 || this.isSpinning(nowNs)) return Wait.spin;
    return this.options.nap && !this.gaps.areShort(nowNs) ? Wait.nap : Wait.timer;
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
