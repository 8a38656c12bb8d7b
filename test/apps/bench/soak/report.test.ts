import { describe, expect, it } from 'vitest';
import { soakLines } from '../../../../src/apps/bench/soak/report.js';

const HEAP = {
  role: 'sink',
  kind: 'heap',
  mean: 11e6,
  slope: 100,
  slopeError: 50,
  firstBytes: 10_485_760,
  lastBytes: 11_534_336,
  samples: 240,
  grew: true,
} as const;

describe('the report of a soak', () => {
  it('says of each process how its memory went, and whether it grew', () => {
    const memory = [HEAP, { ...HEAP, role: 'switch', kind: 'rss', slope: -1_000, grew: false } as const];
    const report = {
      durationS: 3_600,
      load: 0.4987,
      flows: 225_000,
      failedFlows: 0,
      reasons: [],
      bytes: 22.5e9,
      memory,
      grew: true,
    };
    expect(soakLines(report)).toEqual([
      '1:00:00 at 49.9 % of the link: 225,000 flows, 20.95 GiB, 0 failed',
      'process  memory                    first       last     an hour         95 %  samples',
      'sink     heap without garbage  10.00 MiB  11.00 MiB  +351.6 KiB  +-175.8 KiB      240  grew',
      'switch   of the system         10.00 MiB  11.00 MiB  -3.433 MiB  +-175.8 KiB      240',
      'memory grew',
    ]);
    const failed = soakLines({ ...report, failedFlows: 2, reasons: ['idle'], memory: [], grew: false });
    expect([failed[0].split(', ').at(-1), failed.at(-1)]).toEqual(['2 failed (idle)', 'memory did not grow']);
  });
});
