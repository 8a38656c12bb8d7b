import { expect, it } from 'vitest';
import { faultMarks } from '../../src/report/fault-marks.js';
import { linkFault } from '../harness/simulations.js';

it('says what each fault is, by the words of scenario files, in the order of time', () => {
  const marks = faultMarks([
    { kind: 'switchRestart', atNs: 3e6, switch: 'spine1', forNs: 10e6 },
    linkFault(1e6, 'a->b', { lossRate: 0.01 }),
    linkFault(1e6, 'a->b', { lossRate: 0.01 }),
    { kind: 'hostCrash', atNs: 4e6, host: 4, forNs: Number.POSITIVE_INFINITY },
    { kind: 'reader', atNs: 5e6, host: 7, rateBps: 20e6 },
    { kind: 'clock', atNs: 6e6, host: 3, driftPpm: -100 },
  ]);
  expect(marks.map(({ atNs, text }) => `${atNs / 1e6} ${text}`)).toEqual([
    '1 a->b: loss 0.01',
    '3 spine1 restarts for 10.00 ms',
    '4 host 4 crashes',
    '5 host 7 reads 20.00 Mbit/s',
    '6 clock of host 3: -100 ppm',
  ]);
});
