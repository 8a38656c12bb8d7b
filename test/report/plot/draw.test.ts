import { describe, expect, it } from 'vitest';
import type { BarChart, Chart, LineChart, ScatterChart } from '../../../src/report/plot/chart.js';
import { drawChart } from '../../../src/report/plot/draw.js';
import { MAX_SERIES } from '../../../src/report/plot/style.js';

const LINES: LineChart = {
  kind: 'lines',
  title: 'Utilisation <by flows>',
  x: { name: 'flows', scale: 'log2' },
  y: { name: 'utilisation', min: 0.9, max: 1 },
  series: [
    {
      name: 'steady',
      x: [1, 2, 4, 8],
      y: [1, 0.99, 0.98, 0.97],
      band: { low: [1, 0.98, 0.96, 0.95], high: [1, 1, 1, 1] },
    },
    { name: '"naive" & <others>', x: [1, 2, 8], y: [0.95, Number.NaN, 0.92], stepped: true },
  ],
  references: [
    { label: 'paper 0.978', y: 0.978 },
    { label: 'max-min 0.975', y: 0.975 },
  ],
};

const BARS: BarChart = {
  kind: 'bars',
  x: { name: 'credit queue (credits)' },
  y: { name: 'under-utilisation (%)' },
  groups: ['1', '8', '32'],
  series: [
    { name: '2 flows', values: [4, 1, null] },
    { name: '32 flows', values: [9, 4, -0.5] },
  ],
};

const SCATTER: ScatterChart = {
  kind: 'scatter',
  x: { name: 'utilisation' },
  y: { name: 'Jain' },
  series: [
    {
      name: 'steady',
      points: [
        { x: 0.99, y: 0.97, label: '8 flows' },
        { x: 1, y: 0.95 },
      ],
    },
    {
      name: 'naive',
      points: [
        { x: 0.6, y: 0.9, label: '2 flows' },
        { x: Number.NaN, y: 1, label: 'nowhere' },
      ],
    },
  ],
};

