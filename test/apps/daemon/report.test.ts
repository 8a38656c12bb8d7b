import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { FileOutcome } from '../../../src/apps/daemon/file-service.js';
import { DaemonReport } from '../../../src/apps/daemon/report.js';
import { Results } from '../../../src/apps/shared/results.js';
import { initialValues } from '../../../src/base/metric.js';
import { newCounters } from '../../../src/core/counters.js';
import { DOOR_METRICS } from '../../../src/core/door.js';
import { HANDSHAKE_METRICS } from '../../../src/core/handshakes.js';
import { MTU_METRICS } from '../../../src/core/path-mtus.js';
import { PATH_METRICS } from '../../../src/core/paths.js';
import { Fault } from '../../../src/services/file/fault.js';
import { badVerdict, goodVerdict } from '../../../src/services/file/verdict.js';
import { DRIVER_METRICS } from '../../../src/udp/statistics.js';
import { said } from '../../harness/said.js';

const SHA256 = 'ab'.repeat(32);
const CREDIT_KEYS = { sent: 10_000, used: 9_000, unused: 600, dropped: 390 };
const CREDITS = { credits: CREDIT_KEYS, dataLostFrames: 10 };

const GOOD: FileOutcome = {
  header: { kind: 'file', name: 'a.bin', bytes: 1_250_000, mode: 0o644, offset: 0, prefixSha256: null },
  peerName: 'host 2',
  flowId: 77,
  verdict: goodVerdict("'a.bin' is complete", SHA256),
  keptBytes: 0,
  durationNs: 1e8,
};
const BAD: FileOutcome = { ...GOOD, verdict: badVerdict(new Fault('noSpace', "'a.bin' cannot be stored: no space")) };
const THERE: FileOutcome = { ...GOOD, verdict: badVerdict(new Fault('exists', "'a.bin' exists at the receiver")) };

const LISTENING = {
  address: '127.0.0.1:28400',
  switchAddress: null,
  hostId: 0,
  rateBps: Number.POSITIVE_INFINITY,
  frameBytes: 1472,
  directory: '/srv/in',
  info: {
    kind: 'dgram' as const,
    local: { address: '127.0.0.1', port: 28_400, family: 4 as const },
    receiveBufferBytes: 4_194_304,
    sendBufferBytes: 212_992,
    warnings: [],
  },
  web: null,
};

const SUMMARY = {
  durationNs: 12e9,
  credits: CREDITS,
  refusedStreams: 3,
  openings: { refusedFull: 1, refusedShare: 2, lateHeaders: 4, evicted: 0 },
  door: initialValues(DOOR_METRICS),
  handshakes: { ...initialValues(HANDSHAKE_METRICS), wrongKeys: 4 },
  paths: initialValues(PATH_METRICS),
  mtu: initialValues(MTU_METRICS),
  endpoint: { ...newCounters(), unknownFlow: 5 },
  driver: {
    ...initialValues(DRIVER_METRICS),
    datagramsIn: 1_234,
    datagramsOut: 567,
    problems: { ECONNREFUSED: 2 },
    lateness: { wakes: 40, maxNs: 3e6, overMillisecond: 2, classes: [[Number.POSITIVE_INFINITY, 40]] as const },
  },
};

function report(isJson: boolean) {
  const stream = new PassThrough();
  const lines = (): string[] => said(stream).trimEnd().split('\n');
  return { report: new DaemonReport(new Results(stream), isJson), lines };
}

