import { expect, it } from 'vitest';
import { resultCsv } from '../../../src/report/output/result-csv.js';
import { resultJson } from '../../../src/report/output/result-json.js';
import { RESULT, RUN } from './results.js';

it('prints a result in seconds, with what depends on the machine last', () => {
  const json = resultJson(RESULT, 0.5) as Record<string, Record<string, unknown>[]>;
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

it('writes a result as tables, and what was sampled as lines of one time and one thing', () => {
  const files = Object.fromEntries(resultCsv(RUN));
  expect(Object.keys(files)).toEqual(['flows.csv', 'links.csv', 'rates.csv', 'states.csv', 'queues.csv']);
  expect(files['flows.csv'].split('\n')).toEqual([
    'id,group,src,dst,bytes,start_s,fct_s,slowdown,goodput_bps,delivered_bytes,credits_sent,credits_used,credits_wasted,credits_dropped,error',
    '0,"web, ""hot""",h1,h3,1500,0.001,0.00025,1.25,48000000,1500,10,6,3,1,',
    '1,long,h2,h4,,0,,,9000000000,77,20,12,0,8,idle',
    '',
  ]);
  expect(files['links.csv']).toContain(
    '\nleft->right,10000000000,0.987654,3076,12.5,5,2,0,4,4614,100,3\nright->left,,0,',
  );
  expect(files['rates.csv'].split('\n').slice(1)).toEqual([
    '1,1,long,h2->h4,1000000,',
    '2,1,long,h2->h4,2000000,3000000',
    '',
  ]);
  expect(files['states.csv']).toBe('time_s,flow,name,value\n2,1,alpha,0.5\n');
  expect(files['queues.csv'].split('\n').slice(1)).toEqual(['1,left->right,1538,8,0.5', '2,left->right,0,7,0.25', '']);
});

it('has no series where nothing was sampled', () => {
  expect([...resultCsv({ result: RESULT, series: null }).keys()]).toEqual(['flows.csv', 'links.csv']);
});
