import { displayDuration, displayRate, displaySize } from '../../base/display.js';
import { LiveRegion, progressBar, type TerminalShape } from '../../report/terminal.js';

/** How often the bar is drawn: as often as an eye follows (ours). */
const DRAW_MS = 100;
/** Over how long rates are smoothed: a second shows a change soon and stands still enough to be read (ours). */
const SMOOTHING_NS = 1e9;
const BAR_WIDTH = 30;

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

/** `'big.iso'  [######----]  60.00 %  9.600 MiB  94.82 Mbit/s  ETA 2:05`. */
export function progressLine(name: string, totalBytes: number, sentBytes: number, pace: PaceMeter): string {
  const sent = Math.min(sentBytes, totalBytes);
  const part = totalBytes === 0 ? 1 : sent / totalBytes;
  const percent = `${Math.floor(part * 100)} %`.padStart(5);
  const eta = displayDuration(pace.remainingNs);
  return `'${name}'  ${progressBar(part, BAR_WIDTH)}  ${percent}  ${displaySize(sent)}  ${displayRate(pace.rateBps)}  ETA ${eta}`;
}

/** Draws a line for every file under way, on a terminal; nothing anywhere else. */
export class ProgressDisplay {
  private readonly region: LiveRegion;
  private readonly now: () => number;
  private readonly active = new Map<ProgressSource, PaceMeter>();
  private timer: NodeJS.Timeout | undefined;

  constructor(terminal: NodeJS.WritableStream & TerminalShape, now: () => number) {
    this.region = new LiveRegion(terminal);
    this.now = now;
  }

  start(): void {
    if (this.region.isLive) this.timer = setInterval(() => this.draw(), DRAW_MS);
  }

  add(source: ProgressSource): void {
    this.active.set(source, new PaceMeter(source.bytes, this.now()));
  }

  remove(source: ProgressSource): void {
    this.active.delete(source);
  }

  /** Takes the lines away. */
  stop(): void {
    clearInterval(this.timer);
    this.region.clear();
  }

  private draw(): void {
    const nowNs = this.now();
    const lines: string[] = [];
    for (const [source, pace] of this.active) {
      const sentBytes = source.sentBytes();
      pace.sample(sentBytes, nowNs);
      lines.push(progressLine(source.name, source.bytes, sentBytes, pace));
    }
    this.region.draw(lines);
  }
}