describe('what a daemon says to a program', () => {
  it('is where it listens, directly and behind a switch', () => {
    const { report: daemon, lines } = report(true);
    daemon.listening(LISTENING);
    daemon.listening({ ...LISTENING, switchAddress: '127.0.0.1:28500', hostId: 3, rateBps: 1e8 });
    const [direct, switched] = lines().map((line) => JSON.parse(line));
    expect(direct).toEqual({
      event: 'listening',
      address: '127.0.0.1:28400',
      switch: null,
      host_id: null,
      link_rate_bps: null,
      frame_bytes: 1472,
      directory: '/srv/in',
      web: null,
      receive_buffer_bytes: 4_194_304,
      send_buffer_bytes: 212_992,
    });
    expect(switched).toMatchObject({ switch: '127.0.0.1:28500', host_id: 3, link_rate_bps: 1e8 });
  });

  it('is what became of each file', () => {
    const { report: daemon, lines } = report(true);
    daemon.file(GOOD);
    daemon.file(BAD);
    const [good, bad] = lines().map((line) => JSON.parse(line));
    expect(good).toMatchObject({ event: 'file', name: 'a.bin', bytes: 1_250_000, sha256: SHA256, verified: true });
    expect(good).toMatchObject({ peer: 'host 2', id: 77, duration_s: 0.1, goodput_bps: 1e8, code: 'ok' });
    expect(bad).toMatchObject({ event: 'file', sha256: null, verified: false, code: 'noSpace', goodput_bps: null });
  });

  it('is how far the flows are and what became of the credits', () => {
    const { report: daemon, lines } = report(true);
    const flow = { peerName: 'host 2', flowId: 77, name: 'a.bin', bytesDelivered: 1_000 };
    const state = { target: 0.5 };
    const stream = {
      peerName: 'host 2',
      flowId: 77,
      algorithm: 'steady',
      bytesDelivered: 1_100,
      rateBps: 1e6,
      rttNs: 2e6,
      state,
    };
    daemon.progress({ nowNs: 2.5e9, flows: [flow], streams: [stream], credits: CREDITS });
    expect(JSON.parse(lines()[0])).toEqual({
      event: 'progress',
      time_s: 2.5,
      flows: [{ peer: 'host 2', id: 77, name: 'a.bin', bytes_delivered: 1_000 }],
      streams: [
        { peer: 'host 2', id: 77, algorithm: 'steady', bytes_delivered: 1_100, rate_bps: 1e6, rtt_s: 0.002, state },
      ],
      credits: CREDIT_KEYS,
      data_lost_frames: 10,
    });
  });

  it('is a summary with everything that was counted', () => {
    const { report: daemon, lines } = report(true);
    daemon.file(GOOD);
    daemon.file(BAD);
    for (let time = 0; time < 2; time++) daemon.file(THERE);
    daemon.summary(SUMMARY);
    expect(JSON.parse(lines()[4])).toMatchObject({
      event: 'summary',
      duration_s: 12,
      files_verified: 1,
      files_existing: 2,
      files_failed: 1,
      bytes_verified: 1_250_000,
      streams_refused: 3,
      credits: CREDIT_KEYS,
      data_lost_frames: 10,
      endpoint: { unknown_flow: 5 },
      handshakes: { wrong_keys: 4 },
      driver: { kernel_drops: null, problems: { ECONNREFUSED: 2 }, lateness: { over_millisecond: 2 } },
    });
  });
});

describe('what a daemon says to people', () => {
  it('is a line for each event', () => {
    const { report: daemon, lines } = report(false);
    daemon.listening(LISTENING);
    daemon.listening({ ...LISTENING, switchAddress: '127.0.0.1:28500', hostId: 3, rateBps: 1e8 });
    daemon.file(GOOD);
    daemon.file(BAD);
    daemon.progress({
      nowNs: 1,
      flows: [{ peerName: 'host 2', flowId: 77, name: 'a.bin', bytesDelivered: 2_048 }],
      streams: [],
      credits: CREDITS,
    });
    expect(lines()).toEqual([
      'listening on 127.0.0.1:28400, link unlimited; files go to /srv/in',
      'attached to switch 127.0.0.1:28500 as host 3, from 127.0.0.1:28400, link 100.0 Mbit/s; files go to /srv/in',
      "received 'a.bin' (1.192 MiB) from host 2 in 100.0 ms, 100.0 Mbit/s, SHA-256 verified",
      "not received 'a.bin' from host 2: cannot be stored: no space (noSpace)",
      "receiving 'a.bin' from host 2: 2.000 KiB",
    ]);
  });

  it('says how many files were there already', () => {
    const { report: daemon, lines } = report(false);
    daemon.file(THERE);
    daemon.summary(SUMMARY);
    expect(lines()[1]).toBe('0 files verified (0 B), 1 existed, 0 failed, in 12.00 s');
  });

  it('is a summary in four lines, with a dash for what the system does not tell', () => {
    const { report: daemon, lines } = report(false);
    daemon.summary(SUMMARY);
    expect(lines()).toEqual([
      '0 files verified (0 B), 0 failed, in 12.00 s',
      'credits: 10,000 sent, 9,000 used, 600 unused, 390 dropped',
      'data: 10 frames lost and sent again',
      'datagrams: 1,234 in, 567 out, - dropped by the kernel',
      'late wakes: 40, 2 by more than 1 ms, the latest by 3.000 ms',
    ]);
  });
});
