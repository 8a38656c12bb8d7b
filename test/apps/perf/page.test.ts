import { describe, expect, it } from 'vitest';
import { type PageParts, perfPage } from '../../../src/apps/perf/page.js';
import type { ClientResult } from '../../../src/apps/perf/test-terms.js';
import type { PageData } from '../../../src/report/page-data.js';
import { NO_DURATIONS } from '../../../src/services/perf/histogram.js';
import { perfInterval, perfReport, perfResult, perfSent, perfTerms } from '../../harness/perf-report.js';

const RTT = { ...NO_DURATIONS, p50: 100, p90: 200, p99: 300, count: 9 };
const PEER = {
  command: 'iperf3 -c 192.0.2.7',
  version: 'iperf 3.12',
  congestion: 'cubic',
  goodputBps: 50e6,
  retransmits: 7,
  intervals: [{ endS: 1.01, rateBps: 50e6 }],
};
const INTERVALS = [
  perfInterval({ isOmitted: true, flowBytes: [99], retransmits: [5], underWayBytes: [1] }),
  perfInterval({ flowBytes: [12_500_000], retransmits: [6], underWayBytes: [14_460], rtt: [NO_DURATIONS] }),
  perfInterval({ startS: 1, endS: 2, flowBytes: [25_000_000], retransmits: [0], underWayBytes: [0], rtt: [RTT] }),
];

function parts(result: Partial<ClientResult> = {}, change: Partial<PageParts> = {}): PageParts {
  return {
    terms: perfTerms(),
    result: { ...perfResult(perfReport()), intervals: INTERVALS, ...result },
    goodputs: { ours: [100e6], peers: [] },
    version: '1.2.3',
    nowMs: 0,
    command: "xpass perf -c 192.0.2.7 -T '<b>'",
    script: '',
    ...change,
  };
}

function dataOf(html: string): PageData {
  return JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(html)?.[1] ?? '');
}

const captions = (html: string): string[] => [...html.matchAll(/<figcaption>([^<]*)/g)].map((match) => match[1]);

describe('the page of a test', { timeout: 60_000 }, () => {
  it('has the figures of the result, and what was omitted in none', () => {
    const html = perfPage(parts());
    expect(html).toContain('<dt>goodput</dt><dd>100.0 Mbit/s</dd>');
    expect(html).toContain('&#60;b&#62;');
    expect(captions(html)).toEqual([
      'Goodput of each interval.',
      'Round-trip time in each interval, as the client measures it.',
      'Data frames that were lost and sent again.',
      'Bytes of the client that were sent and not acknowledged at the end of each interval.',
      'Round trips: 10, by powers of two.',
    ]);
    const [goodput, rtt, lost] = dataOf(html).figures;
    // The page's charts share their zoom, so also their times.
    expect(new Set(dataOf(html).figures.map(({ x }) => String(x)))).toEqual(new Set(['1,2']));
    expect([goodput.x, goodput.lines]).toEqual([[1, 2], [{ name: 'stream 5', y: [100, 200], isShown: true }]]);
    expect(rtt.lines.map(({ name, y }) => [name, y])).toEqual([
      ['median', [null, 100]],
      ['90 %', [null, 200]],
      ['99 %', [null, 300]],
    ]);
    expect(lost.lines[0].y).toEqual([6, 0]);
  });

  it('takes round trips from what the server told, as far as it makes sense', () => {
    const rtt = { p50: 10, p90: 20, p99: 30 };
    const told = [{ sum: { end: 1, xpass: { rtt_us: rtt } } }, { sum: { end: 'x', xpass: { rtt_us: rtt } } }, null, {}];
    const intervals = [perfInterval({ flowBytes: [1] })];
    const html = perfPage(parts({ intervals, serverOutput: { intervals: told } }));
    const drawn = dataOf(html).figures.find(({ yName }) => yName === 'RTT (us)');
    expect(drawn?.lines.map(({ y }) => y)).toEqual([[10], [20], [30]]);
    const silent = perfPage(parts({ intervals, serverOutput: 'text' }));
    expect(silent).toContain('RTT over time: the server measures it, and has told no intervals.');
  });

  it('has TCP beside xpass, and each run', () => {
    const html = perfPage(parts({ peer: PEER }, { goodputs: { ours: [90e6, 110e6], peers: [50e6, 50e6] } }));
    expect(dataOf(html).figures[0].lines[1]).toEqual({ name: 'TCP', y: [50, null], isShown: true });
    expect(html).toContain('<dt>xpass over TCP</dt><dd>2.000</dd>');
    expect(html).toContain('It ran before: iperf3 -c 192.0.2.7');
    expect(html).toContain('Mean 100.0 Mbit/s');
  });

  it('draws the sum of many streams, and both ways', () => {
    const many = perfResult(perfReport(9));
    const intervals = [perfInterval({ flowBytes: new Array(9).fill(1_000) })];
    const sum = perfPage(parts({ ...many, intervals }, { terms: perfTerms('forward', 9) }));
    expect(dataOf(sum).figures[0].lines.map(({ name }) => name)).toEqual(['sum of 9 streams']);
    const completion = { ...RTT, min: 1, mean: 2, p999: 3, max: 4 };
    const report = { ...perfReport(), sent: perfSent({ completion, completionClasses: [1, 8] }) };
    const both = perfPage(parts(perfResult(report, report), { terms: perfTerms('both') }));
    expect(captions(both).filter((caption) => caption.includes('to the client'))).toHaveLength(2);
    expect(both).toContain('The test took no intervals');
  });
});
