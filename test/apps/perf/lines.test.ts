import { describe, expect, it } from 'vitest';
import { bitrate, histogramLines, TestLines, transfer } from '../../../src/apps/perf/lines.js';
import { perfInterval, perfReport, perfResult, perfTerms } from '../../harness/perf-report.js';

const INTERVAL = perfInterval({ flowBytes: [126_877_696, 1_048_576], retransmits: [9, 0] });

describe('the lines of a test', () => {
  it("have iperf3's columns", () => {
    const lines = new TestLines(perfTerms(), undefined);
    expect([lines.header(), ...lines.interval(INTERVAL)]).toEqual([
      '[ ID] Interval           Transfer     Bitrate         Retr',
      '[  5]   0.00-1.00   sec   121 MBytes  1.02 Gbits/sec    9',
    ]);
  });

  it('say which intervals are before the measurement', () => {
    const [line] = new TestLines(perfTerms(), undefined).interval({ ...INTERVAL, isOmitted: true });
    expect(line).toBe('[  5]   0.00-1.00   sec   121 MBytes  1.02 Gbits/sec    9  (omitted)');
  });

  it('end with a row of the sender and one of the receiver', () => {
    expect(new TestLines(perfTerms(), 'm').end(perfResult(perfReport()))).toEqual([
      '- - - - - - - - - - - - - - - - - - - - - - - - -',
      '[ ID] Interval           Transfer     Bitrate         Retr',
      '[  5]   0.00-1.00   sec  11.9 MBytes   100 Mbits/sec    6  sender',
      '[  5]   0.00-1.00   sec  11.9 MBytes   100 Mbits/sec       receiver',
    ]);
  });

  it('have a sum of several flows, and roles where data goes both ways', () => {
    const sums = new TestLines(perfTerms('forward', 2), undefined).interval(INTERVAL);
    expect(sums[2]).toBe('[SUM]   0.00-1.00   sec   122 MBytes  1.02 Gbits/sec    9');
    const both = new TestLines(perfTerms('both'), undefined).interval({ ...INTERVAL, retransmits: [9, null] });
    expect(both[1]).toBe('[  7][RX-C]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec');
  });

  it('fit 80 columns at their widest', () => {
    const lines = new TestLines(perfTerms('both', 2), undefined);
    const all = [...lines.end(perfResult(perfReport(2), perfReport(2))), lines.header()];
    expect(all.filter((line) => line.length > 80)).toEqual([]);
    expect(all.some((line) => line.startsWith('[SUM][RX-C]'))).toBe(true);
  });

  it.each([
    [undefined, '1.00 MBytes', '8.39 Mbits/sec'],
    ['k', '1.00 MBytes', '8389 Kbits/sec'],
    ['g', '1.00 MBytes', '0.01 Gbits/sec'],
    ['K', '1024 KBytes', '1024 KBytes/sec'],
    ['M', '1.00 MBytes', '1.00 MBytes/sec'],
  ] as const)('show a mebibyte a second with -f %s as %s at %s', (format, size, rate) => {
    expect([transfer(1_048_576, format), bitrate(8_388_608, format)]).toEqual([size, rate]);
  });

  it('show no number as a dash', () => {
    expect(bitrate(Number.NaN).trim()).toBe('- bits/sec');
  });
});

describe('the bars of a histogram', () => {
  it('are as long as their counts, and never nothing for something', () => {
    const bars = [
      [1, 1],
      [2, 0],
      [4, 400],
    ] as const;
    expect(histogramLines(bars, 4)).toEqual([
      '<         1 us         1 #',
      '<         2 us         0',
      '<         4 us       400 ####',
    ]);
  });
});
