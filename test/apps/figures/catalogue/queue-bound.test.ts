import { expect, it } from 'vitest';
import { queueBound } from '../../../../src/apps/figures/catalogue/queue-bound.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import type { LinkResult } from '../../../../src/sim/result.js';
import { evaluated, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

const JITTER = 'steady, each frame at its host by chance';

function figure(says: (spreadUs: number) => Partial<LinkResult>) {
  const made = (key: string) => madeUpRun({ links: [madeUpLink(says(Number(key.split('-')[2])))] });
  return evaluated(queueBound, made, 'quick');
}

it('bounds the queue by what the link carries in the spread, a credit queue and a bucket', () => {
  // 7 credits of 1,300.8 ns wait before the eighth; 184 B of the bucket are 2.09 frames.
  const bytes = (spreadUs: number) => ((spreadUs + 7 * 1.3008) * 1e3 * 10 * (1538 / 1626)) / 8 + (184 / 88) * 1538;
  const { paper } = rowOf(
    figure(() => ({})),
    JITTER,
  );
  expect(paper?.replace('at most ', '').split(', ').map(Number)).toEqual(
    [0, 2, 5, 10, 20, 50, 100].map((us) => Math.round(bytes(us))),
  );
});

it('is met only where no spread has a longer queue', () => {
  expect(
    rowOf(
      figure((spreadUs) => ({ dataQueueBytesMaxEver: 13_900 + spreadUs * 1_182 })),
      JITTER,
    ).verdict,
  ).toBe('met');
  const long = figure((spreadUs) => ({ dataQueueBytesMaxEver: spreadUs === 20 ? 38_000 : 0 }));
  expect(rowOf(long, JITTER).verdict).toBe('missed');
});

it('counts lost frames of all runs', () => {
  expect(
    rowOf(
      figure(() => ({})),
      'lost in 42 runs',
    ),
  ).toMatchObject({ ours: '0', verdict: 'met' });
  expect(
    rowOf(
      figure(() => ({ dataDrops: 1 })),
      'lost in 42 runs',
    ),
  ).toMatchObject({ ours: '42', verdict: 'missed' });
});

it('spreads delays by chance or between senders', () => {
  const documentOf = (key: string) => queueBound.jobs('quick').find((job) => job.key === key)?.document;
  const delays = (key: string) => parseScenario(documentOf(key)).hosts.map(({ processing }) => processing);
  expect(new Set(delays('jitter-naive-50').map(({ jitterNs }) => jitterNs))).toEqual(new Set([50e3]));
  const slower = delays('hosts-naive-50').map(({ delayNs }) => delayNs);
  expect([slower.slice(0, 8), slower.slice(8)]).toEqual([Array(8).fill(50e3), Array(24).fill(0)]);
});
