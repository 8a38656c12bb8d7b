import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message, MessageDecoder } from '../../../src/services/file/message.js';
import { DurationHistogram } from '../../../src/services/perf/histogram.js';
import { driverFigures, parseResults, resultsMessage, type SideResults } from '../../../src/services/perf/results.js';
import type { DriverStatistics } from '../../../src/udp/statistics.js';
import { perfSent } from '../../harness/perf-report.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

function percentiles(...durationsNs: number[]) {
  const histogram = new DurationHistogram();
  for (const durationNs of durationsNs) histogram.record(durationNs);
  return histogram.percentiles();
}

const DRIVER = {
  datagramsIn: 10,
  datagramsOut: 11,
  bundledFramesOut: 0,
  bundlesOut: 0,
  kernelDrops: null,
  sendQueueFull: 1,
  holdOverflows: 2,
  lateWakes: 3,
  contentions: 4,
  frameCheck: 'zlib',
};

const RESULTS: SideResults = {
  algorithm: 'expresspass-literal',
  frameBytes: 1472,
  datapath: 'mmsg',
  linkBps: 1e9,
  received: {
    bytes: 3_000,
    durationNs: 1e6,
    frames: 3,
    speculativeFrames: 0,
    repairedFrames: 1,
    filledFrames: 3,
    chunks: 7,
    flowBytes: [1_000, 2_000],
    markedFrames: 2,
    rtt: percentiles(1e3, 2e3),
    rttClasses: [1, 1],
    creditGap: percentiles(),
    credits: { sent: 10, used: 3, unused: 4, dropped: 2 },
  },
  sent: null,
  cpu: { user: 0.1, system: 0.2 },
  driver: DRIVER,
};

const MESSAGE = resultsMessage(RESULTS);

/** What the peer makes of a message. */
function received(message: Message, flows: number): SideResults | Fault {
  const decoder = new MessageDecoder();
  decoder.push(encodeMessage(message), 0);
  return parseResults(decoder.result as Message, flows);
}

function through(results: SideResults, flows: number): SideResults | Fault {
  return received(resultsMessage(results), flows);
}

describe('results', () => {
  it('arrive as they were sent, those of no durations at all too', () => {
    expect(through(RESULTS, 2)).toEqual(RESULTS);
    const sender = {
      ...RESULTS,
      received: null,
      sent: perfSent({ creditGap: percentiles(5e3), rtt: percentiles(7e3), completionClasses: [0, 1], lostFrames: 3 }),
      driver: null,
    };
    expect(through(sender, 2)).toEqual(sender);
  });

  it('of an older peer lack what it did not know', () => {
    const { datapath, linkBps, ...rest } = MESSAGE;
    const { markedFrames, rttClasses, ...arrived } = MESSAGE.received as Record<string, unknown>;
    expect([datapath, linkBps, markedFrames, rttClasses]).toEqual(['mmsg', 1e9, 2, [1, 1]]);
    const known = { ...RESULTS.received, markedFrames: 0, rttClasses: [] };
    expect(received({ ...rest, received: arrived } as Message, 2)).toEqual({
      ...RESULTS,
      datapath: '',
      linkBps: null,
      received: known,
    });
  });

  it('of as many flows as a test may have fit a message', () => {
    const flowBytes = new Array(512).fill(Number.MAX_SAFE_INTEGER);
    const results = { ...RESULTS, received: { ...RESULTS.received!, flowBytes } };
    expect(through(results, 512)).toEqual(results);
  });

  it.each([
    [{ algorithm: 'naive\u001b[2J' }, "'algorithm' must be a short word"],
    [{ frameBytes: -1 }, "'frameBytes' must be a number from 0 up"],
    [{ cpu: null }, "'cpu' must be an object"],
    [{ cpu: { user: 1 } }, "'cpu.system' must be a number from 0 up"],
    [{ received: { ...(MESSAGE.received as object), flowBytes: [1] } }, "'received.flowBytes' must have 2 numbers"],
    [
      { received: { ...(MESSAGE.received as object), flowBytes: [1, '2'] } },
      "'received.flowBytes.1' must be a number from 0 up",
    ],
    [{ received: { ...(MESSAGE.received as object), flowBytes: 1 } }, "'received.flowBytes' must be a list"],
    [{ received: { ...(MESSAGE.received as object), rtt: 5 } }, "'received.rtt' must be an object"],
    [{ sent: undefined }, "'sent' must be an object"],
  ])('that make no sense are a fault: %j', (change, why) => {
    const fault = received({ ...MESSAGE, ...change }, 2) as Fault;
    expect(fault).toBeInstanceOf(Fault);
    expect(fault.message).toContain(why);
  });

  it('never make the reader throw', () => {
    const field = fc.constantFrom(...Object.keys(RESULTS));
    holds(fc.dictionary(field, fc.jsonValue()), 500, (change) => {
      received({ ...MESSAGE, ...change }, 2);
    });
  });
});

describe('the figures of a driver', () => {
  const after = { ...DRIVER, kernelDrops: 7, lateness: { overMillisecond: 9 } } as unknown as DriverStatistics;
  const before = {
    ...DRIVER,
    datagramsIn: 4,
    kernelDrops: 5,
    contentions: 1,
    lateness: { overMillisecond: 8 },
  } as unknown as DriverStatistics;

  it('are those since the test began', () => {
    expect(driverFigures(after, before)).toEqual({
      datagramsIn: 6,
      datagramsOut: 0,
      bundledFramesOut: 0,
      bundlesOut: 0,
      kernelDrops: 2,
      sendQueueFull: 0,
      holdOverflows: 0,
      lateWakes: 1,
      contentions: 3,
      frameCheck: 'zlib',
    });
  });

  it('say nothing of kernel drops where the system does not', () => {
    expect(driverFigures({ ...after, kernelDrops: null }, before).kernelDrops).toBeNull();
  });
});
