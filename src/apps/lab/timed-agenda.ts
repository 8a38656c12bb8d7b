// Tested by test/loopback/lab.test.ts
import { NEVER } from '../../base/time.js';
import { type Action, Agenda } from '../../sim/agenda.js';

/** The system's monotonic clock, ns: the same for all processes of a machine. */
export function systemNs(): number {
  return Number(process.hrtime.bigint());
}

/** setTimeout fires at once for longer waits than 2^31 - 1 ms; waking an hour early costs nothing (ours). */
const LONGEST_WAIT_MS = 3_600_000;

/** The simulator's agenda on a real clock. A timer of the system's is late by a millisecond at most on an idle core. */
export class TimedAgenda {
  private readonly now: () => number;
  private agenda = new Agenda();
  private timer: NodeJS.Timeout | undefined;
  private armedNs = NEVER;

  /** `now` is the clock that the times are of. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** `action` is called at `atNs`, or as soon after as it can be; Infinity: never. Of one time, in the order in which they were added. */
  add(atNs: number, action: Action): void {
    if (atNs === NEVER) return;
    this.agenda.at(atNs, action);
    this.arm();
  }

  /** Nothing happens any more. */
  clear(): void {
    this.agenda = new Agenda();
    this.arm();
  }

  private arm(): void {
    const { nextNs } = this.agenda;
    if (nextNs === this.armedNs) return;
    clearTimeout(this.timer);
    this.armedNs = nextNs;
    if (nextNs === NEVER) return;
    const waitMs = Math.max(0, (nextNs - this.now()) / 1e6);
    this.timer = setTimeout(() => this.runDue(), Math.min(waitMs, LONGEST_WAIT_MS));
  }

  private runDue(): void {
    this.armedNs = NEVER;
    const nowNs = this.now();
    while (this.agenda.nextNs <= nowNs) this.agenda.runNext();
    this.arm();
  }
}
