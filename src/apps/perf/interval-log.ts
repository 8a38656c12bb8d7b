import type { PerfSample } from '../../services/perf/sample.js';
import { type Interval, Intervals } from './intervals.js';

/** Numbers that the list of intervals may hold, one for each flow of each interval: 16 MB of them (ours). */
const MAX_NUMBERS = 1_000_000;
/** What is left of an interval at the end is shown when it is at least this part of one (ours): less of it is noise. */
const LEAST_REST = 0.1;

export interface IntervalLogOptions {
  /** 0: none. */
  readonly intervalNs: number;
  /** Not measured, at the beginning: its intervals are omitted ones. */
  readonly omitNs: number;
  /** An interval is over. */
  onInterval(interval: Interval): void;
}

/** Tells and keeps the intervals of a test. */
export class IntervalLog {
  readonly intervals: Interval[] = [];
  omitted = 0;
  private readonly options: IntervalLogOptions;
  private measured: Intervals | null = null;
  private progress: (() => PerfSample) | null = null;
  private timer: NodeJS.Timeout | undefined;
  private omitTimer: NodeJS.Timeout | undefined;

  constructor(options: IntervalLogOptions) {
    this.options = options;
  }

  /** The data begins to flow; `progress` says how far it is, whenever it is asked. */
  start(progress: () => PerfSample): void {
    const { omitNs, intervalNs } = this.options;
    if (intervalNs === 0) return;
    this.progress = progress;
    this.begin(progress(), omitNs > 0);
    if (omitNs > 0) this.omitTimer = setTimeout(() => this.begin(this.cutRest(), false), omitNs / 1e6);
  }

  /** The data has ended: the rest of an interval is the last. May be called again. */
  stop(): void {
    clearInterval(this.timer);
    clearTimeout(this.omitTimer);
    this.cutRest();
    this.measured = null;
  }

  private cutRest(): PerfSample | null {
    const { measured, progress } = this;
    if (measured === null || progress === null) return null;
    const now = progress();
    if (measured.elapsedNs(now.nowNs) >= LEAST_REST * this.options.intervalNs) this.add(measured.cut(now));
    return now;
  }

  private begin(now: PerfSample | null, isOmitted: boolean): void {
    if (now === null) return;
    clearInterval(this.timer);
    this.measured = new Intervals(now, isOmitted);
    this.timer = setInterval(() => this.cut(), this.options.intervalNs / 1e6);
  }

  private cut(): void {
    if (this.measured === null || this.progress === null) return;
    this.add(this.measured.cut(this.progress()));
  }

  private add(interval: Interval): void {
    if ((this.intervals.length + 1) * interval.flowBytes.length <= MAX_NUMBERS) this.intervals.push(interval);
    else this.omitted++;
    this.options.onInterval(interval);
  }
}
