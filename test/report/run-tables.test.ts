import { describe, expect, it } from 'vitest';
import { completionTable, flowTable, linkTable, summaryTable } from '../../src/report/run-tables.js';
import type { LinkResult } from '../../src/sim/result.js';
import { flowResult, simulationResult } from './synthetic-run.js';

const LINK: LinkResult = {
  name: 'left->right',
  rateBps: 10e9,
  utilisation: 0.5,
  dataQueueBytesMaxEver: 9999,
  dataQueueBytesMax: 3076,
  dataQueueBytesMean: 11.4,
  creditsOffered: 400,
  creditDrops: 100,
  dataDrops: 0,
  speculativeDrops: 0,
  lost: 2,
  ecnMarks: 5,
};

function byTitle({ columns, rows }: ReturnType<typeof linkTable>, row: number): Record<string, string> {
  expect(rows[row]).toHaveLength(columns.length);
  return Object.fromEntries(columns.map(({ title }, at) => [title, rows[row][at]]));
}

describe('the summary of a run', () => {
  it('is one row, with the worst link', () => {
    const flows = [flowResult(1, { fctNs: 5 }), flowResult(2, { error: 'reset' }), flowResult(3)];
    const links = [LINK, { ...LINK, dataQueueBytesMax: 21_336, dataDrops: 1 }];
    const table = summaryTable(simulationResult({ flows, links }));
    expect(byTitle(table, 0)).toEqual({
      algorithm: 'steady',
      seed: '7',
      duration: '20.00 ms',
      flows: '3',
      complete: '1',
      failed: '1',
      utilisation: '0.990',
      Jain: '-',
      'credits dropped': '25.00 %',
      'largest queue, B': '21,336',
      'data drops': '1',
      'lost frames': '4',
    });
  });
});

describe('the table of links', () => {
  it('has the busiest first, and no more than asked for', () => {
    const table = linkTable([LINK, { ...LINK, name: 'busy', utilisation: 0.9 }, { ...LINK, utilisation: 0.1 }], 2);
    expect(table.rows.map(([name]) => name)).toEqual(['busy', 'left->right']);
    expect(byTitle(table, 1)).toMatchObject({
      rate: '10.00 Gbit/s',
      'mean queue, B': '11',
      dropped: '25.00 %',
      marks: '5',
    });
  });

  it('knows unlimited links and links without credits', () => {
    const table = linkTable([{ ...LINK, rateBps: null, creditsOffered: 0, creditDrops: 0 }], 1);
    expect(byTitle(table, 0)).toMatchObject({ rate: 'unlimited', dropped: '0.000 %' });
  });
});

describe('the table of flows', () => {
  it('has those that failed first, with sizes, times and credits, and dashes for what there is not', () => {
    const table = flowTable(
      [flowResult(1), flowResult(2, { bytes: 1446, fctNs: 131_200, slowdown: 1.234, error: 'reset' })],
      9,
    );
    expect(byTitle(table, 1)).toMatchObject({
      flow: '1',
      bytes: 'endless',
      'completion time': '-',
      slowdown: '-',
      error: '',
    });
    expect(byTitle(table, 0)).toMatchObject({
      bytes: '1,446',
      'completion time': '131.2 us',
      slowdown: '1.23',
      used: '12,000',
    });
    expect(flowTable([flowResult(1), flowResult(2)], 1).rows).toHaveLength(1);
  });
});

describe('the table of completion times', () => {
  it('has the classes that have flows, from the smallest', () => {
    const times = { count: 3, meanNs: 1e3, p50Ns: 2e3, p99Ns: 3e3, maxNs: 4e3, slowdownP99: null };
    const table = completionTable({ L: times, all: times });
    expect(table.rows.map(([name]) => name)).toEqual(['all', 'L']);
    expect(byTitle(table, 0)).toMatchObject({
      flows: '3',
      median: '2.000 us',
      largest: '4.000 us',
      'slowdown, 99 %': '-',
    });
  });
});
