import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endDocument, intervalDocument, NO_END, startDocument } from '../../../src/apps/perf/document.js';
import { PERF_DOCUMENT_SHAPE, perfJsonSchema } from '../../../src/apps/perf/document-shape.js';
import { NO_DURATIONS } from '../../../src/services/perf/histogram.js';
import { perfInterval, perfReport, perfResult, perfTerms } from '../../harness/perf-report.js';

const PLACE = { local: { host: '192.0.2.1', port: 40_000 }, remote: { host: '192.0.2.7', port: 28_400 } };
const RTT = { ...NO_DURATIONS, mean: 99.6, count: 3 };
const INTERVAL = perfInterval({
  endS: 0.5,
  flowBytes: [1_000, 3_000],
  retransmits: [2, 1],
  underWayBytes: [14_460, 0],
  rtt: [RTT, RTT],
});

const start = (terms = perfTerms()) => startDocument({ terms, version: '1.2.3', nowMs: 0, connected: PLACE });

describe("iperf3's document", () => {
  it('begins with who talks to whom about what', () => {
    expect(start()).toMatchObject({
      connected: [{ socket: 5, local_host: '192.0.2.1', local_port: 40_000, remote_port: 28_400 }],
      version: 'xpass 1.2.3',
      timestamp: { time: 'Thu, 01 Jan 1970 00:00:00 GMT', timesecs: 0 },
      connecting_to: { host: '192.0.2.7', port: 28_400 },
      test_start: { protocol: 'UDP', num_streams: 1, duration: 1, bytes: 0, reverse: 0, bidir: 0 },
      xpass: { ignored_options: ['--zerocopy'] },
    });
  });

  it('has intervals of each stream and their sum', () => {
    expect(intervalDocument(INTERVAL, perfTerms('forward', 2))).toMatchObject({
      streams: [
        { socket: 5, start: 0, end: 0.5, seconds: 0.5, bytes: 1_000, bits_per_second: 16_000, retransmits: 2 },
        { socket: 7, bytes: 3_000, snd_cwnd: 0, rtt: 100, sender: true, omitted: false },
      ],
      sum: {
        bytes: 4_000,
        bits_per_second: 64_000,
        retransmits: 3,
        sender: true,
        xpass: { jain: 0.8, rtt_us: { mean: 99.6 } },
      },
    });
    const omitted = intervalDocument(perfInterval({ isOmitted: true, flowBytes: [1] }), perfTerms());
    expect(omitted).toMatchObject({ streams: [{ omitted: true, rtt: null, snd_cwnd: null }], sum: { omitted: true } });
  });

  it("has the server's data apart where data goes both ways", () => {
    const document = intervalDocument({ ...INTERVAL, retransmits: [2, null] }, perfTerms('both'));
    expect(document).toMatchObject({
      sum: { bytes: 1_000, sender: true, retransmits: 2 },
      sum_bidir_reverse: { bytes: 3_000, sender: false, retransmits: null },
    });
    expect(
      endDocument(perfResult(perfReport(), perfReport()), perfTerms('both'), { ours: [1], peers: [] }),
    ).toMatchObject({
      streams: [{ sender: { sender: true } }, { sender: { sender: false } }],
      sum_sent_bidir_reverse: { bytes: 12_500_000 },
      xpass: { reverse: { bytes: 12_500_000 } },
    });
  });

  it('ends with sums, losses, processor time and what xpass measured', () => {
    expect(endDocument(perfResult(perfReport()), perfTerms(), { ours: [1], peers: [] })).toMatchObject({
      sum: { bytes: 12_500_000, jitter_ms: null, lost_packets: 6, packets: 8_645 },
      sum_sent: { bytes: 12_500_000, bits_per_second: 100e6, retransmits: 6, seconds: 1 },
      sum_received: { bytes: 12_500_000, bits_per_second: 100e6 },
      cpu_utilization_percent: { host_total: 75, host_user: 50, host_system: 25, remote_total: 112.5 },
      xpass: { goodput_bps: 100e6, algorithm: 'steady', rtt_us: { p50: 190 }, exchange: null, repeats: null },
    });
    const report = perfReport();
    const longer = { ...report, request: { ...report.request, omitNs: 2e9 } };
    expect(endDocument(perfResult(longer), perfTerms(), { ours: [1], peers: [] })).toMatchObject({
      cpu_utilization_percent: { host_total: 25, remote_total: 37.5 },
    });
    expect(endDocument(perfResult(perfReport()), perfTerms(), { ours: [1, 3], peers: [] })).toMatchObject({
      xpass: { repeats: { runs: 2, mean_bps: 2, confidence: 0.95 } },
    });
  });

  it('tells what each flow sent again, where the client sends it', () => {
    const of = (direction: 'forward' | 'reverse') => {
      const result = { ...perfResult(perfReport(2)), retransmits: direction === 'forward' ? [2, 4] : [] };
      const { streams } = endDocument(result, perfTerms(direction, 2), { ours: [1], peers: [] }) as {
        streams: { sender: object }[];
      };
      return streams.map(({ sender }) => sender);
    };
    expect(of('forward')).toMatchObject([{ retransmits: 2 }, { retransmits: 4 }]);
    expect(of('reverse')).toMatchObject([{ retransmits: null }, { retransmits: null }]);
  });

  it('is what its schema says, with null where there is no number', () => {
    const nothing = perfReport();
    const empty = { ...nothing, received: { ...nothing.received, bytes: 0, durationNs: 0, flowBytes: [0] } };
    const interval = intervalDocument(INTERVAL, perfTerms());
    for (const end of [endDocument(perfResult(empty), perfTerms(), { ours: [Number.NaN], peers: [] }), NO_END]) {
      const text = JSON.stringify({ start: start(), intervals: [interval], end, error: 'x' });
      expect(PERF_DOCUMENT_SHAPE.safeParse(JSON.parse(text)).error).toBeUndefined();
    }
    expect(endDocument(perfResult(empty), perfTerms(), { ours: [], peers: [] })).toMatchObject({
      sum_sent: { bits_per_second: null },
    });
    expect(PERF_DOCUMENT_SHAPE.safeParse({ start: {}, intervals: [], end: {} }).success).toBe(false);
  });

  it('has a schema that is committed', () => {
    // `bin/xpass.mjs perf --schema > docs/perf.schema.json` writes it.
    expect(JSON.parse(readFileSync('docs/perf.schema.json', 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(perfJsonSchema())),
    );
  });
});