describe('a drawing', () => {
  it.each<[string, Chart]>([
    ['lines', LINES],
    ['bars', BARS],
    ['scatter', SCATTER],
  ])('of %s is the same to the last byte, on every machine and whatever was drawn before', async (name, chart) => {
    const first = drawChart(chart);
    for (const other of [BARS, LINES, SCATTER]) drawChart(other);
    expect(drawChart(chart)).toBe(first);
    await expect(`${first}\n`).toMatchFileSnapshot(`${name}.golden.svg`);
  });

  it('has text as text, whatever is in it', () => {
    const svg = drawChart(LINES);
    expect(svg).toContain('&#34;naive&#34; &#38; &#60;others&#62;');
    expect(svg).not.toContain('<others>');
    expect(svg).not.toMatch(/<(script|style|image|foreignObject)|href|onload/);
  });

  it('has no ids, which would be of the whole page where it stands in one', () => {
    for (const chart of [LINES, BARS, SCATTER]) expect(drawChart(chart)).not.toMatch(/ id=|url\(/);
  });

  it('writes numbers to a hundredth of a pixel', () => {
    for (const chart of [LINES, BARS, SCATTER]) expect(drawChart(chart)).not.toMatch(/="[^"]*\d\.\d{3}/);
  });

  it('cuts off a line that leaves the axes, and markers outside with it', () => {
    const x = [1, 2, 3];
    const svg = drawChart({ ...LINES, y: { name: '', min: 0, max: 1 }, series: [{ name: '', x, y: [0.5, 1, 9] }] });
    expect(svg).toMatch(/<svg x="[^>]*viewBox="[^>]*>\n<path d="M[^"]*"/);
    expect(svg.match(/translate\([^)]*\)" fill="#0072b2"/g)).toHaveLength(2);
  });

  it('has its reference lines where the axis has their values', () => {
    const svg = drawChart(LINES);
    const [low, high] = ['0.90', '1.00'].map((tick) => heightOf(svg, new RegExp(`y="(\\S+)"[^>]*>${tick}<`)));
    const wanted = low + ((high - low) * (0.978 - 0.9)) / 0.1;
    const drawn = [...svg.matchAll(/M\S+ (\S+)H\S+" fill="none" stroke="#555555"/g)].map((match) => Number(match[1]));
    expect(drawn).toHaveLength(2);
    expect(drawn[0]).toBeCloseTo(wanted, 1);
    expect(drawn[1] - drawn[0]).toBeGreaterThan(4);
  });

  it('moves labels of reference lines apart that would lie on each other', () => {
    const svg = drawChart(LINES);
    const [paper, maxMin] = ['paper', 'max-min'].map((label) => heightOf(svg, new RegExp(`y="(\\S+)"[^>]*>${label}`)));
    expect(maxMin - paper).toBeGreaterThanOrEqual(13);
  });

  it('cuts titles and names that are longer than its sides', () => {
    const long = 'utilisation of the data share '.repeat(5);
    const svg = drawChart({ ...LINES, title: long, x: { name: long }, y: { name: long } });
    const lengths = [...svg.matchAll(/>(utilisation[^<]*…)</g)].map(([, text]) => text.length);
    expect(lengths).toHaveLength(3);
    for (const length of lengths) expect(length).toBeLessThan(640 / 7);
  });

  it('leaves out a reference line beyond the axis', () => {
    expect(drawChart({ ...LINES, references: [{ label: 'beyond', y: 0.5 }] })).not.toContain('beyond<');
  });

  it('has a gap in its line and in its band where there is no value', () => {
    const x = [1, 2, 3, 4, 5, 6];
    const y = [1, 1, 1, Number.NaN, 1, 1];
    const gap = drawChart({
      ...LINES,
      references: [],
      x: { name: '' },
      y: { name: '' },
      series: [{ name: '', x, y, band: { low: y, high: y } }],
    });
    expect(gap).toMatch(/d="M[^"]*ZM[^"]*Z" fill="#0072b2" fill-opacity/);
    expect(gap).toMatch(/d="M[^"]*M[^"]*" fill="none" stroke="#0072b2"/);
  });

  it('stays below 300 KB, however many and long its lines are', () => {
    const x = Float64Array.from({ length: 3000 }, (_, at) => at);
    const noise = (seed: number) => x.map((at) => ((at * 7919 + seed * 104_729) % 1000) / 1000);
    const series = Array.from({ length: MAX_SERIES }, (_, at) => ({
      name: `flow ${at}`,
      x,
      y: noise(at),
      band: { low: noise(at + 1), high: noise(at + 2) },
      stepped: at % 2 === 0,
    }));
    expect(drawChart({ kind: 'lines', x: { name: '' }, y: { name: '' }, series }).length).toBeLessThan(300_000);
    const plain = series.map(({ name, y }) => ({ name, x, y }));
    expect(drawChart({ kind: 'lines', x: { name: '' }, y: { name: '' }, series: plain }).length).toBeLessThan(300_000);
  });

  it('shows markers of short lines, and of none when one is long', () => {
    const short = { name: 'short', x: [1, 2], y: [1, 2] };
    const x = Array.from({ length: 41 }, (_, at) => at);
    const draw = (series: LineChart['series']) =>
      drawChart({ kind: 'lines', x: { name: '' }, y: { name: '' }, series });
    const markers = /translate\([^)]*\)" fill="#/g;
    expect(draw([short]).match(markers)?.length).toBe(2);
    expect(draw([short, { name: 'long', x, y: x }])).not.toMatch(markers);
  });

  it('begins bars at the lower end of a logarithmic axis, below the smallest', () => {
    const svg = drawChart({
      ...BARS,
      y: { name: '', scale: 'log10' },
      series: [{ name: '', values: [0.01, 0.1, 10] }],
    });
    expect(svg).toContain('>0.001<');
    const lowerEnds = [...svg.matchAll(/y="(\S+)" width="\S+" height="(\S+)" fill="#0072b2"/g)].map(([, y, height]) =>
      (Number(y) + Number(height)).toFixed(1),
    );
    expect(lowerEnds).toHaveLength(3);
    expect(new Set(lowerEnds).size).toBe(1);
  });

  it('of no data at all is a frame with axes', () => {
    const empty = drawChart({ kind: 'lines', x: { name: 'time (ms)' }, y: { name: 'rate' }, series: [] });
    expect(empty).toContain('time (ms)');
    expect(empty).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('is refused for more series than can be told apart', () => {
    const series = Array.from({ length: MAX_SERIES + 1 }, () => ({ name: '', x: [], y: [] }));
    expect(() => drawChart({ ...LINES, series })).toThrow('told apart');
  });
});

function heightOf(svg: string, pattern: RegExp): number {
  return Number(pattern.exec(svg)?.[1]);
}
