import { describe, expect, it } from 'vitest';
import type { LineChart } from '../../../src/report/plot/chart.js';
import { LEGEND_ROW, layoutOf } from '../../../src/report/plot/layout.js';
import { scaleOf } from '../../../src/report/plot/scale.js';
import { textWidthPx } from '../../../src/report/plot/style.js';

const Y = scaleOf({ name: '' }, [0, 10], { ticks: 5, fromZero: true, toTicks: true, padding: 0 });

function chart(names: string[], more: Partial<LineChart> = {}): LineChart {
  const series = names.map((name) => ({ name, x: [], y: [] }));
  return { kind: 'lines', x: { name: 'x' }, y: { name: 'y' }, series, ...more };
}

describe('the layout of a drawing', () => {
  it('has its legend above the data, in as many rows as it needs', () => {
    const layout = layoutOf(chart(['expresspass', 'expresspass-literal', 'steady', 'naive']), Y);
    const { columns, columnWidth, top } = layout.legend!;
    const rows = Math.ceil(4 / columns);
    expect(columns * columnWidth).toBeLessThanOrEqual(layout.right - layout.left + 14);
    expect(top + rows * LEGEND_ROW).toBeLessThanOrEqual(layout.top);
  });

  it('has no legend for one series', () => {
    const { legend, top } = layoutOf(chart(['steady']), Y);
    expect(legend).toBeNull();
    expect(top).toBeLessThan(layoutOf(chart(['steady', 'naive']), Y).top);
  });

  it('keeps its legend within its width, however long a name is', () => {
    const { legend, left, right } = layoutOf(chart(['a', 'very '.repeat(50)]), Y);
    expect(legend).toMatchObject({ columns: 1, columnWidth: right - left });
  });

  it('grows in height with a legend of many rows, and not in the data', () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `a long name of the series ${at}`);
    const [few, many] = [layoutOf(chart(names(6)), Y), layoutOf(chart(names(20)), Y)];
    expect(few.height).toBe(400);
    expect(many.height).toBeGreaterThan(400);
    expect(many.bottom - many.top).toBe(few.bottom - few.top);
  });

  it('has room for the labels of reference lines at its right', () => {
    const label = 'the value of the paper';
    const { width, right } = layoutOf(chart(['a'], { references: [{ label, y: 1 }] }), Y);
    expect(width - right).toBeGreaterThan(textWidthPx(label, 12));
  });

  it('has room for wide numbers at its left', () => {
    const wide = scaleOf({ name: '' }, [900_000], { ticks: 5, fromZero: true, toTicks: true, padding: 0 });
    expect(layoutOf(chart(['a']), wide).left).toBeGreaterThan(layoutOf(chart(['a']), Y).left);
  });
});
