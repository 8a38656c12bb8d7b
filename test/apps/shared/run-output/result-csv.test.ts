import { expect, it } from 'vitest';
import { csvText } from '../../../../src/apps/shared/run-output/csv.js';
import { resultCsv } from '../../../../src/apps/shared/run-output/result-csv.js';
import { RESULT, RUN } from './results.js';

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

it('quotes what would break a line', () => {
  expect(csvText(['a'], [['x\ny'], ['"'], [null], [0]])).toBe('a\n"x\ny"\n""""\n\n0\n');
});
