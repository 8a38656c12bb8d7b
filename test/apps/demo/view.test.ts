import { describe, expect, it } from 'vitest';
import { fileName, type NetworkValues } from '../../../src/apps/demo/network.js';
import { Recorder } from '../../../src/apps/demo/recorder.js';
import { type DemoRun, demoResult, summaryLines } from '../../../src/apps/demo/report.js';
import { demoLines, flowingLines, type SenderState, senderLines, warmUpLine } from '../../../src/apps/demo/view.js';
import type { SwitchReport } from '../../../src/services/control/client.js';

function senders(count: number): SenderState[] {
  return Array.from({ length: count }, (_, index) => ({
    name: String(index + 1),
    rate: '10.88 Mbit/s',
    done: '55.55 %',
    part: 0.5555,
  }));
}

/** Names of the senders that are shown. */
function shown(lines: readonly string[]): string[] {
  const names = lines.join('\n').match(/(?<![\d.])\d+(?= +(?:10\.88|55 %))/g) ?? [];
  return names.sort((one, other) => Number(one) - Number(other));
}

describe('the senders of a live table', () => {
  it('stand one below the other, with bars, where there is room', () => {
    const lines = senderLines(senders(4), { columns: 60, rows: 8 });
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe('1       10.88 Mbit/s  55.55 %  [#############-----------]');
  });

  it.each([
    [1, 60, 5],
    [4, 60, 8],
    [4, 200, 46],
    [24, 80, 16],
    [24, 60, 8],
    [24, 200, 46],
    [64, 80, 20],
    [64, 200, 8],
  ])('are all shown: %i of them on %i columns and %i rows', (count, columns, rows) => {
    const lines = senderLines(senders(count), { columns, rows });
    expect(shown(lines)).toEqual(senders(count).map(({ name }) => name));
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it.each([
    [64, 60, 8],
    [24, 20, 5],
    [4, 10, 1],
  ])('are counted where they do not fit: %i of them on %i columns and %i rows', (count, columns, rows) => {
    const lines = senderLines(senders(count), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    const missing = count - shown(lines).length;
    expect(lines.at(-1)).toBe(missing === count ? `${count} senders` : `and ${missing} more`);
  });
});

describe('words side by side', () => {
  it('take as many lines as they need', () => {
    expect(flowingLines(['Jain 0.999', 'link 98 % full', 'queue 3 frames'], 30)).toEqual([
      'Jain 0.999   link 98 % full',
      'queue 3 frames',
    ]);
    expect(flowingLines(['too long for it'], 5)).toEqual(['too long for it']);
  });
});

const TOTAL = 1_000_000;
const VALUES: NetworkValues = {
  senders: 2,
  linkRate: 100e6,
  bytes: TOTAL,
  file: 'some-file',
  loss: 0,
  algorithm: ['steady'],
  datapath: 'dgram',
  web: undefined,
  webToken: undefined,
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

const SPACE = { columns: 80, rows: 23 };

/** A run of `recorder` over a rate that was given. */
function runOf(recorder: Recorder, durationS: number): DemoRun {
  return { values: VALUES, choice: null, recorder, durationS, failures: [] };
}

describe('the live table', () => {
  it('has a line for each sender and one for the link', () => {
    const lines = demoLines(VALUES, recorded(), SPACE);
    expect(lines[0]).toBe('steady, links of 100.0 Mbit/s');
    expect(lines[2]).toMatch(/^1 +3\.200 Mbit\/s +80\.00 % +\[#+-+\]$/);
    expect(lines[4]).toBe('Jain 1.000   link 90.00 % full   queue 1 frames   credits dropped 3');
    expect(lines[5]).toBe('data dropped 0   frames lost 2');
  });

  it('says what links lose', () => {
    expect(demoLines({ ...VALUES, loss: 0.025 }, recorded(), SPACE)[0]).toBe(
      'steady, links of 100.0 Mbit/s that lose 2.5 %',
    );
  });

  it('says nothing of rates before there are any', () => {
    const lines = demoLines(VALUES, new Recorder(2, TOTAL), SPACE);
    expect(lines[4]).toContain('Jain -');
  });

  it.each([
    [60, 11, 24],
    [80, 11, 4],
    [80, 19, 24],
    [200, 49, 24],
    [40, 8, 64],
  ])('shows the whole link on %i columns and %i rows, with %i senders', (columns, rows, senders) => {
    const lines = demoLines({ ...VALUES, senders }, new Recorder(senders, TOTAL), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toMatch(/Jain -[\s\S]*frames lost 0$/);
  });
});

describe('a warm-up', () => {
  it('says how far it is, within 60 columns', () => {
    const line = warmUpLine({ rateBps: 50e6, utilisation: 0.831, queueFrames: 43, isCarried: false }, 1.23);
    expect(line).toBe('warming up, 1.2 s: 83 % of 50.00 Mbit/s, queue 43 frames');
  });
});

describe('the result', () => {
  it('is what was measured while both were active', () => {
    const result = demoResult(runOf(recorded(), 2.5));
    expect(result.utilisation).toBeCloseTo(0.9, 3);
    expect(result.jain).toBe(1);
    expect(result.ports).toEqual([
      {
        name: 's1->h1',
        credit_drops: 3,
        data_drops: 0,
        lost: 2,
        other_drops: 0,
        data_queue_bytes_max: 3076,
        data_queue_bytes_mean: 100,
        credit_queue_max: 5,
      },
    ]);
  });

  it('counts only verified bytes as goodput, and names files that never came', () => {
    const recorder = recorded();
    recorder.onReceiver({ event: 'file', name: fileName(0), bytes: TOTAL, sha256: 'aa', verified: true }, 2);
    const result = demoResult(runOf(recorder, 2));
    expect(result.goodput_bps).toBe(TOTAL * 4);
    expect(result.files).toEqual([
      { name: fileName(0), bytes: TOTAL, sha256: 'aa', verified: true },
      { name: fileName(1), bytes: 0, sha256: null, verified: false },
    ]);
  });

  it('has no utilisation and no fairness where the senders never were active together', () => {
    const result = demoResult(runOf(new Recorder(2, TOTAL), 1));
    expect([result.utilisation, result.jain]).toEqual([null, null]);
    expect(summaryLines(result).join('\n')).toContain('files verified      0 of 2');
  });

  it('reads well', () => {
    const lines = summaryLines(demoResult(runOf(recorded(), 2.5)));
    expect(lines[3]).toBe('  link utilisation    90.00 % of what credits leave, while all were active');
    expect(lines).toContain('  largest data queue  3.004 KiB, 2.0 full frames');
    expect(lines).toContain('  credits dropped     3 by the meters');
    expect(lines).toContain('  data dropped        0 frames by full queues');
    expect(lines).toContain('  lost on the links   2 frames of any kind');
  });

  it('says what is lost, and how much of what that leaves was used', () => {
    const run = runOf(recorded(), 2.5);
    const lossy = demoResult({ ...run, values: { ...VALUES, loss: 0.02 } });
    expect(lossy.utilisation_of_left).toBeCloseTo(0.9 / 0.98 ** 3, 3);
    expect(summaryLines(lossy).slice(3, 6)).toEqual([
      '  loss                2 % of all frames on every link, each way',
      '  link utilisation    90.00 % of what credits leave, while all were active',
      '                      95.62 % of what loss leaves of that',
    ]);
    const mixed = demoResult({ ...run, values: { ...VALUES, loss: 0.02, algorithm: ['ec4', 'dctcp'] } });
    expect(mixed.utilisation_of_left).toBeNull();
  });

  it('speaks of one sender as of one', () => {
    const one = { ...VALUES, senders: 1 };
    const lines = summaryLines(demoResult({ ...runOf(recorded(), 2.5), values: one }));
    expect(lines[0]).toBe('steady: 1 sender had 100.0 Mbit/s for 2.500 s');
    expect(lines.join()).not.toContain('Jain');
    expect(lines.join()).toContain('while it was active');
  });

  it('says in one line how its rate was chosen', () => {
    const at100 = { rateBps: 100e6, utilisation: 0.884, queueFrames: 12.1, isCarried: false };
    const at50 = { rateBps: 50e6, utilisation: 0.967, queueFrames: 8, isCarried: true };
    const choice = { cores: { count: 8, idle: 7.53 }, tried: [at100, at50] };
    const result = demoResult({ ...runOf(recorded(), 2.5), choice });
    expect(result.link_rate_choice).toMatchObject({ cores: 8, idle_cores: 7.53, warm_ups: [{}, { is_carried: true }] });
    const why =
      'warm-up at 100.0 Mbit/s 88 % full, queue 12 frames; warm-up 97 % full, queue 8 frames; 7.5 of 8 cores idle';
    expect(summaryLines(result)[1]).toBe(`  rate chosen by      ${why}`);
    const alone = demoResult({ ...runOf(recorded(), 2.5), choice: { ...choice, tried: [at50] } });
    expect(summaryLines(alone)[1].length).toBeLessThanOrEqual(80);
  });

  it('has the words of senders that failed', () => {
    const result = demoResult({ ...runOf(recorded(), 2.5), failures: ['sender 2 ended with SIGKILL'] });
    expect(summaryLines(result)).toContain('  failed              sender 2 ended with SIGKILL');
  });
});
