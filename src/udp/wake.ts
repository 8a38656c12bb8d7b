// Tested by test/loopback/udp-host.test.ts

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { MILLISECOND_NS, NEVER } from '../base/time.js';
import { type Spin, Wait, WakePolicy } from './wake-policy.js';

/** Reads the time: nanoseconds since the process loaded this file, never backwards. */
type Clock = () => number;

const startMs = performance.now();

/** The only clock of xpass. `performance.now` costs 46 ns a call (2-core lab machine), so a driver reads it once for each datagram. */
export function monotonicNs(): number {
  return (performance.now() - startMs) * 1e6;
}

/** What a waker uses of Node's event loop; a test gives one that counts. */
export interface EventLoop {
  readonly now: Clock;
  setTimer(callback: () => void, delayMs: number): unknown;
  clearTimer(timer: unknown): void;
  /** Calls back once the datagrams that have arrived were read. */
  setTurn(callback: () => void): void;
  /** Blocks the thread. */
  block(ns: number): void;
  /** Whether timers and turns keep the process alive; they do at first. Holds for the timer that is set, and for all later ones. */
  keepAlive(isWanted: boolean): void;
  /** Keeps the thread busy until this time, without a turn of the loop, and returns the time. */
  linger(untilNs: number): number;
}

/**
 * The longest nap, and so the longest wait of a datagram for its end. Naps take 75 us more than asked for, 23 us with the least timer slack; the request
 * takes that into account. Of deadlines 130 us apart, naps of up to 100 us met 76 to 82 % within 10 us, naps of up to 50 us 42 to 59 %.
 */
const MAX_NAP_NS = 100_000;
/** The shortest that is asked for: the kernel adds its own. */
const MIN_NAP_NS = 1_000;
/** A spinning turn in which nothing happened stays this long in place: turns of 1 us leave garbage for 170 collections a second, turns of 5 us for 28. */
const LINGER_NS = 5_000;
/** Steps of arithmetic between two looks at the clock, 0.3 us. */
const PAUSE_STEPS = 300;
/** What naps are taken to add before the first was measured: the habitual timer slack of Linux, prctl(2), PR_SET_TIMERSLACK. */
const FIRST_OVERSLEEP_NS = 50_000;
/** Weight of the newest nap in what naps take beyond what they asked for. */
const OVERSLEEP_WEIGHT = 1 / 8;

/** What a nap waits on; nobody ever wakes it. */
const sleepCell = new Int32Array(new SharedArrayBuffer(4));
/** Where `pause` leaves its result. */
const pauseCell = new Int32Array(1);

/** Node's loop. */
export function nodeLoop(now: Clock): EventLoop {
  let isHeld = true;
  let latest: NodeJS.Timeout | null = null;
  return {
    now,
    setTimer: (callback, delayMs) => {
      latest = setTimeout(callback, delayMs);
      return isHeld ? latest : latest.unref();
    },
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    setTurn: (callback) => {
      const turn = setImmediate(callback);
      if (!isHeld) turn.unref();
    },
    keepAlive: (isWanted) => {
      isHeld = isWanted;
      if (isWanted) latest?.ref();
      else latest?.unref();
    },
    block: (ns) => Atomics.wait(sleepCell, 0, 0, ns / MILLISECOND_NS),
    linger: (untilNs) => {
      let nowNs = now();
      while (nowNs < untilNs) {
        pause();
        nowNs = now();
      }
      return nowNs;
    },
  };
}

/** Spends a little time in a way that the compiler cannot leave out. */
function pause(): void {
  let value = pauseCell[0];
  for (let step = 0; step < PAUSE_STEPS; step++) value = Math.imul(value, 1_664_525) + 1;
  pauseCell[0] = value;
}

/** Asks Linux to wake the main thread without its 50 us of slack. False where that cannot be set, which costs precision only. */
function reduceTimerSlack(): boolean {
  try {
    writeFileSync('/proc/self/timerslack_ns', '1');
    return true;
  } catch {
    return false;
  }
}

/** Calls `onWake` soon after one deadline, as the policy chooses. One timer at most: one that is early looks again. */
export class Waker {
  private readonly policy: WakePolicy;
  private readonly loop: EventLoop;
  private readonly onWake: (nowNs: number) => void;
  /** Called first in every turn: what the datagrams that have arrived want done before anything else. */
  beforeTurn: () => void = () => {};
  private deadlineNs = NEVER;
  private timer: unknown = null;
  private timerAtNs = NEVER;
  private turning = false;
  private spinning = false;
  private turnEndNs = 0;
  private oversleepNs = FIRST_OVERSLEEP_NS;
  private closed = false;

