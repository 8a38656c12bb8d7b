import { type Interval, Intervals, type Progress } from './intervals.js';

/** Numbers that the list of intervals may hold, one for each flow of each interval: 16 MB of them (ours). */
const MAX_NUMBERS = 1_000_000;
/** What is left of an interval at the end is shown when it is at least this part of one (ours): less of it is noise. */
const LEAST_REST = 0.1;

export interface IntervalLogOptions {
  /** 0: none. */
  readonly intervalNs: number;
  /** Not measured, at the beginning. */
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
  private progress: (() => Progress) | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: IntervalLogOptions) {
    this.options = options;
  }

  /** The data begins to flow; `progress` says how far it is, whenever it is asked. */
  start(progress: () => Progress): void {
    const { omitNs, intervalNs } = this.options;
    if (intervalNs === 0) return;
    this.progress = progress;
    if (omitNs === 0) this.begin(progress());
    else this.timer = setTimeout(() => this.begin(progress()), omitNs / 1e6);
  }

  /** The data has ended: the rest of an interval is the last. May be called again. */
  stop(): void {
    clearInterval(this.timer);
    const { measured, progress } = this;
    this.measured = null;
    if (measured === null || progress === null) return;
    const now = progress();
    if (measured.elapsedNs(now.nowNs) >= LEAST_REST * this.options.intervalNs) this.add(measured.cut(now));
  }

  private begin(now: Progress): void {
    this.measured = new Intervals(now);
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
