import { MILLISECOND_NS, SECOND_NS } from '../../base/time.js';

/** A flow that has delivered bytes. */
export interface Releasable {
  release(bytes: number): void;
}

/** How often a slow reader reads: the grain of the event loop's timers. */
const READ_NS = MILLISECOND_NS;

interface Held {
  readonly flow: Releasable;
  bytes: number;
}

/**
 * Lets go of what has arrived at a rate, in the order of its arrival; at once while the rate is unlimited. What it holds counts against the flows' receive
 * windows, which bound it.
 */
export class SlowReader {
  private readonly schedule: (atNs: number) => void;
  private readonly held: Held[] = [];
  private isScheduled = false;
  private rateBps = Number.POSITIVE_INFINITY;
  /** Bytes that may be read now. */
  private allowanceBytes = 0;
  private readNs = 0;

  /** `schedule` asks for one call of `advance` at a time. */
  constructor(schedule: (atNs: number) => void) {
    this.schedule = schedule;
  }

  /** Reads at `rateBps` from now on; Infinity: at once, what it holds too. */
  setRate(rateBps: number, nowNs: number): void {
    this.rateBps = rateBps;
    this.allowanceBytes = 0;
    this.readNs = nowNs;
    this.read(nowNs);
  }

  /** `bytes` of the flow have been delivered. */
  take(flow: Releasable, bytes: number, nowNs: number): void {
    if (this.rateBps === Number.POSITIVE_INFINITY) {
      flow.release(bytes);
      return;
    }
    // Nobody saves up reading while there is nothing to read.
    if (this.held.length === 0) this.readNs = nowNs;
    const last = this.held.at(-1);
    if (last?.flow === flow) last.bytes += bytes;
    else this.held.push({ flow, bytes });
    this.plan();
  }

  /** Comes when it was scheduled. */
  advance(nowNs: number): void {
    this.isScheduled = false;
    this.read(nowNs);
  }

  /** Reads what its rate allows by `nowNs`. */
  private read(nowNs: number): void {
    this.allowanceBytes += nowNs > this.readNs ? ((nowNs - this.readNs) / SECOND_NS) * (this.rateBps / 8) : 0;
    this.readNs = nowNs;
    if (this.rateBps === Number.POSITIVE_INFINITY) this.allowanceBytes = Number.POSITIVE_INFINITY;
    while (this.held.length > 0 && this.allowanceBytes >= 1) this.readFirst();
    if (this.held.length === 0) this.allowanceBytes = 0;
    this.plan();
  }

  private plan(): void {
    if (this.isScheduled || this.held.length === 0 || this.rateBps === 0) return;
    this.isScheduled = true;
    this.schedule(this.readNs + READ_NS);
  }

  private readFirst(): void {
    const first = this.held[0];
    const bytes = Math.min(first.bytes, Math.floor(this.allowanceBytes));
    first.bytes -= bytes;
    this.allowanceBytes -= bytes;
    if (first.bytes === 0) this.held.shift();
    first.flow.release(bytes);
  }
}