  constructor(policy: WakePolicy, loop: EventLoop, onWake: (nowNs: number) => void) {
    this.policy = policy;
    this.loop = loop;
    this.onWake = onWake;
  }

  /** The deadline is now this one; a deadline that has passed wakes in the loop's next turn at the earliest. */
  arm(deadlineNs: number, nowNs: number): void {
    this.deadlineNs = deadlineNs;
    this.policy.gaps.begin(nowNs);
    if (!this.turning && !this.closed) this.wait(nowNs);
  }

  /** A datagram arrived: to be called before anything else is done with it. */
  noteArrival(nowNs: number): void {
    this.policy.gaps.end(nowNs);
    this.noteReturn(nowNs);
  }

  close(): void {
    this.closed = true;
    this.clearTimer();
  }

  private wait(nowNs: number): void {
    const untilNs = this.deadlineNs - nowNs;
    const way = this.policy.choose(untilNs, nowNs);
    this.spinning = way === Wait.spin;
    if (way === Wait.idle) return;
    if (way === Wait.timer) this.armTimer(untilNs, nowNs);
    else this.turnAgain();
  }

  private turnAgain(): void {
    this.turning = true;
    this.turnEndNs = this.loop.now();
    this.loop.setTurn(this.turn);
  }

  /** Runs after the datagrams that had arrived by then. */
  private readonly turn = (): void => {
    if (!this.closed) this.beforeTurn();
    this.turning = false;
    if (this.closed) return;
    const nowNs = this.loop.now();
    const isQuietSpin = this.spinning;
    this.noteReturn(nowNs);
    const way = this.policy.choose(this.deadlineNs - nowNs, nowNs);
    if (way === Wait.nap) this.wakeOrWait(this.nap(nowNs));
    else if (way === Wait.spin && isQuietSpin) this.wakeOrWait(this.linger(nowNs));
    else this.wakeOrWait(nowNs);
  };

  private linger(nowNs: number): number {
    return this.loop.linger(Math.min(this.deadlineNs, nowNs + LINGER_NS));
  }

  private wakeOrWait(nowNs: number): void {
    if (this.deadlineNs > nowNs) this.wait(nowNs);
    else this.onWake(nowNs);
  }

  /** Blocks until shortly before the deadline, or for the longest nap, and returns the time after it. */
  private nap(nowNs: number): number {
    const untilNs = this.deadlineNs - nowNs;
    if (untilNs <= 0) return nowNs;
    const askedNs = Math.min(MAX_NAP_NS, Math.max(MIN_NAP_NS, untilNs - this.oversleepNs));
    this.loop.block(askedNs);
    const wokeNs = this.loop.now();
    const overNs = Math.min(wokeNs - nowNs - askedNs, MILLISECOND_NS);
    this.oversleepNs += (overNs - this.oversleepNs) * OVERSLEEP_WEIGHT;
    return wokeNs;
  }

  /** The first thing that happens in a turn tells how long the loop was away: later things include this program's own work. */
  private noteReturn(nowNs: number): void {
    if (!this.spinning) return;
    this.spinning = false;
    this.policy.noteAway(nowNs - this.turnEndNs, nowNs);
  }

  private armTimer(untilNs: number, nowNs: number): void {
    const delayMs = this.policy.timerMs(untilNs);
    const atNs = nowNs + delayMs * MILLISECOND_NS;
    if (this.policy.isTimerGoodFor(this.deadlineNs, this.timerAtNs, atNs)) return;
    this.clearTimer();
    this.timerAtNs = atNs;
    this.timer = this.loop.setTimer(this.onTimer, delayMs);
  }

  private readonly onTimer = (): void => {
    this.timer = null;
    this.timerAtNs = NEVER;
    // Not at once: datagrams that wait in the socket came before this moment, and the loop reads them before its next turn.
    if (!this.turning && !this.closed) this.turnAgain();
  };

  private clearTimer(): void {
    if (this.timer !== null) this.loop.clearTimer(this.timer);
    this.timer = null;
    this.timerAtNs = NEVER;
  }
}

/** How a driver waits. */
export interface WaitOptions {
  /** `auto` by default. */
  spin?: Spin;
  /** Short naps where deadlines are near and datagrams are rare; on by default. */
  nap?: boolean;
  /** `DEFAULT_EARLY_NS` by default. */
  earlyNs?: number;
}

/** The policy and the loop for these options on this machine. */
export function prepareWaiting({ spin = 'auto', nap = true }: WaitOptions): { policy: WakePolicy; loop: EventLoop } {
  if (nap) reduceTimerSlack();
  return { policy: new WakePolicy({ spin, nap, cores: availableParallelism() }), loop: nodeLoop(monotonicNs) };
}
