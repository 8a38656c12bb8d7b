import { expect, it } from 'vitest';
import type { Chart } from '../../../src/report/plot/chart.js';
import { drawPanels } from '../../../src/report/plot/panels.js';

function chart(names: readonly string[], top: number, yName = 'queue'): Chart {
  const series = names.map((name) => ({ name, x: [0, 1], y: [0, top] }));
  return { kind: 'lines', x: { name: 'time' }, y: { name: yName }, series };
}

const TICKS = />(\d+)<\/text>/g;

function highestTick(svg: string): number {
  return Math.max(...[...svg.matchAll(TICKS)].map(([, tick]) => Number(tick)));
}

it('groups neighbours of the same series under one legend', () => {
  const panels = drawPanels([chart(['a', 'b'], 4), chart(['a', 'b'], 90), chart(['a', 'c'], 4)]);
  expect(panels.map(({ svgs }) => svgs.length)).toEqual([2, 1]);
  expect(panels[0].legend).toContain('a</li>');
  expect(panels[0].svgs.join()).not.toContain('>a</text>');
});

it('gives equal y axes of a group one range, and leaves others alone', () => {
  const [{ svgs }] = drawPanels([chart(['a', 'b'], 4), chart(['a', 'b'], 90), chart(['a', 'b'], 4, 'rate')]);
  expect(svgs.map(highestTick)).toEqual([expect.any(Number), highestTick(svgs[1]), 4]);
  expect(highestTick(svgs[0])).toBe(highestTick(svgs[1]));
});

it('needs no legend for one series', () => {
  expect(drawPanels([chart(['a'], 1)])[0].legend).toBe('');
});
