// Tested by test/report/run-report.test.ts
/** What the script of a report (web/run-report.page.ts) reads from its page: lines over time, which the reader looks at, picks and zooms. */

export interface PageData {
  readonly figures: readonly PageFigure[];
  /** Faults of the scenario, in order. */
  readonly marks: readonly PageMark[];
}

/** Takes the place of a drawing that stands in a `.live` element: the first of the first such, and so on. */
export interface PageFigure {
  readonly xName: string;
  readonly yName: string;
  /** Takes the place of that of the drawing, which shows groups where there are many lines. */
  readonly caption: string;
  /** What its lines are: flows are picked together, links too, and others not at all. */
  readonly kind: 'flows' | 'links' | 'others';
  readonly x: readonly number[];
  readonly lines: readonly PageLine[];
}

export interface PageLine {
  readonly name: string;
  /** One for each x; null for a gap. */
  readonly y: readonly (number | null)[];
  /** Whether it is drawn before anybody picks. */
  readonly isShown: boolean;
}

export interface PageMark {
  /** On the x axis of the figures. */
  readonly x: number;
  /** Stands beside its line: the number of the fault in the page's table. */
  readonly name: string;
}
