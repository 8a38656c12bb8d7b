// Tested by test/loopback/live-page.test.ts
/** A chart of the last minute that moves on, by uPlot: curves, levels such as the limit of a queue, and marks of what was changed. */
import uPlot from 'uplot';
import type { PageMark } from '../report/page-data.js';
import type { Line } from './live-history.js';
import { lineColour, lineDash, onScheme, pageColour } from './palette.js';
import { axisOf, drawMarks, legendOf, yRange } from './plot.js';

/** What is in view, s. */
const SPAN_S = 60;
const ASPECT = 2.1;

export interface TimeLine {
  readonly name: string;
  readonly y: Line;
}

/** A line across the chart. */
export interface Level {
  readonly name: string;
  readonly y: number;
}

export interface TimePlotOptions {
  readonly title: string;
  /** Charts with one group share the cursor. */
  readonly group: string;
  /** A value with its unit. */
  format(value: number): string;
  /** The highest value that the axis shows without need. */
  readonly top?: number;
  /** Between values at the axis, where those of decimals do not fit. */
  readonly increments?: readonly number[];
}

/** Of sizes: powers of two. */
export const BINARY: readonly number[] = Array.from({ length: 41 }, (_, power) => 2 ** power);

export class TimePlot {
  readonly element = document.createElement('figure');
  private readonly options: TimePlotOptions;
  private readonly place = document.createElement('div');
  private readonly caption = document.createElement('figcaption');
  private chart: uPlot | null = null;
  private names = '';
  private levels: readonly Level[] = [];
  private marks: readonly PageMark[] = [];

  constructor(options: TimePlotOptions) {
    this.options = options;
    this.caption.textContent = options.title;
    this.place.className = 'live';
    this.place.setAttribute('role', 'img');
    this.element.append(this.caption, this.place);
    new ResizeObserver(() => this.chart?.setSize(this.size())).observe(this.place);
    onScheme(() => this.chart?.redraw(false));
  }

  set text(caption: string) {
    if (this.caption.textContent !== caption) this.caption.textContent = caption;
  }

  /** `timesS` and the values of each line at these. */
  draw(
    timesS: readonly number[],
    lines: readonly TimeLine[],
    parts: { levels?: readonly Level[]; marks: readonly PageMark[] },
  ): void {
    this.levels = parts.levels ?? [];
    this.marks = parts.marks;
    this.place.setAttribute('aria-label', this.inWords(lines));
    if (!this.element.isConnected || this.place.clientWidth === 0) return;
    const names = lines.map(({ name }) => name).join('\n');
    if (this.chart === null || names !== this.names) this.make(lines);
    this.names = names;
    const data = [timesS, ...lines.map(({ y }) => y)] as uPlot.AlignedData;
    const end = timesS.at(-1) ?? 0;
    this.chart?.batch(() => {
      this.chart?.setData(data, false);
      this.chart?.setScale('x', { min: end - SPAN_S, max: end });
    });
  }

  close(): void {
    this.chart?.destroy();
    this.element.remove();
  }

  /** For who cannot see it: where each line is now, the first ones. */
  private inWords(lines: readonly TimeLine[]): string {
    const values = lines.slice(0, 8).map(({ name, y }) => `${name} ${this.valueText(y.at(-1) ?? null)}`);
    return `${this.options.title}, now: ${values.length === 0 ? 'nothing' : values.join(', ')}`;
  }

  private valueText(value: number | null | undefined): string {
    return value === null || value === undefined ? '-' : this.options.format(value);
  }

  private make(lines: readonly TimeLine[]): void {
    this.chart?.destroy();
    const { group, format, top = 0, increments } = this.options;
    const values = {
      ...axisOf(''),
      ...{ size: 78, labelSize: 0 },
      values: (_: uPlot, splits: number[]) => splits.map((value) => plain(format(value))),
      ...(increments !== undefined && { incrs: [...increments] }),
    };
    const times: uPlot.Axis = {
      ...axisOf(''),
      ...{
        size: 30,
        labelSize: 0,
        splits: tensBefore,
        values: (chart, splits) => splits.map((at) => agoText(chart, at)),
      },
    };
    const options: uPlot.Options = {
      ...this.size(),
      scales: {
        x: { time: false, auto: false },
        y: { range: (_, low, high) => yRange(low, Math.max(high ?? 0, top, ...this.levels.map(({ y }) => y))) },
      },
      axes: [times, values],
      series: [
        { label: 'time', value: (chart, value) => (value === null ? '-' : agoText(chart, value)) },
        ...lines.map((line, at) => this.seriesOf(line, at)),
      ],
      cursor: { sync: { key: group }, drag: { x: false, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.3 },
      legend: legendOf(lines.map((_, at) => at)),
      hooks: {
        draw: [(chart) => drawLevels(chart, this.levels), (chart) => drawMarks(chart, this.marks)],
      },
    };
    this.place.replaceChildren();
    this.chart = new uPlot(options, [[], ...lines.map(() => [])] as unknown as uPlot.AlignedData, this.place);
  }

  private seriesOf({ name }: TimeLine, at: number): uPlot.Series {
    return {
      label: name,
      stroke: () => lineColour(at),
      dash: lineDash(at),
      width: 1.75,
      spanGaps: false,
      points: { show: false },
      value: (_, value) => this.valueText(value),
    };
  }

  private size(): { width: number; height: number } {
    const width = Math.max(240, this.place.clientWidth);
    return { width, height: Math.round(width / ASPECT) };
  }
}

/** Every ten seconds before the latest sample. */
function tensBefore({ scales }: uPlot): number[] {
  const end = scales.x.max ?? 0;
  const step = SPAN_S / 6;
  return Array.from({ length: 7 }, (_, at) => end - SPAN_S + at * step);
}

/** Without zeros that say nothing: `20 Mbit/s`. */
function plain(text: string): string {
  return text.replace(/\.(\d*?)0+(?=\D|$)/, (_, digits: string) => (digits === '' ? '' : `.${digits}`));
}

/** `-20 s`: before the latest sample. */
function agoText({ scales }: uPlot, at: number): string {
  const ago = Math.round((at - (scales.x.max ?? at)) * 10) / 10;
  return ago === 0 ? 'now' : `${ago} s`;
}

function drawLevels({ ctx, bbox, valToPos, scales }: uPlot, levels: readonly Level[]): void {
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = pageColour('--orange');
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.lineWidth = devicePixelRatio;
  for (const { name, y } of levels) {
    if (y > (scales.y.max ?? 0)) continue;
    const top = valToPos(y, 'y', true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, top);
    ctx.lineTo(bbox.left + bbox.width, top);
    ctx.stroke();
    ctx.fillText(name, bbox.left + bbox.width - 4, top - 2);
  }
  ctx.restore();
}
