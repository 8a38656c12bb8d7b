import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { endpointConfig } from '../../src/core/config.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import { Speculation } from '../../src/core/speculation.js';
import { encodeSpeculativeData, seal } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { FLOW_HEADER, FLOW_PEER, incoming, newEndpoint, pollAll } from '../harness/flow-context.js';
import { printFrame } from '../harness/print-frame.js';
import { ReceiverBench } from '../harness/receiver-bench.js';
import { RecordingWriter, SenderBench } from '../harness/sender-bench.js';

const PAYLOAD = 1_446;
/** A full frame of 1538 wire bytes on the sender's link of 1 Gbit/s. */
const FRAME_NS = 12_304;
/** Three full frames and a bit of 1 Gbit/s. */
const SPECULATIVE = { rateBps: 1e9, speculativeRttNs: 40_000 };

/** Has written `bytes` and sent what goes without credits. */
function inBurst(bytes: number, changes: object = {}): SenderBench {
  const bench = new SenderBench({ ...SPECULATIVE, ...changes });
  bench.write(bytes);
  return bench;
}

function afterBurst(bytes: number, changes: object = {}): SenderBench {
  const bench = inBurst(bytes, changes).wait(3 * FRAME_NS);
  bench.context.sent();
  return bench;
}

describe('what may go without credits', () => {
  const budget = (changes: object) => new Speculation(endpointConfig(changes)).budgetBytes;

  it('is what the link carries in the RTT, in whole frames', () => {
    expect(budget({ rateBps: 1e9, speculativeRttNs: 40_000 })).toBe(3 * PAYLOAD);
    expect(budget({ rateBps: 40e9, speculativeRttNs: 32_000 })).toBe(104 * PAYLOAD);
  });

  it('is a frame at the least, and the least receive window where the link has no rate', () => {
    expect(budget({ rateBps: 1e6, speculativeRttNs: 1 })).toBe(PAYLOAD);
    expect(budget({ speculativeRttNs: 1 })).toBe(65_536);
  });

  it('leaves frame by frame at the rate of the link, and makes up for the catch-up bound only', () => {
    const speculation = new Speculation(endpointConfig({ rateBps: 1e9, speculativeRttNs: 1, catchUpNs: 5_000 }));
    expect(speculation.readyNs(100)).toBe(100);
    expect(speculation.take(1_000, 100, 100)).toBe(100);
    expect(speculation.readyNs(100)).toBe(8_100);
    expect(speculation.take(1_000, 8_100, 10_000)).toBe(8_100);
    expect(speculation.take(1_000, 16_100, 30_000)).toBe(25_000);
  });
});

