import { expect, it } from 'vitest';
import { lanes, measuredEventsPerSecond } from '../../../src/apps/figures/figures.js';

it('measures what a thread of this machine does', { timeout: 60_000 }, () => {
  const eventsPerSecond = measuredEventsPerSecond();
  expect(eventsPerSecond).toBeGreaterThan(1_000);
  expect(eventsPerSecond).toBeLessThan(1e9);
});

it('takes as many threads as told', () => {
  expect(lanes(3)).toBe(3);
  expect(lanes(undefined)).toBeGreaterThan(0);
});
