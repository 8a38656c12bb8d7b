import { describe, expect, it } from 'vitest';
import {
  goodputBps,
  jsonReport,
  lossWarning,
  type PerfReport,
  summaryLines,
  verboseLines,
} from '../../../src/apps/perf/report.js';
import { NO_DURATIONS } from '../../../src/services/perf/histogram.js';
import { perfSent } from '../../harness/perf-report.js';
import { perfRequest } from '../../harness/perf-request.js';

const GAP = { min: 10, mean: 50, p50: 49.9, p90: 51, p99: 60, p999: 100, max: 2_000, count: 9_999 };
const DRIVER = {
  datagramsIn: 10,
  datagramsOut: 11,
  bundledFramesOut: 0,
  bundlesOut: 0,
  kernelDrops: 0,
  sendQueueFull: 0,
  holdOverflows: 0,
  lateWakes: 3,
  contentions: 0,
  frameCheck: 'vector',
};

const REPORT: PerfReport = {
  request: perfRequest(2),
  algorithm: 'steady',
  frameBytes: 1472,
  datapath: { client: 'dgram', server: 'mmsg' },
  isUnlimited: true,
  received: {
    bytes: 12_500_000,
    durationNs: 1e9,
    frames: 8_645,
    speculativeFrames: 0,
    repairedFrames: 5,
    filledFrames: 3,
    chunks: 7,
    flowBytes: [2_500_000, 10_000_000],
    markedFrames: 12,
    rtt: { ...GAP, min: 300 },
    rttClasses: [0, 0, 3],
    creditGap: { ...GAP, min: 20 },
    credits: { sent: 10_000, used: 8_645, unused: 55, dropped: 1_300 },
  },
  sent: perfSent({ creditGap: GAP, rtt: { ...GAP, count: 0 }, lostFrames: 6 }),
  cpu: { client: { user: 0.5, system: 0.25 }, server: { user: 1, system: 2 } },
  driver: { client: DRIVER, server: { ...DRIVER, kernelDrops: null, contentions: 2 } },
};

describe('the report of a test', () => {
  it('has the goodput of what arrived between the first and the last byte', () => {
    expect(goodputBps(REPORT.received)).toBe(100e6);
    expect(goodputBps({ ...REPORT.received, bytes: 0, durationNs: 0 })).toBeNaN();
  });

  it('has the RTTs of the side that paced the flows', () => {
    const rtts = { ...GAP, min: 77, count: 3 };
    expect(jsonReport(REPORT)).toMatchObject({ rtt_us: { min: 300 } });
    expect(jsonReport({ ...REPORT, sent: perfSent({ rtt: rtts, rttClasses: [1, 2] }) })).toMatchObject({
      rtt_us: { min: 77 },
    });
  });

  it('is one object with units in its names', () => {
    expect(jsonReport(REPORT)).toEqual({
      algorithm: 'steady',
      direction: 'forward',
      flows: 2,
      frame_bytes: 1472,
      datapath: { client: 'dgram', server: 'mmsg' },
      duration_s: 1,
      bytes: 12_500_000,
      goodput_bps: 100e6,
      frames_per_s: 8645,
      rtt_histogram: [[4, 3]],
      completion_us: { min: null, mean: null, p50: null, p90: null, p99: null, p999: null, max: null, count: 0 },
      completion_histogram: [],
      speculative_frames: 0,
      repaired_frames: 5,
      filled_frames: 3,
      chunks: 7,
      jain: (12.5 * 12.5) / (2 * (2.5 * 2.5 + 100)),
      rtt_us: { ...GAP, min: 300 },
      credit_gap_us: GAP,
      credit_send_gap_us: { ...GAP, min: 20 },
      marked_frames: 12,
      data_lost_frames: 6,
      // Six of those without an answer lost their data.
      credits: { sent: 10_000, used: 8_645, wasted: 55, dropped: 1_294 },
      cpu: { client: { user: 0.5, system: 0.25 }, server: { user: 1, system: 2 } },
      driver: {
        client: {
          datagrams_in: 10,
          datagrams_out: 11,
          bundled_frames_out: 0,
          bundles_out: 0,
          kernel_drops: 0,
          send_queue_full: 0,
          hold_overflows: 0,
          late_wakes: 3,
          contentions: 0,
          frame_check: 'vector',
        },
        server: {
          datagrams_in: 10,
          datagrams_out: 11,
          bundled_frames_out: 0,
          bundles_out: 0,
          kernel_drops: null,
          send_queue_full: 0,
          hold_overflows: 0,
          late_wakes: 3,
          contentions: 2,
          frame_check: 'vector',
        },
      },
    });
  });

  it('is a page of text for people', () => {
    expect([...summaryLines(REPORT), ...verboseLines(REPORT)]).toEqual([
      'goodput  100.0 Mbit/s, 8,645 frames/s of 1472 B, Jain 0.735',
      'run      steady, datapath dgram (client) and mmsg (server), 12 ECN marks',
      'credits  10,000 sent: 86.45 % used, 0.550 % wasted, 12.94 % dropped',
      '                  min       p50       p90       p99       max',
      'RTT          300.0 us  49.90 us  51.00 us  60.00 us  2.000 ms',
      'credits in   10.00 us  49.90 us  51.00 us  60.00 us  2.000 ms',
      'credits out  20.00 us  49.90 us  51.00 us  60.00 us  2.000 ms',
      'data     6 frames lost and sent again',
      'cpu      client 0.50 s user + 0.25 s system, server 1.00 s user + 2.00 s system',
      'server   2 times without a core of its own',
    ]);
  });

  it('takes what its receiver says was repaired from an older sender', () => {
    const older = { ...REPORT, sent: { ...REPORT.sent, lostFrames: null } };
    expect(jsonReport(older)).toMatchObject({ data_lost_frames: 5, credits: { dropped: 1_295 } });
  });

  it('says what to do about lost data where no rate is set', () => {
    expect(lossWarning(REPORT)).toBe(
      '6 data frames were lost, and the rate is unlimited: where the path is slower than the hosts, give both its rate, as --rate 100mbit',
    );
    expect(lossWarning({ ...REPORT, isUnlimited: false })).toBeNull();
    expect(lossWarning({ ...REPORT, sent: { ...REPORT.sent, lostFrames: 0 } })).toBeNull();
  });

  it('has dashes where there is nothing to say', () => {
    const received = { ...REPORT.received, bytes: 0, durationNs: 0, frames: 0, flowBytes: [0, 0], rtt: NO_DURATIONS };
    const lines = summaryLines({
      ...REPORT,
      received: { ...received, credits: { sent: 0, used: 0, unused: 0, dropped: 0 } },
    });
    expect(lines[0]).toBe('goodput  -, - frames/s of 1472 B, Jain -');
    expect(lines[4]).toMatch(/^RTT +- +- +- +- +-$/);
    expect(lines.join('\n')).not.toContain('NaN');
  });
});
