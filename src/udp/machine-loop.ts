import { assert } from '../base/assert.js';
import { Classes } from '../base/classes.js';
import { counter, gauge, histogram, type Values } from '../base/metric.js';
import { MICROSECOND_NS, MILLISECOND_NS, NEVER } from '../base/time.js';
import type { Frame } from '../wire/frame.js';
import { type EventLoop, Waker } from './wake.js';
import type { WakePolicy } from './wake-policy.js';

/** Frames that one driver holds at most. Ours: 10 ms of 1472-byte frames at 40 Gbit/s. */
const DEFAULT_CAPACITY = 32_768;

/** Finished frames until their time, by `atNs`, then in order of arrival. A heap: frames of several ports come out of order. */
export class HoldQueue {
  /** Frames turned away because the queue was full. */
  overflows = 0;
  private readonly frames: Frame[] = [];
  private readonly orders: number[] = [];
  private readonly capacity: number;
  private nextOrder = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.frames.length;
  }

  /** `atNs` of the earliest frame, NEVER when there is none. */
  peekAtNs(): number {
    return this.frames.length === 0 ? NEVER : this.frames[0].atNs;
  }

  /** The earliest frame without taking it; the queue must not be empty. */
  peek(): Frame {
    return this.frames[0];
  }

  /** False, and counted, when the queue is full: the frame stays the caller's. */
  push(frame: Frame): boolean {
    if (this.frames.length >= this.capacity) {
      this.overflows++;
      return false;
    }
    const order = this.nextOrder++;
    let hole = this.frames.length;
    this.frames.push(frame);
    this.orders.push(order);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (this.frames[parent].atNs <= frame.atNs) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.frames[hole] = frame;
    this.orders[hole] = order;
    return true;
  }

  /** Takes the earliest frame; the queue must not be empty. */
  shift(): Frame {
    const earliest = this.frames[0];
    const frame = this.frames.pop() as Frame;
    const order = this.orders.pop() as number;
    if (this.frames.length > 0) this.sink(frame, order);
    return earliest;
  }

  /** Puts a frame in the place at the top and down to where it belongs. */
  private sink(frame: Frame, order: number): void {
    const length = this.frames.length;
    let hole = 0;
    for (let child = 1; child < length; child = 2 * hole + 1) {
      if (child + 1 < length && this.isBefore(child + 1, this.frames[child], this.orders[child])) child++;
      if (!this.isBefore(child, frame, order)) break;
      this.move(child, hole);
      hole = child;
    }
    this.frames[hole] = frame;
    this.orders[hole] = order;
  }

  private isBefore(at: number, frame: Frame, order: number): boolean {
    const earlier = this.frames[at].atNs - frame.atNs;
    return earlier < 0 || (earlier === 0 && this.orders[at] < order);
  }

  private move(from: number, to: number): void {
    this.frames[to] = this.frames[from];
    this.orders[to] = this.orders[from];
  }
}

/** Upper bounds of the classes in which late wakes are counted, ns; a last class has no bound. */
export const LATE_CLASSES_NS: readonly number[] = [10e3, 30e3, 100e3, 300e3, 1e6, 3e6, 10e6, 30e6, 100e6];

export const LATENESS_METRICS = {
  wakes: counter('wakes', 'Wakes after their deadline, however little'),
  maxNs: gauge('ns', 'The latest wake, after its deadline', 'max'),
  overMillisecond: counter('wakes', 'Wakes more than a millisecond late'),
  classes: histogram('ns', 'Wakes by class: [upper bound, count]; the last bound is Infinity, in JSON null'),
};

/** docs/METRICS.md, "Driver", has the meaning of each. */
export type LatenessSnapshot = Values<typeof LATENESS_METRICS>;

/** A histogram of ten classes: enough to tell a spinning loop from a napping and a stalled one, at two comparisons a wake. */
export class Lateness {
  private readonly classes = new Classes(LATE_CLASSES_NS);
  private maxNs = 0;
  private overMillisecond = 0;

  add(lateNs: number): void {
    this.classes.add(lateNs);
    if (lateNs > this.maxNs) this.maxNs = lateNs;
    if (lateNs > MILLISECOND_NS) this.overMillisecond++;
  }

