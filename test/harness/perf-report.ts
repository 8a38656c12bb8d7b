import type { Interval } from '../../src/apps/perf/intervals.js';
import type { PerfReport } from '../../src/apps/perf/report.js';
import { clientStreams } from '../../src/apps/perf/streams.js';
import type { ClientResult, TestTerms } from '../../src/apps/perf/test-terms.js';
import { NO_DURATIONS } from '../../src/services/perf/histogram.js';
import type { Direction } from '../../src/services/perf/messages.js';
import type { SentResults } from '../../src/services/perf/results.js';
import { perfRequest } from './perf-request.js';

const RTT = { min: 100, mean: 200, p50: 190, p90: 300, p99: 400, p999: 500, max: 600, count: 10 };

/** Nothing but what is given. */
export function perfSent(known: Partial<SentResults> = {}): SentResults {
  const classes = { rttClasses: [], completionClasses: [] };
  const durations = { creditGap: NO_DURATIONS, rtt: NO_DURATIONS, completion: NO_DURATIONS };
  return { ...durations, ...classes, lostFrames: null, ...known };
}

/** Nothing was sent by this side, or measured. */
export function perfInterval(known: Partial<Interval> = {}): Interval {
  const nothing = { flowBytes: [], retransmits: [], underWayBytes: [], rtt: [] };
  return { startS: 0, endS: 1, isOmitted: false, ...nothing, ...known };
}

/** Of a test of a second with 12.5 MB. */
export function perfReport(flows = 1): PerfReport {
  return {
    request: perfRequest(flows),
    algorithm: 'steady',
    frameBytes: 1472,
    datapath: { client: 'dgram', server: 'dgram' },
    isUnlimited: true,
    received: {
      bytes: 12_500_000,
      durationNs: 1e9,
      frames: 8_645,
      speculativeFrames: 0,
      repairedFrames: 5,
      filledFrames: 0,
      chunks: 0,
      flowBytes: new Array<number>(flows).fill(12_500_000 / flows),
      markedFrames: 0,
      rtt: RTT,
      rttClasses: [0, 0, 4, 6],
      creditGap: RTT,
      credits: { sent: 10_000, used: 8_645, unused: 55, dropped: 1_300 },
    },
    sent: perfSent({ creditGap: RTT, lostFrames: 6 }),
    cpu: { client: { user: 0.5, system: 0.25 }, server: { user: 1, system: 0.125 } },
    driver: { client: null, server: null },
  };
}

export function perfResult(...reports: [PerfReport, ...PerfReport[]]): ClientResult {
  return {
    reports,
    exchange: null,
    retransmits: [6],
    intervals: [],
    intervalsOmitted: 0,
    serverOutput: null,
    peer: null,
  };
}

export function perfTerms(direction: Direction = 'forward', flows = 1): TestTerms {
  return {
    request: { ...perfRequest(flows), direction },
    streams: clientStreams(direction, flows),
    lengthBytes: 131_072,
    blocks: 0,
    to: { host: '192.0.2.7', port: 28_400 },
    ignored: ['--zerocopy'],
  };
}
