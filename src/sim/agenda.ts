import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;

/** What happens at a time. */
export type Action = (nowNs: number) => void;

interface Entry {
  readonly atNs: number;
  readonly order: number;
  readonly action: Action;
}

/** The few things of a run that are no frames: flows that start, faults, samples. A binary heap in the order of (time, insertion). */
export class Agenda {
  private readonly entries: Entry[] = [];
  private inserted = 0;

  get size(): number {
    return this.entries.length;
  }

  /** NEVER when there is none. */
  get nextNs(): number {
    return this.entries.length === 0 ? NEVER : this.entries[0].atNs;
  }

  at(atNs: number, action: Action): void {
    const entry = { atNs, order: this.inserted++, action };
    const { entries } = this;
    let place = entries.length;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (isBefore(entries[parent], entry)) break;
      entries[place] = entries[parent];
      place = parent;
    }
    entries[place] = entry;
  }

  /** Does the next thing; there has to be one. */
  runNext(): void {
    const { entries } = this;
    const next = entries[0];
    const last = entries.pop() as Entry;
    if (entries.length > 0) this.sink(last);
    next.action(next.atNs);
  }

  private sink(entry: Entry): void {
    const { entries } = this;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1], entries[child])) child++;
      if (isBefore(entry, entries[child])) break;
      entries[place] = entries[child];
      place = child;
    }
    entries[place] = entry;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.atNs < other.atNs || (one.atNs === other.atNs && one.order < other.order);
}
