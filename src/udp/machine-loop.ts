import { assert } from '../base/assert.js';
import * as time from '../base/time.js';
import type { Frame } from '../wire/frame.js';
import { HoldQueue } from './hold-queue.js';
import { Lateness } from './lateness.js';
import type { EventLoop } from './wake.js';
import { Waker } from './wake.js';
import type { WakePolicy } from './wake-policy.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MICROSECOND_NS, MILLISECOND_NS, NEVER } = time;

/** The verbs of a machine that a loop uses; Host, Switch and Attachment have them. */
export interface LoopMachine {
  /** Does all that is due at `nowNs`. */
  advance(nowNs: number): void;
  /** The next frame to send, `atNs` saying when its last bit would arrive; null when there is none. It becomes the loop's. */
  poll(): Frame | null;
  /** When `advance` has to be called next; NEVER for not at all. */
  nextTimeout(): number;
}

/** Where the frames go. */
export interface FrameSink {
  /** The kernel takes no frame at the moment. */
  readonly isBlocked: boolean;
  /** Frames that were sent still wait for the kernel: `flush` is to be called again soon. */
  readonly isHolding: boolean;
  /** Sends a frame and gives it back to its pool. Not to be called while blocked. */
  send(frame: Frame): void;
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

/**
 * A frame whose last bit would arrive within this time is handed to the kernel at once, for the loop cannot wake more precisely than by a nap (129 us), and the
 * kernel needs time itself. It is more than the 123 us that a full frame takes at 100 Mbit/s, so up from there a sender that credits
 * drive needs no timer. All frames of a port are early alike, so the gaps between them stay.
 */
const DEFAULT_EARLY_NS = 150 * MICROSECOND_NS;
/**
 * What becomes due so soon after the time of an input may be due before its answer has left: a process that has slept for milliseconds takes 50 to 150 us until then (measured), most of which this covers (ours). It goes out with the rest. A new flow's first data frame is due 3 us after its request, for one:
 * sent in a turn of its own it left 130 us later, since the kernel let whom the request woke go first. What is due later waits, however late the process is: datagrams that have arrived since come before it.
 */
const SOON_NS = 100 * MICROSECOND_NS;
/** How soon a blocked socket is looked at again. */
const BLOCKED_RETRY_NS = 1 * MILLISECOND_NS;

/**
 * Runs a machine on an event loop: after each input, and at each deadline, `drain` lets it advance, sends what it yields, holds what is not due and
 * sleeps until the next deadline. It decides nothing that the protocol knows of.
 */
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

  /** Once only: whatever becomes due over and over would keep the process from its datagrams. What is served here is not late for `lateness`, whose deadlines are those that the process slept for. */
  private advanceAgain(): void {
    const laterNs = Math.min(this.parts.loop.now(), this.nowNs + SOON_NS);
    if (this.machine.nextTimeout() > laterNs) return;
    this.nowNs = laterNs;
    this.advance();
  }

  /** Sends everything that is left, due or not, and stops. What the kernel does not take is lost. */
  close(): void {
    this.begin(this.parts.loop.now());
    this.drain();
    this.sendHeld(NEVER);
    this.parts.sink.flush();
    while (this.held.length > 0) this.parts.sink.drop(this.held.shift());
    this.waker.close();
  }

  private wake(nowNs: number): void {
    this.parts.sink.noteWake();
    this.begin(nowNs);
    this.drain();
  }

  /** Sends a frame at once when it is due and none that is held comes before it. */
  private emit(frame: Frame, dueNs: number): void {
    const { sink } = this.parts;
    if (frame.atNs <= dueNs && frame.atNs < this.held.peekAtNs() && !sink.isBlocked) sink.send(frame);
    else if (!this.held.push(frame)) sink.drop(frame);
  }

  private sendHeld(dueNs: number): void {
    const { sink } = this.parts;
    while (this.held.peekAtNs() <= dueNs && this.held.length > 0 && !sink.isBlocked) sink.send(this.held.shift());
  }

  private nextDeadline(nowNs: number): number {
    const heldNs = this.held.peekAtNs() - this.earlyNs;
    const retryNs = heldNs <= nowNs || this.parts.sink.isHolding ? nowNs + BLOCKED_RETRY_NS : NEVER;
    const dueNs = heldNs <= nowNs ? NEVER : heldNs;
    return Math.min(dueNs, retryNs, this.machine.nextTimeout());
  }
}
