import { DeadlineHeap } from '../base/deadline-heap.js';
import { NEVER } from '../base/time.js';

/** What happens at a time. */
export type Action = (nowNs: number) => void;

/** The few things of a run that are no frames: flows that start, faults, samples; in the order of (time, insertion). */
export class Agenda {
  /** By slot: an index into `actions`. */
  private readonly times = new DeadlineHeap();
  private readonly actions: (Action | null)[] = [];
  private readonly freeSlots: number[] = [];
  /** Actions that came so far. */
  steps = 0;

  get size(): number {
    return this.times.size;
  }

  /** NEVER when there is none. */
  get nextNs(): number {
    return this.times.peekDeadline();
  }

  /** An action at NEVER is forgotten. */
  at(atNs: number, action: Action): void {
    if (atNs === NEVER) return;
    const slot = this.freeSlots.pop() ?? this.actions.length;
    this.actions[slot] = action;
    this.times.set(slot, atNs);
  }

  /** Does the next thing; there has to be one. */
  runNext(): void {
    const { times, actions } = this;
    this.steps++;
    const slot = times.peekSlot();
    const atNs = times.peekDeadline();
    const action = actions[slot] as Action;
    times.remove(slot);
    actions[slot] = null;
    this.freeSlots.push(slot);
    action(atNs);
  }
}
