import { displayDuration } from '../../base/display.js';
import { LiveRegion, progressBar, type TerminalShape } from '../../report/terminal.js';
import type { RunProgress } from '../../scenario/play/run-all.js';

const BAR_WIDTH = 30;
/** Lines of a log instead of a bar come this far apart (ours). */
const LINE_MS = 10_000;

/** How far runs are, on standard error: one bar on a terminal, now and then a line elsewhere. */
export class ProgressBar {
  private readonly region: LiveRegion;
  private readonly name: string;
  private readonly now: () => number;
  private readonly startMs: number;
  private lineMs: number;

  constructor(
    terminal: NodeJS.WritableStream & TerminalShape,
    name: string,
    now: () => number = () => performance.now(),
  ) {
    this.region = new LiveRegion(terminal);
    this.name = name;
    this.now = now;
    this.startMs = now();
    this.lineMs = this.startMs;
  }

  draw(progress: RunProgress): void {
    const nowMs = this.now();
    const line = this.line(progress, nowMs - this.startMs);
    if (this.region.isLive) this.region.draw([line]);
    else if (nowMs - this.lineMs >= LINE_MS) {
      this.region.print(line);
      this.lineMs = nowMs;
    }
  }

  /** A line that stays. */
  print(line: string): void {
    this.region.print(line);
  }

  clear(): void {
    this.region.clear();
  }

  /** `'lab'  [######----]  60 %  6 of 10 runs, 1 failed  ETA 2:05`. */
  private line({ total, done, failed, part, workers }: RunProgress, spentMs: number): string {
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    const runs = total === 1 ? '' : `  ${done} of ${total} runs${failed > 0 ? `, ${failed} failed` : ''}`;
    const eta = displayDuration(part === 0 ? Number.NaN : (spentMs * 1e6 * (1 - part)) / part);
    const by = workers === undefined ? '' : `  ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
    return `'${this.name}'  ${progressBar(part, BAR_WIDTH)}  ${percent}${runs}${by}  ETA ${eta}`;
  }
}