  snapshot(): LatenessSnapshot {
    return {
      wakes: this.classes.total,
      maxNs: this.maxNs,
      overMillisecond: this.overMillisecond,
      classes: this.classes.snapshot(),
    };
  }
}

/** The verbs of a machine that a loop uses; Host, Switch and Attachment have them. */
export interface LoopMachine {
  /** Does all that is due at `nowNs`. */
  advance(nowNs: number): void;
  /** The next frame to send, `atNs` saying when its last bit would arrive; null when there is none. It becomes the loop's. */
  poll(): Frame | null;
  /** When `advance` has to be called next; NEVER for not at all. */
  nextTimeout(): number;
  /** The loop ends: what it says now, as DETACH, comes after all other frames. */
  takeLeave?(): void;
}

/** Where the frames go. */
export interface FrameSink {
  /** Frames that were sent still wait for the kernel: `flush` is to be called again soon. */
  readonly isHolding: boolean;
  /** Sends a frame and gives it back to its pool; false while the kernel takes none: the frame stays the caller's. */
  send(frame: Frame): boolean;
  /** No more frames follow for the moment. */
  flush(): void;
  /** Lets a frame go that could not be kept. */
  drop(frame: Frame): void;
  /** The next frames are sent because a deadline came, not in answer to a datagram. */
  noteWake(): void;
}

export interface MachineLoopParts {
  policy: WakePolicy;
  loop: EventLoop;
  sink: FrameSink;
  /** See `DEFAULT_EARLY_NS`. */
  earlyNs?: number;
}

/** Frames due within this time leave at once: a nap wakes no more precisely (129 us), and a full frame takes 123 us at 100 Mbit/s. */
const DEFAULT_EARLY_NS = 150 * MICROSECOND_NS;
/** Deadlines this soon after an input share its turn: a first data frame is due 3 us after its request, and left 130 us later alone. */
const SOON_NS = 100 * MICROSECOND_NS;
/** Queued frames of so much time on the link are still sent at the end. Ours: the credits that a host has outstanding, 320 frames, at 100 Mbit/s. */
const CLOSE_NS = 40 * MILLISECOND_NS;
/** How soon a blocked socket is looked at again. */
const BLOCKED_RETRY_NS = 1 * MILLISECOND_NS;

/** Runs a machine on an event loop: advances it at inputs and deadlines, sends what is due and holds the rest. Knows no protocol. */
export class MachineLoop {
  readonly lateness = new Lateness();
  readonly held: HoldQueue;
  private readonly parts: MachineLoopParts;
  private readonly earlyNs: number;
  private readonly waker: Waker;
  private readonly machine: LoopMachine;
  private deadlineNs = NEVER;
  /** The machine has an input or is being drained, as of `nowNs`. */
  private running = false;
  private nowNs = 0;

  constructor(machine: LoopMachine, parts: MachineLoopParts) {
    this.machine = machine;
    this.parts = parts;
    this.earlyNs = parts.earlyNs ?? DEFAULT_EARLY_NS;
    this.held = new HoldQueue();
    this.waker = new Waker(parts.policy, parts.loop, (nowNs) => this.wake(nowNs));
  }

  /** `action` runs first in every turn of the loop. */
  set beforeTurn(action: () => void) {
    this.waker.beforeTurn = action;
  }

  /** The machine is at work: what it is told to do now comes with its own call to the program, at the time `latestNs`. */
  get isRunning(): boolean {
    return this.running;
  }

  /** The time that the machine was given last. */
  get latestNs(): number {
    return this.nowNs;
  }

  /** A datagram arrived: returns the time, at which the caller calls `begin`, gives it to the machine and calls `drain`. */
  noteArrival(): number {
    const nowNs = this.parts.loop.now();
    this.waker.noteArrival(nowNs);
    return nowNs;
  }

