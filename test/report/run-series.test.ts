import { describe, expect, it } from 'vitest';
import { flowLines, jainLine, linkLines, sampledRun } from '../../src/report/run-series.js';
import type { FlowResult, FlowSeries } from '../../src/sim/result.js';
import { flowResult, flowSeries, linkSeries, sampled } from './synthetic-run.js';

const goodput = (series: FlowSeries) => series.goodputBps;
const UNITS = { time: { name: 'ms', factor: 1e-6 }, value: { name: 'Gbit/s', factor: 1e-9 } };

function runOf(flows: FlowSeries[], results?: FlowResult[]) {
  const { result, series } = sampled(flows, results === undefined ? {} : { flows: results });
  return sampledRun(result, series);
}

function ys(lines: readonly { y: ArrayLike<number> }[]): number[][] {
  return lines.map(({ y }) => Array.from(y));
}

describe('lines of flows', () => {
  it('are one a flow, in the units of the axes', () => {
    const { lines, what } = flowLines(runOf([flowSeries(1, [1e9, 2e9]), flowSeries(2, [3e9, 4e9])]), goodput, UNITS);
    expect(lines.map(({ name }) => name)).toEqual(['h1->h101', 'h2->h102']);
    expect(Array.from(lines[0].x)).toEqual([1, 2]);
    expect(ys(lines)[1]).toEqual([3, 4]);
    expect(what).toBe('one line a flow');
  });

  it('carry their ids where two have the same hosts', () => {
    const twins = [1, 2].map((id) => flowSeries(id, [1e9], { label: 'h1->h2' }));
    expect(flowLines(runOf(twins), goodput, UNITS).lines.map(({ name }) => name)).toEqual(['h1->h2 #1', 'h1->h2 #2']);
  });

  it('are gaps before a flow starts and after it ends', () => {
    const run = runOf([flowSeries(1, [0, 1e9, 1e9, 0])], [flowResult(1, { startNs: 1.5e6, fctNs: 1e6 })]);
    expect(ys(flowLines(run, goodput, UNITS).lines)).toEqual([[Number.NaN, 1, 1, Number.NaN]]);
  });

  it('go on at 0 while a flow gets nothing, but end with the last data of one that failed', () => {
    const starved = runOf([flowSeries(1, [1e9, 0, 0])], [flowResult(1)]);
    expect(ys(flowLines(starved, goodput, UNITS).lines)).toEqual([[1, 0, 0]]);
    const failed = runOf([flowSeries(1, [1e9, 0, 0])], [flowResult(1, { error: 'hostCrash' })]);
    expect(ys(flowLines(failed, goodput, UNITS).lines)).toEqual([[1, Number.NaN, Number.NaN]]);
    const never = runOf([flowSeries(1, [0, 0])], [flowResult(1, { error: 'hostDown' })]);
    expect(ys(flowLines(never, goodput, UNITS).lines)).toEqual([[Number.NaN, Number.NaN]]);
  });

  it('are one a group beyond eight flows: the mean of those that take part, and their range', () => {
    const series = Array.from({ length: 10 }, (_, at) =>
      flowSeries(at, [at * 1e9, 5e9], { group: at < 4 ? 'early' : 'late' }),
    );
    const results = series.map(({ id, group }) => flowResult(id, { group, startNs: id === 3 ? 1e6 : 0 }));
    const { lines, what } = flowLines(runOf(series, results), goodput, UNITS);
    expect(lines.map(({ name }) => name)).toEqual(['early (4 flows)', 'late (6 flows)']);
    expect(ys(lines)).toEqual([
      [1, 5],
      [6.5, 5],
    ]);
    expect(lines.map(({ band }) => [band?.low[0], band?.high[0]])).toEqual([
      [0, 2],
      [4, 9],
    ]);
    expect(what).toContain('each group');
  });

  it('say how many groups are left out', () => {
    const series = Array.from({ length: 11 }, (_, at) => flowSeries(at, [1e9], { group: `g${at}` }));
    const { lines, what } = flowLines(runOf(series), goodput, UNITS);
    expect(lines).toHaveLength(8);
    expect(what).toContain('3 more groups are left out');
  });
});

describe('lines of links', () => {
  const run = (peaks: number[]) => {
    const { result, series } = sampled([], { links: peaks.map((peak, at) => linkSeries(`l${at}`, [0, peak])) });
    return sampledRun(result, series);
  };

  it('are those with the largest values, in the order of the series', () => {
    const { lines, what } = linkLines(run([1, 1, 1, 1, 1, 1, 1, 1, 1, 5]), (link) => link.dataQueueBytes, UNITS);
    expect(lines.map(({ name }) => name)).toEqual(['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l9']);
    expect(what).toBe('the 8 highest of 10 links');
  });

  it('are none where nothing happened, and say on which links', () => {
    expect(linkLines(run([0, 0]), (link) => link.dataQueueBytes, UNITS)).toEqual({ lines: [], what: 'l0, l1' });
  });

  it('name the link where there is one', () => {
    expect(linkLines(run([3]), (link) => link.dataQueueBytes, UNITS).what).toBe('l0');
  });
});

describe("Jain's index over time", () => {
  it('is of what arrived in each whole window, whatever the order within it', () => {
    const run = runOf([flowSeries(1, [2e9, 0, 1e9, 1e9, 9e9]), flowSeries(2, [0, 2e9, 3e9, 3e9, 0])]);
    const line = jainLine(run, 2e6, UNITS.time);
    expect(line.name).toBe('over 2.000 ms');
    expect(line.x).toEqual([2, 4]);
    expect(ys([line])).toEqual([[1, 0.8]]);
  });

  it('is among the flows that lasted through the window, and a gap where these are fewer than two', () => {
    const series = [flowSeries(1, [1e9, 1e9, 1e9]), flowSeries(2, [1e9, 1e9, 0]), flowSeries(3, [0, 3e9, 3e9])];
    const results = [flowResult(1), flowResult(2, { fctNs: 2.5e6 }), flowResult(3, { startNs: 0.5e6, fctNs: 1.5e6 })];
    expect(ys([jainLine(runOf(series, results), 1e6, UNITS.time)])).toEqual([[1, 25 / 33, Number.NaN]]);
  });

  it('counts a starved flow', () => {
    expect(ys([jainLine(runOf([flowSeries(1, [1e9]), flowSeries(2, [0])]), 1e6, UNITS.time)])).toEqual([[0.5]]);
  });
});
