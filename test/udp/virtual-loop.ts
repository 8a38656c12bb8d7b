import { MICROSECOND_NS, MILLISECOND_NS, NEVER } from '../../src/base/time.js';
import type { EventLoop } from '../../src/udp/wake.js';

interface Due {
  atNs: number;
  action: () => void;
  isTimer: boolean;
}

/** An event loop in virtual time, with the grain and the lateness of Node's. */
export class VirtualLoop implements EventLoop {
  nowNs = 0;
  timersSet = 0;
  turns = 0;
  blockedNs = 0;
  naps = 0;
  /** What a turn takes besides the work in it; a test that plays a busy machine raises it. */
  turnNs = 1 * MICROSECOND_NS;
  /** What naps and timers take beyond what was asked for. */
  oversleepNs = 23 * MICROSECOND_NS;
  timerLateNs = 90 * MICROSECOND_NS;
  private waiting: Due[] = [];
  private nextTurn: (() => void) | null = null;

  readonly now = (): number => this.nowNs;

  setTimer(action: () => void, delayMs: number): Due {
    this.timersSet++;
    const timer = { atNs: this.nowNs + delayMs * MILLISECOND_NS + this.timerLateNs, action, isTimer: true };
    this.waiting.push(timer);
    return timer;
  }

  clearTimer(timer: unknown): void {
    this.waiting = this.waiting.filter((other) => other !== timer);
  }

  keepAlive(): void {}

  setTurn(action: () => void): void {
    if (this.nextTurn !== null) throw new Error('two turns were asked for');
    this.nextTurn = action;
  }

  block(ns: number): void {
    this.naps++;
    this.blockedNs += ns + this.oversleepNs;
    this.nowNs += ns + this.oversleepNs;
  }

  linger(untilNs: number): number {
    this.nowNs = Math.max(this.nowNs, untilNs);
    return this.nowNs;
  }

  /** Something happens outside at `atNs`; the loop sees it when it next looks. */
  arrive(atNs: number, action: () => void): void {
    this.waiting.push({ atNs, action, isTimer: false });
  }

  get armedTimers(): number {
    return this.waiting.filter(({ isTimer }) => isTimer).length;
  }

  runUntil(endNs: number): void {
    while (this.step(endNs)) {
      // Each step is one turn, or a sleep until something happens.
    }
    this.nowNs = Math.max(this.nowNs, endNs);
  }

  private step(endNs: number): boolean {
    const turn = this.nextTurn;
    const wakeNs = turn === null ? this.earliestNs() : this.nowNs + this.turnNs;
    if (wakeNs > endNs) return false;
    this.nowNs = Math.max(this.nowNs, wakeNs);
    for (const due of this.takeDue()) due.action();
    if (turn === null) return true;
    this.turns++;
    this.nextTurn = null;
    turn();
    return true;
  }

  private earliestNs(): number {
    return this.waiting.reduce((earliest, { atNs }) => Math.min(earliest, atNs), NEVER);
  }

  private takeDue(): Due[] {
    const due = this.waiting.filter(({ atNs }) => atNs <= this.nowNs).sort((a, b) => a.atNs - b.atNs);
    if (due.length > 0) this.waiting = this.waiting.filter(({ atNs }) => atNs > this.nowNs);
    return due;
  }
}
