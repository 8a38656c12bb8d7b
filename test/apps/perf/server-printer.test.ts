import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ServerPrinter } from '../../../src/apps/perf/server-printer.js';
import { Results } from '../../../src/apps/shared/results.js';
import { NO_DURATIONS } from '../../../src/services/perf/histogram.js';
import type { PerfOutcome } from '../../../src/services/perf/session.js';
import { perfRequest } from '../../harness/perf-request.js';
import { said } from '../../harness/said.js';

const OUTCOME: PerfOutcome = {
  peerName: '127.0.0.1:4000',
  request: perfRequest(2),
  received: {
    bytes: 12_500_000,
    durationNs: 1e9,
    frames: 8_645,
    speculativeFrames: 0,
    repairedFrames: 0,
    filledFrames: 3,
    chunks: 7,
    flowBytes: [2_500_000, 10_000_000],
    markedFrames: 0,
    rtt: NO_DURATIONS,
    creditGap: NO_DURATIONS,
    credits: { sent: 10_000, used: 8_645, unused: 55, dropped: 1_300 },
  },
};

function printed(isJson: boolean, print: (printer: ServerPrinter) => void): string[] {
  const stream = new PassThrough();
  print(new ServerPrinter(new Results(stream), isJson));
  return said(stream).trimEnd().split('\n');
}

describe('a perf server', () => {
  it('says where it listens and how the tests went', () => {
    const { request } = OUTCOME;
    const lines = printed(false, (printer) => {
      printer.listening({ address: '127.0.0.1:28400', switchAddress: null, hostId: 0 });
      printer.listening({ address: '127.0.0.1:5555', switchAddress: '127.0.0.1:28500', hostId: 2 });
      printer.test(OUTCOME);
      printer.test({ ...OUTCOME, request: { ...request, direction: 'reverse', flows: 1 }, received: null });
    });
    expect(lines).toEqual([
      'listening on 127.0.0.1:28400, for xpass perf -c',
      'attached to switch 127.0.0.1:28500 as host 2, from 127.0.0.1:5555, for xpass perf -c',
      'from 127.0.0.1:4000, 2 flows: 100.0 Mbit/s (11.92 MiB in 1.000 s)',
      'to 127.0.0.1:4000, 1 flow: given up, the client is lost or has ended',
    ]);
  });

  it('says the same to programs', () => {
    const lines = printed(true, (printer) => {
      printer.listening({ address: '127.0.0.1:5555', switchAddress: '127.0.0.1:28500', hostId: 2 });
      printer.listening({ address: '127.0.0.1:28400', switchAddress: null, hostId: 0 });
      printer.test(OUTCOME);
      printer.test({ ...OUTCOME, received: null });
    });
    const test = { event: 'test', peer: '127.0.0.1:4000', direction: 'forward', flows: 2 };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: 'listening', address: '127.0.0.1:5555', switch: '127.0.0.1:28500', host_id: 2 },
      { event: 'listening', address: '127.0.0.1:28400', switch: null, host_id: null },
      { ...test, completed: true, bytes: 12_500_000, duration_s: 1, goodput_bps: 100e6 },
      { ...test, completed: false, bytes: null, duration_s: null, goodput_bps: null },
    ]);
  });
});
