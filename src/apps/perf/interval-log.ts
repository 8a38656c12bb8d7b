import type { Results } from '../shared/results.js';
import { type Interval, Intervals } from './intervals.js';
import { intervalLines } from './report.js';

/** Numbers that the list of intervals may hold, one for each flow of each interval: 16 MB of them (ours). */
const MAX_NUMBERS = 1_000_000;
/** What is left of an interval at the end is shown when it is at least this part of one (ours): less of it is noise. */
const LEAST_REST = 0.1;

/** How far a test is. */
export interface Progress {
  readonly nowNs: number;
  /** Of each flow since the test began. */
  readonly bytes: readonly number[];
}

export interface TestStart {
  readonly nowNs: number;
  readonly flows: number;
  readonly omitNs: number;
  /** How far it is, whenever it is asked. */
  progress(): Progress;
}

export interface IntervalLogOptions {
  /** Where the lines go; null for none. */
  readonly results: Results | null;
  readonly intervalNs: number;
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

  /** The test begins; its first interval begins after the time that is left out. */
  start({ nowNs, flows, omitNs, progress }: TestStart): void {
    this.progress = progress;
    if (omitNs === 0) this.begin({ nowNs, bytes: new Array<number>(flows).fill(0) });
    else this.timer = setTimeout(() => this.begin(progress()), omitNs / 1e6);
  }

  /** The data has ended: the rest of an interval is the last. May be called again. */
  stop(): void {
    clearInterval(this.timer);
    const { measured, progress } = this;
    this.measured = null;
    if (measured === null || progress === null) return;
    const now = progress();
    if (measured.elapsedNs(now.nowNs) >= LEAST_REST * this.options.intervalNs)
      this.add(measured.cut(now.nowNs, now.bytes));
  }

  private begin({ nowNs, bytes }: Progress): void {
    this.measured = new Intervals(nowNs, bytes);
    this.timer = setInterval(() => this.cut(), this.options.intervalNs / 1e6);
  }

  private cut(): void {
    if (this.measured === null || this.progress === null) return;
    const { nowNs, bytes } = this.progress();
    this.add(this.measured.cut(nowNs, bytes));
  }

  private add(interval: Interval): void {
    const { results } = this.options;
    if (results !== null) {
      for (const line of intervalLines(interval)) results.line(line);
    } else if ((this.intervals.length + 1) * interval.flows.length <= MAX_NUMBERS) this.intervals.push(interval);
    else this.omitted++;
  }
}
