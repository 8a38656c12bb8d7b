import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import { frameType } from '../../src/wire/decode.js';
import { CreditRequest, Fin } from '../../src/wire/frames.js';
import { FrameType } from '../../src/wire/layout.js';
import { EndpointBench } from '../harness/endpoint-bench.js';
import { FLOW_PEER, incoming, newEndpoint } from '../harness/flow-context.js';
import { RecordingReader } from '../harness/receiver-bench.js';
import { RecordingWriter } from '../harness/sender-bench.js';

describe('times in the output', () => {
  /** Two flows that send credits, woken after `lateNs`. */
  function late(lateNs: number): EndpointBench {
    const bench = new EndpointBench();
    bench.request(1);
    bench.nowNs += 5_000;
    bench.request(2);
    bench.sent();
    bench.nowNs += lateNs;
    return bench;
  }

  function expectAscending(bench: EndpointBench, least: number): void {
    const stampsNs = bench.frames().map((frame) => frame.atNs);
    expect(stampsNs.length).toBeGreaterThanOrEqual(least);
    expect(stampsNs).toEqual([...stampsNs].sort((a, b) => a - b));
    expect(Math.max(...stampsNs)).toBeLessThanOrEqual(bench.nowNs);
  }

  it('never run backwards: credits that were due go before what a frame causes', () => {
    const bench = late(200_000);
    bench.fin(1);
    expectAscending(bench, 30);
  });

  it('never run backwards when a timer fires', () => {
    const bench = late(200_000);
    bench.endpoint.open(FLOW_PEER, new RecordingWriter(), {}, bench.nowNs - 150 * MILLISECOND_NS);
    bench.endpoint.advance(bench.nowNs);
    expectAscending(bench, 30);
  });

  it('never run backwards when a verb of a flow comes before the endpoint is woken', () => {
    const bench = late(200_000);
    bench.flows[0].reset(bench.nowNs);
    bench.endpoint.advance(bench.nowNs);
    expectAscending(bench, 30);
  });

  it('of a flow that waited for the budget begin with its turn', () => {
    const bench = new EndpointBench({ hostCredits: 2 });
    bench.request(1);
    bench.wait(MILLISECOND_NS);
    const [first] = bench.frames();
    bench.request(2);
    bench.wait(5 * MILLISECOND_NS);
    // No credit, but the answer to the request. PROTOCOL §4.2
    expect(bench.frames().map((frame) => frameType(frame.bytes))).toEqual([FrameType.ack]);
    bench.endpoint.takeBack(first, bench.nowNs);
    bench.wait(MILLISECOND_NS);
    expect(bench.frames().map((frame) => frame.atNs)).toEqual([6 * MILLISECOND_NS]);
    // The first flow has waited longer, and has had credits.
    expect(bench.flows.map((flow) => flow.statistics.creditsSent)).toEqual([2, 1]);
  });

  it('never run backwards beyond the catch-up bound, and what lies before it is not made up for', () => {
    const bench = late(50 * MILLISECOND_NS);
    bench.endpoint.advance(bench.nowNs);
    const frames = bench.endpoint.counters.framesSent;
    expect(frames).toBeLessThan(2 * (MILLISECOND_NS / 13_008 + 3));
    expectAscending(bench, 100);
  });
});

const HEADER = { destination: 0, source: 0, flowId: 1 };
const REQUEST = {
  flags: 1,
  sentOffset: 0,
  probe: 1,
  maxFrameBytes: 1_472,
  pairedFlowId: 0,
  backlog: 2 ** 31,
  weight: 1,
};

/** A host whose only flow has been opened at 0. */
function hostOf(timerSlackNs: number): Endpoint {
  const changes = { jitter: 0, rateBps: 1e9, creditAlgorithm: 'naive', timerSlackNs };
  const endpoint = newEndpoint(changes, { acceptFlow: () => new RecordingReader() });
  give(endpoint, (bytes) => CreditRequest.encode(bytes, HEADER, REQUEST, crc32));
  return endpoint;
}

/** The same, complete, so that it waits for nothing but to be forgotten. */
function lingeringHostOf(timerSlackNs: number): Endpoint {
  const endpoint = hostOf(timerSlackNs);
  give(endpoint, (bytes) => Fin.encode(bytes, HEADER, { finalOffset: 0, probe: 2, unused: 0 }, crc32));
  // Timers of before that were put off.
  endpoint.advance(SECOND_NS);
  return endpoint;
}

function give(endpoint: Endpoint, write: (bytes: Uint8Array) => number): void {
  const frame = incoming(write);
  frame.peer = FLOW_PEER;
  endpoint.handleFrame(frame, 0);
}

describe('timer slack', () => {
  it('is added to the time of the earliest timer', () => {
    expect(lingeringHostOf(0).nextTimeout()).toBe(2 * SECOND_NS);
    expect(lingeringHostOf(MILLISECOND_NS).nextTimeout()).toBe(2 * SECOND_NS + MILLISECOND_NS);
  });

  it('keeps no timer from its time where something else brings the host round then', () => {
    const host = lingeringHostOf(MILLISECOND_NS);
    host.advance(2 * SECOND_NS - 1);
    expect(host.lingeringCount).toBe(1);
    host.advance(2 * SECOND_NS);
    expect([host.lingeringCount, host.nextTimeout()]).toEqual([0, NEVER]);
  });

  it('is not for credits', () => {
    const [exact, lax] = [0, MILLISECOND_NS].map((timerSlackNs) => {
      const host = hostOf(timerSlackNs);
      host.advance(0);
      return host.nextTimeout();
    });
    expect(exact).toBeGreaterThan(0);
    expect(exact).toBeLessThan(MILLISECOND_NS);
    expect(lax).toBe(exact);
  });
});
