// Tested by test/apps/top/live.test.ts
import { emitKeypressEvents } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { failureOf } from '../../base/failure.js';
import { hasColors, LiveRegion, type TerminalShape } from '../../report/terminal.js';
import type { Reading } from './reading.js';
import { SORTS, type Sort, screenLines } from './screen.js';
import type { ReadingSource } from './source.js';
import { type TopView, viewOf } from './view.js';

export interface LiveOptions {
  readonly source: ReadingSource;
  readonly intervalMs: number;
  readonly sort: Sort;
  readonly screen: NodeJS.WritableStream & TerminalShape;
  /** Null where nobody presses keys. */
  readonly keys: ReadStream | null;
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** A live table: one reading at a time, drawn after each, and again when a key is pressed or the terminal changes its size. */
export class LiveTop {
  /** Settles when somebody quits. */
  readonly over: Promise<void>;
  private readonly options: LiveOptions;
  private readonly region: LiveRegion;
  private end: () => void = () => {};
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;
  private last: Reading;
  private view: TopView | null = null;
  private sort: Sort;
  private isPaused = false;
  private trouble: string | null = null;
  private from = 0;
  /** By key. A terminal whose keys are read one by one makes no signal of ^C. */
  private readonly actions: ReadonlyMap<string, () => void> = new Map([
    ['q', () => this.quit()],
    ['^c', () => this.quit()],
    ['p', () => this.pause()],
    ['s', () => this.turnSort(1)],
    ['right', () => this.turnSort(1)],
    ['left', () => this.turnSort(-1)],
    ['down', () => this.scroll(1)],
    ['up', () => this.scroll(-1)],
  ]);

  /** `first`: there was an answer once, so that from now on no answer is waited for. */
  constructor(options: LiveOptions, first: Reading) {
    this.options = options;
    this.region = new LiveRegion(options.screen);
    this.sort = options.sort;
    this.last = first;
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.listen();
    this.draw();
    this.later();
  }

  quit(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    const { keys, screen } = this.options;
    screen.removeListener('resize', this.draw);
    keys?.removeListener('keypress', this.press);
    keys?.setRawMode(false);
    keys?.pause();
    this.region.done();
    this.end();
  }

  private listen(): void {
    const { keys, screen } = this.options;
    screen.on('resize', this.draw);
    if (keys === null) return;
    emitKeypressEvents(keys);
    keys.setRawMode(true);
    keys.on('keypress', this.press);
    keys.resume();
  }

  private later(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => void this.turn(), this.options.intervalMs);
  }

  private async turn(): Promise<void> {
    if (!this.isPaused) await this.look();
    this.draw();
    this.later();
  }

  /** A process that is lost is said so until it answers again. */
  private async look(): Promise<void> {
    try {
      const now = await this.options.source.read();
      this.view = this.trouble === null ? viewOf(this.last, now, Date.now() / 1e3) : this.view;
      this.last = now;
      this.trouble = null;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      this.trouble = failure.message;
    }
  }

  private readonly draw = (): void => {
    if (this.isOver) return;
    const { source, screen } = this.options;
    const { rows } = this.region.size;
    const { sort, isPaused, trouble, from } = this;
    const state = { address: source.address, sort, isPaused, trouble, from, rows, hasColors: hasColors(screen) };
    this.region.draw(screenLines(this.view, state));
  };

  private readonly press = (_: string | undefined, { name = '', ctrl = false }: Key): void => {
    const action = this.actions.get(ctrl ? `^${name}` : name);
    if (action === undefined || this.isOver) return;
    action();
    this.draw();
  };

  private pause(): void {
    this.isPaused = !this.isPaused;
  }

  private turnSort(by: number): void {
    this.sort = SORTS[(SORTS.indexOf(this.sort) + by + SORTS.length) % SORTS.length];
  }

  private scroll(by: number): void {
    const ports = this.view?.ports.length ?? 0;
    this.from = Math.max(0, Math.min(ports - 1, this.from + by));
  }
}