describe('a sender with speculation', () => {
  it('sends a short stream behind its request, and a probe behind that', () => {
    const bench = inBurst(2_000);
    bench.end();
    bench.wait(FRAME_NS);
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST [OPEN SPECULATIVE COVERED] sent=0 probe=1 max=1472 paired=0x00000000 backlog=2000 weight=1',
      'SPECULATIVE_DATA offset=0 payload=1446',
      'SPECULATIVE_DATA [END] offset=1446 payload=554',
      'CREDIT_REQUEST [OPEN SPECULATIVE COVERED] sent=2000 probe=2 max=1472 paired=0x00000000 backlog=0 weight=1',
    ]);
    expect(bench.flow.statistics).toMatchObject({ speculativeFrames: 2, dataFrames: 0, bytesSent: 2_000 });
  });

  it('asks for credits for what goes beyond, and paces the rest at the rate of its link', () => {
    const bench = inBurst(5 * PAYLOAD);
    const at = [0, FRAME_NS - 1, 1, FRAME_NS].map((ns) => {
      bench.wait(ns);
      return bench.context.sent().map((line) => line.split(' ')[0]);
    });
    expect(at).toEqual([
      ['CREDIT_REQUEST', 'SPECULATIVE_DATA'],
      [],
      ['SPECULATIVE_DATA'],
      ['SPECULATIVE_DATA', 'CREDIT_REQUEST'],
    ]);
    expect(bench.flow.unsentBytes).toBe(2 * PAYLOAD);
  });

  it('wants credits where there is more than goes without', () => {
    const bench = inBurst(5 * PAYLOAD).wait(2 * FRAME_NS);
    const requests = bench.context.sent().filter((line) => line.startsWith('CREDIT_REQUEST'));
    expect(requests).toEqual([
      `CREDIT_REQUEST [OPEN SPECULATIVE] sent=0 probe=1 max=1472 paired=0x00000000 backlog=${5 * PAYLOAD} weight=1`,
      `CREDIT_REQUEST [OPEN SPECULATIVE] sent=${3 * PAYLOAD} probe=2 max=1472 paired=0x00000000 backlog=${2 * PAYLOAD} weight=1`,
    ]);
  });

  it('says so when more is written than it had told', () => {
    const bench = inBurst(2 * PAYLOAD).wait(0);
    bench.context.sent();
    bench.write(4 * PAYLOAD);
    expect(bench.context.sent()).toEqual([
      `CREDIT_REQUEST [OPEN SPECULATIVE] sent=${PAYLOAD} probe=2 max=1472 paired=0x00000000 backlog=${5 * PAYLOAD} weight=1`,
    ]);
    bench.write(10);
    expect(bench.context.sent()).toEqual([]);
  });

  it('stops at the first credit, with a probe before the data that the credit releases', () => {
    const bench = inBurst(5 * PAYLOAD).wait(FRAME_NS);
    bench.context.sent();
    bench.credit(7);
    expect(bench.context.sent()).toEqual([
      `CREDIT_REQUEST [SPECULATIVE] sent=${2 * PAYLOAD} probe=2 max=1472 paired=0x00000000 backlog=${3 * PAYLOAD} weight=1`,
      `DATA credit=7 offset=${2 * PAYLOAD} payload=1446 unused=0`,
    ]);
    expect(bench.wait(10 * FRAME_NS).context.sent()).toEqual([]);
  });

  it('sends FIN when all of it has arrived', () => {
    const bench = afterBurst(2_000);
    bench.end();
    bench.ack(2_000);
    expect(bench.context.sent()).toEqual(['FIN final=2000 probe=3 unused=0']);
  });

  it('wants no credits for a stream that is still open, rests without a CREDIT_STOP, and sends what comes next at once', () => {
    const bench = afterBurst(2_000);
    bench.ack(2_000);
    expect(bench.state).toBe('creditStopSent');
    expect(bench.context.sent()).toEqual([]);
    bench.write(100);
    expect(bench.context.sent()).toEqual([
      'SPECULATIVE_DATA offset=2000 payload=100',
      'CREDIT_REQUEST [SPECULATIVE COVERED] sent=2100 probe=3 max=1472 paired=0x00000000 backlog=0 weight=1',
    ]);
  });

  it('repairs what the answer to the probe lacks, with the first credits', () => {
    const bench = afterBurst(3 * PAYLOAD);
    bench.ack(PAYLOAD, { ranges: [[2 * PAYLOAD, 3 * PAYLOAD]] });
    expect(bench.context.sent()).toEqual([]);
    bench.credit();
    expect(bench.context.sent()).toEqual([`DATA [REPAIR] credit=0 offset=${PAYLOAD} payload=1446 unused=0`]);
  });

  it('repairs it also where a sprayed credit has come before the answer', () => {
    const bench = afterBurst(4 * PAYLOAD);
    bench.credit(0, { pathId: 2 });
    bench.context.sent();
    bench.ack(PAYLOAD, { ranges: [[2 * PAYLOAD, 4 * PAYLOAD]] });
    bench.credit(1, { pathId: 3 });
    expect(bench.context.sent()).toContain(`DATA [REPAIR] credit=1 offset=${PAYLOAD} payload=1446 unused=0`);
  });

  it('takes nothing for lost before the probe is answered', () => {
    const bench = afterBurst(3 * PAYLOAD);
    bench.ack(PAYLOAD, { probe: 1, ranges: [[2 * PAYLOAD, 3 * PAYLOAD]] });
    expect(bench.state).toBe('creditRequestSent');
    bench.credit();
    expect(bench.context.sent()).toEqual([]);
    expect(bench.flow.statistics.creditsUnused).toBe(1);
  });

  it('samples the RTT from the answer to the probe, not from a credit that may answer the opening', () => {
    const bench = afterBurst(4 * PAYLOAD);
    const before = bench.flow.statistics.rttNs;
    bench.credit();
    expect(bench.flow.statistics.rttNs).toBe(before);
    bench.wait(50_000);
    bench.ack(3 * PAYLOAD);
    // The probe left with the third frame, 12,304 ns before the first wait was over.
    expect(bench.flow.statistics.rttNs).toBe(50_000 + FRAME_NS);
  });

  it('holds FIN back until the probe is answered', () => {
    const bench = afterBurst(4 * PAYLOAD);
    bench.end();
    bench.credit();
    expect(bench.context.sent()).toEqual([`DATA [END] credit=0 offset=${3 * PAYLOAD} payload=1446 unused=0`]);
    bench.ack(4 * PAYLOAD);
    expect(bench.context.sent()).toEqual([`FIN final=${4 * PAYLOAD} probe=3 unused=0`]);
  });

  it('sends FIN all the same when no answer comes', () => {
    const bench = afterBurst(4 * PAYLOAD);
    bench.end();
    bench.credit();
    bench.context.sent();
    bench.wait(100 * MILLISECOND_NS);
    expect(bench.context.sent()).toEqual([`FIN final=${4 * PAYLOAD} probe=3 unused=0`]);
  });

  it('repeats the probe when nothing comes at all', () => {
    const bench = afterBurst(2_000);
    bench.wait(125 * MILLISECOND_NS);
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST [OPEN SPECULATIVE COVERED] sent=2000 probe=3 max=1472 paired=0x00000000 backlog=0 weight=1',
    ]);
  });

  it('takes for lost at once what its own NIC drops', () => {
    const bench = inBurst(3 * PAYLOAD).wait(2 * FRAME_NS - 1);
    bench.context.sent();
    const frame = incoming((bytes) => {
      const at = encodeSpeculativeData(bytes, FLOW_HEADER, { offset: PAYLOAD, flags: 0 });
      return seal(bytes, at + PAYLOAD, null);
    });
    bench.flow.speculativeTakenBack(frame);
    bench.wait(1);
    expect(bench.context.sent().at(-1)).toContain(`backlog=${PAYLOAD}`);
    bench.credit();
    expect(bench.context.sent()).toEqual([`DATA [REPAIR] credit=0 offset=${PAYLOAD} payload=1446 unused=0`]);
    expect(bench.flow.statistics.speculativeTakenBack).toBe(1);
  });

  it('does it with the option only', () => {
    const without = inBurst(2_000, { speculativeRttNs: 0 }).wait(FRAME_NS);
    expect(without.context.sent()).toHaveLength(1);
  });
});

