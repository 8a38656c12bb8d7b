import { expect, it } from 'vitest';
import { type FuzzReport, findingLines, reportJson, summaryLine } from '../../../src/apps/fuzz/report.js';

const found = {
  seed: 12,
  finding: { check: 'census', sentence: 'a frame is missing', atNs: 2e6, stack: '' },
  smallest: null,
};
const report: FuzzReport = {
  worlds: 100,
  firstSeed: 5,
  frames: 250,
  simulatedNs: 7.2e12,
  events: 50_000,
  wallS: 4,
  findings: [found],
  files: new Map([[12, 'xpass-fuzz-12.json']]),
};

it('says how many worlds broke, and how fast they were', () => {
  expect(summaryLine(report)).toBe(
    '100 worlds (seeds 5 to 104), 1 broke: 2.00 simulated hours in 4.000 s, 25 seeds/s, 12,500 events/s',
  );
  expect(summaryLine({ ...report, findings: [] })).toContain('none broke');
});

it('says what broke and how to see it again', () => {
  expect(findingLines(found, 250, 'xpass-fuzz-12.json')).toEqual([
    'seed 12: a frame is missing (census, at 2.000 ms)',
    '  again: xpass fuzz --seed 12 --frames 250',
    '  smallest: xpass fuzz --replay xpass-fuzz-12.json',
  ]);
  expect(findingLines(found, 250, undefined)).toHaveLength(2);
});

it('is one object for programs', () => {
  expect(reportJson(report)).toMatchObject({
    seeds: 100,
    first_seed: 5,
    simulated_s: 7200,
    seeds_per_s: 25,
    findings: [{ seed: 12, check: 'census', at_s: 0.002, file: 'xpass-fuzz-12.json' }],
  });
});
