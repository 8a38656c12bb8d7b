import { expect, it } from 'vitest';
import { creditQueue2016 } from '../../../../src/apps/figures/catalogue/credit-queue-2016.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { evaluated, madeUpRun, rowOf } from '../made-up-runs.js';

/** Under-utilisation in per cent by length of the queue. */
function figure(percent: (queue: number) => number) {
  return evaluated(
    creditQueue2016,
    (key) => madeUpRun({ utilisation: 1 - percent(Number(key.split('-')[0])) / 100 }),
    'quick',
  );
}

it('holds 16 credits to the worst case of the paper', () => {
  expect(
    rowOf(
      figure(() => 3.2),
      'under-utilisation, 16',
    ),
  ).toMatchObject({ ours: '3.2, 3.2, 3.2', verdict: 'met' });
  expect(
    rowOf(
      figure((queue) => (queue === 16 ? 3.4 : 0)),
      'under-utilisation, 16',
    ).verdict,
  ).toBe('missed');
});

it('holds longer queues to win little', () => {
  expect(
    rowOf(
      figure((queue) => (queue === 16 ? 2.9 : 1)),
      'won by 128',
    ),
  ).toMatchObject({
    ours: '1.9, 1.9, 1.9',
    verdict: 'met',
  });
  expect(
    rowOf(
      figure((queue) => (queue === 16 ? 3.1 : 1)),
      'won by 128',
    ).verdict,
  ).toBe('missed');
  // More than a full link, by credits smaller than the mean, is a full link.
  expect(
    rowOf(
      figure((queue) => (queue === 16 ? 2.1 : -1)),
      'won by 128',
    ).verdict,
  ).toBe('missed');
});

it('plays the rule, the queues and the jitter of that paper', () => {
  const job = creditQueue2016.jobs('quick').find(({ key }) => key === '128-32');
  const { topology, hosts } = parseScenario(job?.document);
  expect(topology.links.every(({ port }) => port.creditQueueFrames === 128)).toBe(true);
  expect(hosts[0].endpoint).toMatchObject({ creditAlgorithm: 'expresspass-2016', jitter: 0.01 });
});