describe('a receiver of speculative data', () => {
  it('sends no credit for a burst that has arrived whole, and says so', () => {
    const bench = new ReceiverBench().burst(0, 200);
    bench.wait(100);
    expect(bench.context.sent()).toEqual([]);
    bench.speculative(0);
    bench.speculative(100);
    bench.burst(200, 0).wait(MILLISECOND_NS);
    expect(bench.context.sent()).toEqual(['ACK cumulative=200 probe=2 ranges=none']);
    expect(bench.state).toBe('creditStopped');
    expect(bench.flow.statistics).toMatchObject({ speculativeFrames: 2, dataFrames: 0, creditsSent: 0 });
  });

  it('acknowledges the end at once', () => {
    const bench = new ReceiverBench().burst(0, 200);
    bench.speculative(0, { end: true });
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=1 ranges=none']);
    expect(bench.reader.events).toEqual(['data 100', 'end']);
    bench.fin(100);
    expect(bench.context.sent()).toEqual(['ACK [COMPLETE] cumulative=100 probe=2 ranges=none']);
  });

  it('starts credits at once for a backlog', () => {
    const bench = new ReceiverBench().burst(0, 5_000, false).wait(0);
    expect(bench.state).toBe('creditSending');
    expect(bench.context.sent()).toEqual(['CREDIT credit=100']);
  });

  it('starts credits when the probe shows that the last frames are lost', () => {
    const bench = new ReceiverBench().burst(0, 200);
    bench.speculative(0);
    bench.burst(200, 0).wait(0);
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=2 ranges=none', 'CREDIT credit=100']);
  });

  it('starts credits at a hole, before the probe', () => {
    const bench = new ReceiverBench().burst(0, 200);
    bench.speculative(100);
    bench.wait(0);
    expect(bench.context.sent()).toEqual(['ACK cumulative=0 probe=1 ranges=100-200', 'CREDIT credit=100']);
  });

  it('answers the probe of a flow whose opening was lost', () => {
    const bench = new ReceiverBench().burst(200, 0).wait(0);
    expect(bench.context.sent()).toEqual(['ACK cumulative=0 probe=1 ranges=none', 'CREDIT credit=100']);
  });

  it('leaves what does not fit its window', () => {
    const bench = new ReceiverBench({ receiveWindowBytes: 65_536 }).burst(0, 200);
    bench.speculative(65_536);
    expect(bench.context.counters.outsideWindow).toBe(1);
    expect(bench.reader.received).toBe(0);
  });

  it('drops a copy once the flow is complete', () => {
    const bench = new ReceiverBench().burst(0, 200);
    bench.speculative(0, { end: true });
    bench.fin(100);
    bench.context.sent();
    bench.speculative(0, { end: true });
    expect(bench.context.sent()).toEqual([]);
    expect(bench.flow.statistics.speculativeFrames).toBe(1);
  });
});

