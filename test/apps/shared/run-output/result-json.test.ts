import { expect, it } from 'vitest';
import { resultJson } from '../../../../src/apps/shared/run-output/result-json.js';
import { RESULT } from './results.js';

it('prints a result in seconds, with what depends on the machine last', () => {
  const json = resultJson(RESULT, 0.5);
  expect(Object.keys(json)).toEqual([
    'scenario',
    'seed',
    'algorithm',
    'duration_s',
    'measured_s',
    'flows',
    'links',
    'jain',
    'jain_by_window',
    'utilisation',
    'credit_drop_share',
    'disorder_p99',
    'disorder_max',
    'fct',
    'events',
    'wall_s',
  ]);
  expect(json).toMatchObject({
    scenario: 'lab',
    seed: 7,
    algorithm: 'steady',
    duration_s: 2,
    measured_s: 1.5,
    wall_s: 0.5,
  });
  expect(json.flows[0]).toEqual({
    id: 0,
    src: 'h1',
    dst: 'h3',
    bytes: 1500,
    start_s: 0.001,
    fct_s: 0.00025,
    goodput_bps: 48e6,
    credits: { sent: 10, used: 6, wasted: 3, dropped: 1 },
    group: 'web, "hot"',
    delivered_bytes: 1500,
    slowdown: 1.25,
    error: null,
  });
  expect(json.flows[1]).toMatchObject({ bytes: null, fct_s: null, slowdown: null, error: 'idle' });
  expect(json.links[0]).toEqual({
    name: 'left->right',
    rate_bps: 1e10,
    utilisation: 0.987654,
    data_queue_bytes_max: 3076,
    data_queue_bytes_mean: 12.5,
    credit_drops: 5,
    data_drops: 2,
    speculative_drops: 0,
    ecn_marks: 4,
    data_queue_bytes_max_ever: 4614,
    credits_offered: 100,
    lost: 3,
  });
  expect(json.links[1].rate_bps).toBeNull();
  expect(json.jain_by_window).toEqual([
    { window_s: 0.001, jain: 0.95 },
    { window_s: 0.01, jain: null },
  ]);
  expect(json.fct).toEqual({
    all: { count: 1, mean_s: 0.00025, p50_s: 0.00024, p99_s: 0.00026, max_s: 0.00027, slowdown_p99: null },
  });
});
