import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { frameType } from '../../src/wire/decode.js';
import { FrameType } from '../../src/wire/layout.js';
import { EndpointBench } from '../harness/endpoint-bench.js';
import { FLOW_PEER } from '../harness/flow-context.js';
import { RecordingWriter } from '../harness/sender-bench.js';

describe('times in the output', () => {
  /** Two flows that send credits, woken after `lateNs`. */
  function late(lateNs: number): EndpointBench {
    const bench = new EndpointBench({ amplificationLimit: 1_000 });
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
    const bench = new EndpointBench({ hostCredits: 2, amplificationLimit: 1_000 });
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