/** Opens a flow and writes so many bytes into it. */
function startFlow(endpoint: Endpoint, bytes: number) {
  const flow = endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
  flow.writeLength(bytes, 0);
  return flow;
}

/** What the endpoint sends until `untilNs`. */
function play(endpoint: Endpoint, untilNs: number): Frame[] {
  const frames: Frame[] = [];
  for (let nowNs = 0; nowNs <= untilNs; nowNs = endpoint.nextTimeout()) {
    endpoint.advance(nowNs);
    frames.push(...pollAll(endpoint));
  }
  return frames;
}

function isSpeculative(frame: Frame): boolean {
  return printFrame(frame).startsWith('SPECULATIVE_DATA');
}

describe('speculative frames of an endpoint', () => {
  it('leave one after the other at the rate of the link, those of all flows together', () => {
    const endpoint = newEndpoint(SPECULATIVE);
    for (let count = 0; count < 3; count++) startFlow(endpoint, 10_000);
    const times = play(endpoint, MILLISECOND_NS)
      .filter(isSpeculative)
      .map(({ atNs }) => atNs);
    // Three full frames of each, 1538 wire bytes at 1 Gbit/s.
    expect(times).toEqual(Array.from({ length: 9 }, (_, index) => index * 12_304));
  });

  it('are lost to their flow when the NIC of the host drops them', () => {
    const endpoint = newEndpoint(SPECULATIVE);
    const flow = startFlow(endpoint, 1_446);
    const frame = play(endpoint, 0).find(isSpeculative) as Frame;
    endpoint.takeBack(frame, 0);
    expect(flow.statistics).toMatchObject({ speculativeFrames: 1, speculativeTakenBack: 1 });
    expect(endpoint.counters.nicDrops).toBe(1);
  });

  it('are dropped without a word where nobody knows their flow, as its opening may be lost', () => {
    const endpoint = newEndpoint(SPECULATIVE);
    const fields = { offset: 0, flags: 0 };
    const frame = incoming((bytes) => seal(bytes, encodeSpeculativeData(bytes, FLOW_HEADER, fields) + 10, crc32));
    endpoint.handleFrame(frame, 0);
    expect(play(endpoint, 0)).toEqual([]);
    expect(endpoint.counters.unknownFlow).toBe(1);
  });
});
