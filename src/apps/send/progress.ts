import { displayCount, displayDuration, displayRate, displaySize, printable } from '../../base/display.js';
import { LiveRegion, progressBar, type TerminalShape } from '../../report/terminal.js';

/** How often the bar is drawn: as often as an eye follows (ours). */
const DRAW_MS = 100;
/** Over how long rates are smoothed: a second shows a change soon and stands still enough to be read (ours). */
const SMOOTHING_NS = 1e9;
/** With these, a line has 80 columns at most. */
const BAR_WIDTH = 6;
const NAME_WIDTH = 22;
/** Files with a line of their own, beside that of all (ours). */
const MOST_LINES = 4;

/** One file that is being sent. */
export interface ProgressSource {
  readonly name: string;
  readonly bytes: number;
  /** Bytes that the receiver has. */
  sentBytes(): number;
}

/** Rate and remaining time of one file, from samples of how far it is. */
export class PaceMeter {
  private readonly totalBytes: number;
  private sampledNs: number;
  private sampledBytes = 0;
  private bps = Number.NaN;

  constructor(totalBytes: number, startNs: number) {
    this.totalBytes = totalBytes;
    this.sampledNs = startNs;
  }

  /** Bit/s, smoothed; NaN before the first sample. */
  get rateBps(): number {
    return this.bps;
  }

  /** ns until the end at this rate; NaN or Infinity when nobody knows. */
  get remainingNs(): number {
    return ((this.totalBytes - this.sampledBytes) * 8e9) / this.bps;
  }

  sample(bytes: number, nowNs: number): void {
    const spanNs = nowNs - this.sampledNs;
    if (spanNs <= 0) return;
    const bps = ((bytes - this.sampledBytes) * 8e9) / spanNs;
    const weight = Number.isNaN(this.bps) ? 1 : 1 - Math.exp(-spanNs / SMOOTHING_NS);
    this.bps = Number.isNaN(this.bps) ? bps : this.bps + weight * (bps - this.bps);
    this.sampledNs = nowNs;
    this.sampledBytes = bytes;
  }
}

/** `'big.iso'  [####--]   60 %  9.600 MiB  94.82 Mbit/s  ETA 2:05`; without a share and an end for a pipe. */
export function progressLine(name: string, totalBytes: number, sentBytes: number, pace: PaceMeter): string {
  const label = shortened(name);
  if (!Number.isFinite(totalBytes)) return `'${label}'  ${displaySize(sentBytes)}  ${displayRate(pace.rateBps)}`;
  const sent = Math.min(sentBytes, totalBytes);
  const part = totalBytes === 0 ? 1 : sent / totalBytes;
  const percent = `${Math.floor(part * 100)} %`.padStart(5);
  const eta = displayDuration(pace.remainingNs);
  return `'${label}'  ${progressBar(part, BAR_WIDTH)}  ${percent}  ${displaySize(sent)}  ${displayRate(pace.rateBps)}  ETA ${eta}`;
}

/** The end of a name says more than its beginning. */
function shortened(name: string): string {
  const characters = [...printable(name)];
  return characters.length <= NAME_WIDTH ? characters.join('') : `...${characters.slice(3 - NAME_WIDTH).join('')}`;
}

/** What all files are, or how far they are. */
interface Totals {
  readonly files: number;
  readonly bytes: number;
}

/** `12/10,000 files   34 %  81.00 Mbit/s  ETA 0:21`. */
function totalLine(done: Totals, all: Totals, pace: PaceMeter): string {
  const files = `${displayCount(done.files)}/${displayCount(all.files)} files`;
  if (!Number.isFinite(all.bytes)) return `${files}  ${displaySize(done.bytes)}  ${displayRate(pace.rateBps)}`;
  const percent = `${Math.floor((all.bytes === 0 ? 1 : Math.min(1, done.bytes / all.bytes)) * 100)} %`.padStart(5);
  return `${files}  ${percent}  ${displayRate(pace.rateBps)}  ETA ${displayDuration(pace.remainingNs)}`;
}

/** Draws a line for every file under way, on a terminal; nothing anywhere else. */
export class ProgressDisplay {
  private readonly region: LiveRegion;
  private readonly now: () => number;
  private readonly active = new Map<ProgressSource, PaceMeter>();
  private readonly all: Totals;
  private readonly pace: PaceMeter;
  private done = { files: 0, bytes: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    terminal: NodeJS.WritableStream & TerminalShape,
    now: () => number,
    jobs: readonly { readonly header: { readonly bytes: number } }[],
  ) {
    this.region = new LiveRegion(terminal);
    this.now = now;
    const bytes = jobs.reduce((sum, { header }) => sum + header.bytes, 0);
    this.all = { files: jobs.length, bytes };
    this.pace = new PaceMeter(bytes, now());
  }

  start(): void {
    if (this.region.isLive) this.timer = setInterval(() => this.draw(), DRAW_MS);
  }

  add(source: ProgressSource): void {
    this.active.set(source, new PaceMeter(source.bytes, this.now()));
  }

  remove(source: ProgressSource): void {
    this.active.delete(source);
    const bytes = Number.isFinite(source.bytes) ? source.bytes : source.sentBytes();
    this.done = { files: this.done.files + 1, bytes: this.done.bytes + bytes };
  }

  /** Takes the lines away. */
  stop(): void {
    clearInterval(this.timer);
    this.region.clear();
  }

  private draw(): void {
    const nowNs = this.now();
    const lines: string[] = [];
    let { bytes } = this.done;
    for (const [source, pace] of this.active) {
      const sentBytes = source.sentBytes();
      pace.sample(sentBytes, nowNs);
      bytes += Math.min(sentBytes, source.bytes);
      if (lines.length < MOST_LINES) lines.push(progressLine(source.name, source.bytes, sentBytes, pace));
    }
    this.pace.sample(bytes, nowNs);
    if (this.all.files > 1) lines.push(totalLine({ files: this.done.files, bytes }, this.all, this.pace));
    this.region.draw(lines);
  }
}
