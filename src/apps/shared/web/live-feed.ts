// Tested by test/loopback/live-server.test.ts
/** Samples of a process for all who look at its live page: taken ten times a second while somebody does, once for all. */
import { type LiveMark, type LiveSample, type LiveScene, sceneChanges } from '../../../report/live-data.js';

/** What a process knows of itself at one moment. */
export interface LiveLook {
  readonly scene: LiveScene;
  readonly sample: LiveSample;
}

/** Who shows something. */
export interface LiveSource {
  look(): LiveLook | Promise<LiveLook>;
  /** Does a command, plain JSON; throws a ConfigError or a Failure for one that it does not take. Absent where nothing can be changed. */
  change?(command: unknown): Promise<object> | object;
}

/** One who looks. */
export interface Viewer {
  /** Text of server-sent events. */
  take(text: string): void;
}

/** Ten a second. */
const SAMPLE_MS = 100;
/** Samples between two comparisons of the scene with the one before. Ours: a change by somebody else shows within half a second. */
const SCENE_EVERY = 5;
/** Marks that are kept for whoever looks later (ours). */
const MAX_MARKS = 100;

export interface FeedOptions {
  readonly source: LiveSource;
  onProblem(error: unknown): void;
}

export class LiveFeed {
  private readonly options: FeedOptions;
  private readonly viewers = new Set<Viewer>();
  private readonly marks: LiveMark[] = [];
  private scene: LiveScene | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isOver = false;
  private looks = 0;
  private marked = 0;

  constructor(options: FeedOptions) {
    this.options = options;
  }

  get size(): number {
    return this.viewers.size;
  }

  /** Tells the viewer what there is, and from now on every sample. */
  add(viewer: Viewer): void {
    this.viewers.add(viewer);
    if (this.scene !== null) this.greet(viewer, this.scene);
    if (this.timer === undefined) {
      this.timer = setInterval(() => void this.look(), SAMPLE_MS);
      void this.look();
    }
  }

  remove(viewer: Viewer): void {
    if (this.viewers.delete(viewer) && this.viewers.size === 0) this.rest();
  }

  close(): void {
    this.isOver = true;
    this.viewers.clear();
    this.rest();
  }

  /** Something was changed: everybody hears of it with the next sample. */
  changed(): void {
    this.looks = 0;
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.looks = 0;
  }

  /** A source that is slow is asked no second time meanwhile. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const { scene, sample } = await this.options.source.look();
      if (this.isOver || this.viewers.size === 0) return;
      if (this.scene === null || this.looks++ % SCENE_EVERY === 0) this.compare(scene, sample.atMs);
      this.tell(eventText('sample', sample));
    } catch (error) {
      if (!this.isOver) this.options.onProblem(error);
    } finally {
      this.isLooking = false;
    }
  }

  private compare(scene: LiveScene, atMs: number): void {
    const before = this.scene;
    this.scene = scene;
    if (before === null) {
      for (const viewer of this.viewers) this.greet(viewer, scene);
      return;
    }
    if (JSON.stringify(before) === JSON.stringify(scene)) return;
    this.tell(eventText('scene', scene));
    for (const text of sceneChanges(before, scene)) this.mark(atMs, text);
  }

  private mark(atMs: number, text: string): void {
    const mark = { number: ++this.marked, atMs, text };
    this.marks.push(mark);
    if (this.marks.length > MAX_MARKS) this.marks.shift();
    this.tell(eventText('mark', mark));
  }

  private greet(viewer: Viewer, scene: LiveScene): void {
    viewer.take(eventText('scene', scene) + this.marks.map((mark) => eventText('mark', mark)).join(''));
  }

  private tell(text: string): void {
    for (const viewer of [...this.viewers]) viewer.take(text);
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: JSON has no line end. */
function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