  /**
   * Lets `action` change the machine, then drains. Inside the machine's own calls to the application the drain is left to whoever called the
   * machine, so applications need not know where they are called from.
   */
  run<T>(action: (nowNs: number) => T): T {
    if (this.running) return action(this.nowNs);
    this.begin(this.parts.loop.now());
    try {
      return action(this.nowNs);
    } catch (error) {
      // The caller's mistake: what it had changed by then is sent in the loop's next turn. If nobody catches it, there is none.
      this.running = false;
      this.waker.arm(this.nowNs, this.nowNs);
      throw error;
    } finally {
      if (this.running) this.drain();
    }
  }

  /** Begins an input without a closure: `begin`, the input, `drain`, all at the time `nowNs`. */
  begin(nowNs: number): void {
    assert(!this.running, 'a machine takes one input at a time');
    this.running = true;
    this.nowNs = nowNs;
  }

  /** Ends an input that others follow at once; `drain` comes after the last of them. */
  leave(): void {
    this.running = false;
  }

  /** Drains after inputs that were left. */
  drainLeft(): void {
    this.begin(this.parts.loop.now());
    this.drain();
  }

  /** Ends what `begin` began: sends what is due and sleeps until the next deadline. */
  drain(): void {
    const { nowNs } = this;
    if (nowNs > this.deadlineNs) this.lateness.add(nowNs - this.deadlineNs);
    this.advance();
    if (this.machine.nextTimeout() <= nowNs + SOON_NS) this.advanceAgain();
    this.parts.sink.flush();
    this.deadlineNs = this.nextDeadline(this.nowNs);
    this.running = false;
    this.waker.arm(this.deadlineNs, this.nowNs);
  }

  private advance(): void {
    const { machine, nowNs } = this;
    machine.advance(nowNs);
    const dueNs = nowNs + this.earlyNs;
    for (let frame = machine.poll(); frame !== null; frame = machine.poll()) this.emit(frame, dueNs);
    this.sendHeld(dueNs);
  }

  /** Once only, or a machine that is always due would keep the process from its datagrams. `lateness` counts only deadlines that the process slept for. */
  private advanceAgain(): void {
    const laterNs = Math.min(this.parts.loop.now(), this.nowNs + SOON_NS);
    if (this.machine.nextTimeout() > laterNs) return;
    this.nowNs = laterNs;
    this.advance();
  }

  /** Sends what is left, due or not, and stops. What the kernel does not take is lost. */
  close(): void {
    this.begin(this.parts.loop.now());
    this.advance();
    this.playOut();
    this.sendHeld(NEVER);
    this.machine.takeLeave?.();
    this.advance();
    this.sendHeld(NEVER);
    this.parts.sink.flush();
    while (this.held.length > 0) this.parts.sink.drop(this.held.shift());
    this.running = false;
    this.waker.close();
  }

  /** Lets a NIC begin what it has queued: a RESET may wait there behind the frame that is being sent. */
  private playOut(): void {
    const endNs = this.nowNs + CLOSE_NS;
    for (let nextNs = this.machine.nextTimeout(); nextNs <= endNs; nextNs = this.machine.nextTimeout()) {
      this.nowNs = Math.max(this.nowNs, nextNs);
      this.advance();
      if (this.machine.nextTimeout() <= nextNs) return;
    }
  }

  private wake(nowNs: number): void {
    this.parts.sink.noteWake();
    this.begin(nowNs);
    this.drain();
  }

  /** Sends a frame at once when it is due and none that is held comes before it. */
  private emit(frame: Frame, dueNs: number): void {
    const { sink } = this.parts;
    if (frame.atNs <= dueNs && frame.atNs < this.held.peekAtNs() && sink.send(frame)) return;
    if (!this.held.push(frame)) sink.drop(frame);
  }

  private sendHeld(dueNs: number): void {
    const { sink } = this.parts;
    while (this.held.length > 0 && this.held.peekAtNs() <= dueNs && sink.send(this.held.peek())) this.held.shift();
  }

  private nextDeadline(nowNs: number): number {
    const heldNs = this.held.peekAtNs() - this.earlyNs;
    const retryNs = heldNs <= nowNs || this.parts.sink.isHolding ? nowNs + BLOCKED_RETRY_NS : NEVER;
    const dueNs = heldNs <= nowNs ? NEVER : heldNs;
    return Math.min(dueNs, retryNs, this.machine.nextTimeout());
  }
}
