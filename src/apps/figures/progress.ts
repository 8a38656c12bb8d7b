import { displayDuration } from '../shared/display.js';
import { LiveRegion, progressBar, type TerminalShape } from '../shared/terminal.js';
import type { DistinctRun, JobList } from './job-list.js';

const BAR_WIDTH = 30;
/** Lines of a log instead of a bar come this far apart (ours). */
const LINE_MS = 10_000;

/**
 * How far figures are, on standard error: one line on a terminal, now and then a line elsewhere. Runs count by their events, since some are a thousand times longer
 * than others.
 */
export class FiguresProgress {
  private readonly region: LiveRegion;
  private readonly jobs: JobList;
  private readonly now: () => number;
  private readonly startMs: number;
  private lineMs: number;
  private events = 0;
  private runs = 0;

  constructor(
    terminal: NodeJS.WritableStream & TerminalShape,
    jobs: JobList,
    now: () => number = () => performance.now(),
  ) {
    this.region = new LiveRegion(terminal);
    this.jobs = jobs;
    this.now = now;
    this.startMs = now();
    this.lineMs = this.startMs;
  }

  done({ events }: DistinctRun): void {
    this.events += events;
    this.runs++;
  }

  draw(): void {
    const nowMs = this.now();
    if (this.region.isLive) this.region.draw([this.line()]);
    else if (nowMs - this.lineMs >= LINE_MS) {
      this.region.print(this.line());
      this.lineMs = nowMs;
    }
  }

  figureDone(name: string): void {
    this.print(`${name}: ${this.line()}`);
  }

  /** A line that stays. */
  print(line: string): void {
    this.region.print(line);
  }

  clear(): void {
    this.region.clear();
  }

  /** `[######----]  60 %  6 of 10 runs  ETA 2:05`. */
  private line(): string {
    const part = this.jobs.events === 0 ? 1 : this.events / this.jobs.events;
    const leftNs = part === 0 ? Number.NaN : ((this.now() - this.startMs) * 1e6 * (1 - part)) / part;
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    return `${progressBar(part, BAR_WIDTH)} ${percent}  ${this.runs} of ${this.jobs.runs.length} runs  ETA ${displayDuration(leftNs)}`;
  }
}
