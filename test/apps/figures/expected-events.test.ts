import { expect, it } from 'vitest';
import { expectedEvents } from '../../../src/apps/figures/expected-events.js';
import { parseScenario } from '../../../src/apps/shared/scenario/parse-scenario.js';
import { simulate } from '../../../src/sim/simulate.js';

const DUMBBELL = { edge: { delay: '10us' }, core: { delay: '30us' } };

it.each([
  ['two endless flows', { topology: { name: 'dumbbell', pairs: 2, ...DUMBBELL }, flows: ['pairs'], duration: '10ms' }],
  ['sixteen', { topology: { name: 'dumbbell', pairs: 16, ...DUMBBELL }, flows: ['pairs'], duration: '5ms' }],
  [
    'sixteen without feedback',
    { topology: { name: 'dumbbell', pairs: 16 }, flows: ['pairs'], duration: '5ms', algorithm: 'naive' },
  ],
  ['a parking lot', { topology: { name: 'parking-lot', bottlenecks: 4 }, flows: ['pairs'], duration: '5ms' }],
  [
    'flows of random sizes',
    {
      topology: { name: 'star', hosts: 8 },
      flows: [{ kind: 'poisson', workload: 'web-server', load: 0.5, flows: 300 }],
    },
  ],
  ['a shuffle', { topology: { name: 'star', hosts: 4 }, flows: [{ kind: 'shuffle', bytes: 200_000 }] }],
])('is within a factor of two for %s', (_, document) => {
  const scenario = parseScenario(document);
  const { events } = simulate(scenario).result;
  const ratio = expectedEvents(scenario) / events;
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
