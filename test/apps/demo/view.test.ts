import { describe, expect, it } from 'vitest';
import type { DemoValues } from '../../../src/apps/demo/lab.js';
import { fileName } from '../../../src/apps/demo/lab.js';
import { Recorder } from '../../../src/apps/demo/recorder.js';
import { demoResult, summaryLines } from '../../../src/apps/demo/report.js';
import { demoLines } from '../../../src/apps/demo/view.js';
import type { SwitchReport } from '../../../src/apps/shared/switch-control.js';

const TOTAL = 1_000_000;
const VALUES: DemoValues = {
  senders: 2,
  linkRate: 100e6,
  bytes: TOTAL,
  file: 'some-file',
  loss: 0,
  algorithm: ['steady'],
  datapath: 'dgram',
  json: false,
};

/** A switch's report in which the bottleneck has sent `wireBytes` of data, and its largest queue held two full frames. */
function reportOf(wireBytes: number): SwitchReport {
  const port = {
    name: 's1->h1',
    drops: { creditQueueFull: 3, lost: 2 },
    data: { frames: 1, wireBytes },
    dataQueueBytes: 1538,
    dataQueueBytesMax: 3076,
    dataQueueBytesMean: 100.4,
    creditQueueFramesMax: 5,
  };
  return { ports: [port] } as unknown as SwitchReport;
}

/** Two flows of equal rate for two seconds over a link that was 90 % full. */
function recorded(): Recorder {
  const recorder = new Recorder(2, TOTAL);
  for (let tick = 0; tick <= 20; tick++) {
    const delivered = tick * 40_000;
    const flows = [0, 1].map((index) => ({ name: fileName(index), bytes_delivered: delivered }));
    recorder.onReceiver({ event: 'progress', flows }, tick / 10);
    recorder.onSwitch(reportOf((tick / 10) * ((100e6 / 8) * (1538 / 1622) * 0.9)), tick / 10);
  }
  return recorder;
}

describe('the live table', () => {
  it('has a line for each sender and one for the link', () => {
    const lines = demoLines(VALUES, recorded());
    expect(lines[0]).toBe('steady, links of 100.0 Mbit/s');
    expect(lines[2]).toMatch(/^1 +3\.200 Mbit\/s +80\.00 % +\[#+-+\]$/);
    expect(lines[4]).toContain('credits dropped 3');
    expect(lines[4]).toContain('Jain 1.000');
  });

  it('says nothing of rates before there are any', () => {
    const lines = demoLines(VALUES, new Recorder(2, TOTAL));
    expect(lines[4]).toContain('Jain -');
  });
});

describe('the result', () => {
  it('is what was measured while both were active', () => {
    const result = demoResult(VALUES, recorded(), 2.5);
    expect(result.utilisation).toBeCloseTo(0.9, 3);
    expect(result.jain).toBe(1);
    expect(result.ports).toEqual([
      {
        name: 's1->h1',
        credit_drops: 3,
        data_drops: 2,
        data_queue_bytes_max: 3076,
        data_queue_bytes_mean: 100,
        credit_queue_max: 5,
      },
    ]);
  });

  it('counts only verified bytes as goodput, and names files that never came', () => {
    const recorder = recorded();
    recorder.onReceiver({ event: 'file', name: fileName(0), bytes: TOTAL, sha256: 'aa', verified: true }, 2);
    const result = demoResult(VALUES, recorder, 2);
    expect(result.goodput_bps).toBe(TOTAL * 4);
    expect(result.files).toEqual([
      { name: fileName(0), bytes: TOTAL, sha256: 'aa', verified: true },
      { name: fileName(1), bytes: 0, sha256: null, verified: false },
    ]);
  });

  it('has no utilisation and no fairness where the senders never were active together', () => {
    const result = demoResult(VALUES, new Recorder(2, TOTAL), 1);
    expect([result.utilisation, result.jain]).toEqual([null, null]);
    expect(summaryLines(result).join('\n')).toContain('files verified      0 of 2');
  });

  it('reads well', () => {
    const lines = summaryLines(demoResult(VALUES, recorded(), 2.5));
    expect(lines[3]).toBe('  link utilisation    90.00 % of what credits leave for data, while all were active');
    expect(lines).toContain('  largest data queue  3.004 KiB, 2.0 full frames');
  });
});
