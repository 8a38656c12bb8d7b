// Tested by test/loopback/playground.test.ts
/** A run on the page: how far it is and how fast, its charts while it goes on, its tables when it is over. */
import { displayDuration } from '../../base/display.js';
import type { TimeMark } from '../../report/fault-marks.js';
import type { PageFigure } from '../../report/page-data.js';
import { completionTable, flowTable, linkTable, summaryTable } from '../../report/run-tables.js';
import { timeUnit } from '../../report/units.js';
import type { SimulationResult } from '../../sim/result.js';
import type { TableData } from '../../telemetry/columns.js';
import { Picker } from '../picker.js';
import { Plot } from '../plot.js';
import { element, factsElement, made, tableElement } from './elements.js';
import { figuresOf, type RunSoFar } from './figures.js';
import type { Begun, PlayedPart, PlayedWhole } from './messages.js';

/** Rows of one table; the JSON result has them all. */
const MAX_ROWS = 100;

interface Drawn {
  readonly figure: PageFigure;
  readonly plot: Plot;
}

export class RunView {
  private readonly progress = element('progress', HTMLProgressElement);
  private readonly speed = element('speed', HTMLElement);
  private readonly charts = element('charts', HTMLElement);
  private readonly pickers = element('pickers', HTMLElement);
  private readonly tables = element('tables', HTMLElement);
  private run: Begun | null = null;
  private drawn: Drawn[] = [];
  /** Waits for the next frame of the screen. */
  private next: (RunSoFar & Begun) | null = null;
  /** Kinds of lines that the reader has picked from: they stay as they are. */
  private readonly picked = new Set<string>();

  /** Nothing is known yet. */
  clear(): void {
    this.run = null;
    this.next = null;
    this.forgetCharts();
    this.tables.replaceChildren();
    this.speed.textContent = '';
    this.progress.removeAttribute('value');
    this.progress.hidden = false;
  }

  /** It has ended, or was stopped. */
  rest(): void {
    this.progress.hidden = true;
  }

  first(nowNs: number): void {
    this.speed.textContent = `First run, to find out how long it lasts or where it is busy: ${displayDuration(nowNs)}`;
  }

  begin(run: Begun): void {
    this.run = run;
    this.progress.max = run.durationNs;
    this.progress.value = 0;
  }

  part({ nowNs, wallMs, series }: PlayedPart): void {
    if (this.run === null) return;
    this.progress.value = nowNs;
    this.speed.textContent = `${displayDuration(nowNs)} of ${displayDuration(this.run.durationNs)}, ${speedText(nowNs, wallMs)}`;
    this.drawSoon({ ...this.run, series, flows: [] });
  }

  /** Of what comes faster than it can be drawn, the latest. */
  private drawSoon(run: RunSoFar & Begun): void {
    if (this.next === null) requestAnimationFrame(() => this.drawNext());
    this.next = run;
  }

  private drawNext(): void {
    if (this.next !== null) this.draw(this.next);
    this.next = null;
  }

  whole({ run: { result, series }, wallMs }: PlayedWhole): void {
    if (this.run === null) return;
    const took = `${displayDuration(result.durationNs)} simulated in ${displayDuration(wallMs * 1e6)}`;
    this.speed.textContent = `${took}, ${speedText(result.durationNs, wallMs)}`;
    this.next = null;
    if (series !== null) this.draw({ ...this.run, durationNs: result.durationNs, series, flows: result.flows });
    this.tables.replaceChildren(...resultElements(result, this.run.faults));
  }

  private draw(run: RunSoFar & Begun): void {
    const figures = figuresOf(run);
    if (this.drawn.length === 0) this.drawn = this.newCharts(figures, run);
    this.drawn.forEach(({ plot }, at) => {
      plot.update(figures[at]);
    });
    for (const [at, { kind, lines }] of figures.entries())
      if (!this.picked.has(kind)) this.drawn[at].plot.show(new Set(lines.filter(isShown).map(({ name }) => name)));
  }

  private forgetCharts(): void {
    for (const { plot } of this.drawn) plot.end();
    this.drawn = [];
    this.picked.clear();
    this.charts.replaceChildren();
    this.pickers.replaceChildren();
  }

  private newCharts(figures: readonly PageFigure[], { faults, durationNs }: Begun): Drawn[] {
    const { factor } = timeUnit(durationNs);
    const marks = faults.map(({ atNs }, at) => ({ x: atNs * factor, name: String(at + 1) }));
    const drawn = figures.map((figure) => {
      const place = made('div', { className: 'live' });
      this.charts.append(made('figure', {}, [place, made('figcaption', {}, [figure.caption])]));
      return { figure, plot: new Plot(place, figure, { group: 'playground', marks }) };
    });
    for (const kind of ['flows', 'links'] as const) this.addPicker(kind, drawn);
    return drawn;
  }

  private addPicker(kind: PageFigure['kind'], drawn: readonly Drawn[]): void {
    const of = drawn.filter(({ figure }) => figure.kind === kind && figure.lines.length > 1);
    if (of.length === 0) return;
    const { lines } = of[0].figure;
    const picker = new Picker(
      kind,
      lines.map(({ name }) => name),
      new Set(lines.filter(isShown).map(({ name }) => name)),
    );
    picker.onChange((names) => {
      this.picked.add(kind);
      for (const { plot } of of) plot.show(names);
    });
    this.pickers.append(picker.element);
  }
}

function isShown({ isShown }: PageFigure['lines'][number]): boolean {
  return isShown;
}

/** How fast virtual time goes, beside that of the reader. */
function speedText(nowNs: number, wallMs: number): string {
  const part = nowNs / 1e6 / Math.max(wallMs, 0.001);
  return `${Number(part.toPrecision(2))} of real time`;
}

function resultElements(result: SimulationResult, faults: readonly TimeMark[]): HTMLElement[] {
  const titled = (title: string, table: TableData): HTMLElement[] =>
    table.rows.length === 0 ? [] : [made('h3', {}, [title]), tableElement(table)];
  return [
    factsElement(summaryTable(result)),
    ...titled('Faults', {
      columns: [{ title: 'number', align: 'right' }, { title: 'time', align: 'right' }, { title: 'what' }],
      rows: faults.map(({ atNs, text }, at) => [String(at + 1), displayDuration(atNs), text]),
    }),
    ...titled('Completion times', completionTable(result.fct)),
    ...titled('Flows', flowTable(result.flows, MAX_ROWS)),
    ...titled('Links, the busiest first', linkTable(result.links, MAX_ROWS)),
  ];
}
