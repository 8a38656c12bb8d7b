// Tested by test/loopback/report-page.test.ts
/** A chart that the reader can point into and zoom, by uPlot. All charts of one `group` share cursor and zoom: uPlot tells the others of the mouse. */
import uPlot from 'uplot';
import type { PageFigure, PageMark } from '../report/page-data.js';
import { lineColour, lineDash, linePiece, offScheme, onScheme, pageColour } from './palette.js';

export interface PlotOptions {
  readonly group: string;
  readonly marks: readonly PageMark[];
}

/** Width over height, as drawings have it. */
const ASPECT = 1.6;
const FONT = '12px system-ui, sans-serif';

export class Plot {
  private readonly target: HTMLElement;
  private readonly figure: PageFigure;
  private readonly chart: uPlot;
  private readonly resize = new ResizeObserver(() => this.chart.setSize(this.size()));
  private readonly repaint = () => this.chart.redraw(false);

  constructor(target: HTMLElement, figure: PageFigure, options: PlotOptions) {
    this.target = target;
    this.figure = figure;
    target.replaceChildren();
    this.chart = new uPlot(this.options(options), dataOf(figure), target);
    this.resize.observe(target);
    onScheme(this.repaint);
  }

  /** It is drawn no more. */
  end(): void {
    this.resize.disconnect();
    offScheme(this.repaint);
    this.chart.destroy();
  }

  /** Shows the lines of these names and no others. */
  show(names: ReadonlySet<string>): void {
    const { chart } = this;
    chart.batch(() => {
      this.figure.lines.forEach(({ name }, at) => {
        const show = names.has(name);
        if (chart.series[at + 1].show !== show) chart.setSeries(at + 1, { show });
      });
    });
  }

  /** Other values of the same lines. */
  update(figure: PageFigure): void {
    this.chart.setData(dataOf(figure));
  }

  private size(): { width: number; height: number } {
    const width = Math.max(280, this.target.clientWidth);
    return { width, height: Math.round(width / ASPECT) };
  }

  private options({ group, marks }: PlotOptions): uPlot.Options {
    const { xName, yName, lines } = this.figure;
    const looks = looksOf(lines);
    return {
      ...this.size(),
      scales: { x: { time: false }, y: { range: (_, low, high) => yRange(low, high) } },
      axes: [axisOf(xName), { ...axisOf(yName), size: 62 }],
      series: [
        { label: xName, value: (_, value) => shown(value) },
        ...lines.map((line, at) => seriesOf(line, looks[at])),
      ],
      cursor: { sync: { key: group, setSeries: true }, drag: { x: true, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.25 },
      legend: legendOf(looks),
      hooks: {
        draw: [(chart) => drawMarks(chart, marks)],
      },
    };
  }
}

function dataOf({ x, lines }: PageFigure): uPlot.AlignedData {
  return [x, ...lines.map(({ y }) => y)] as uPlot.AlignedData;
}

/** Which colour and dash each line has: those that are shown at first have the first ones, so that none of them looks as another. */
function looksOf(lines: PageFigure['lines']): number[] {
  const looks = new Array<number>(lines.length);
  let next = 0;
  for (const isFirst of [true, false]) {
    lines.forEach((line, at) => {
      if (line.isShown === isFirst) looks[at] = next++;
    });
  }
  return looks;
}

/** Beside each name a piece of its line, where uPlot has a square of its colour. */
export function legendOf(looks: readonly number[]): uPlot.Legend {
  return { live: true, markers: { width: 0, fill: (_, series) => linePiece(looks[series - 1]) } };
}

/** From 0. */
export function yRange(low: number | null, high: number | null): uPlot.Range.MinMax {
  const [, top] = uPlot.rangeNum(0, high === null || high <= 0 ? 1 : high, 0.05, true);
  return [Math.min(0, low ?? 0), top];
}

export function axisOf(label: string): uPlot.Axis {
  return {
    label,
    font: FONT,
    labelFont: FONT,
    labelSize: 20,
    stroke: () => pageColour('--ink'),
    values: (_, splits) => splits.map(short),
    grid: { stroke: () => pageColour('--line'), width: 1 },
    ticks: { stroke: () => pageColour('--soft'), width: 1 },
  };
}

function seriesOf({ name, isShown }: PageFigure['lines'][number], look: number): uPlot.Series {
  return {
    label: name,
    show: isShown,
    stroke: () => lineColour(look),
    dash: lineDash(look),
    width: 1.75,
    spanGaps: false,
    points: { show: false },
    value: (_, value) => shown(value),
  };
}

/** With the prefixes of units for what is large: `2.5M`. */
function short(value: number): string {
  const power = Math.min(PREFIXES.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3));
  return `${Number((value / 1000 ** power).toPrecision(6))}${PREFIXES[power]}`;
}

const PREFIXES = ['', 'k', 'M', 'G', 'T'];

/** Four digits say what an eye can see. */
function shown(value: number | null): string {
  return value === null || value === undefined
    ? '-'
    : Number(value.toPrecision(4)).toLocaleString('en', { maximumFractionDigits: 6 });
}

/** A dashed line for each mark with its number, which the page explains; numbers that would meet go down a row. */
export function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly PageMark[]): void {
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = pageColour('--red');
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4, 4]);
  const rowEnds: number[] = [];
  for (const { x, name } of marks) {
    const left = valToPos(x, 'x', true);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    const found = rowEnds.findIndex((end) => end < left);
    const row = found === -1 ? rowEnds.length : found;
    rowEnds[row] = left + ctx.measureText(name).width + 8;
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(name, left + 3, bbox.top + (row + 1) * 12 * devicePixelRatio);
  }
  ctx.restore();
}
