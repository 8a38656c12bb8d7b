import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import type { EndpointConfig } from '../../src/core/config.js';
import { newCounters } from '../../src/core/counters.js';
import { RateLimit } from '../../src/core/rate-limit.js';
import { encodeAck, encodeCredit, encodeData, seal } from '../../src/wire/encode.js';
import { Attach, CreditRequest, Fin, Reset } from '../../src/wire/frames.js';
import { CHECK_BYTES, EXTENDED, RequestFlag } from '../../src/wire/layout.js';
import { EndpointBench, header } from '../harness/endpoint-bench.js';
import { FLOW_PEER, rangeList } from '../harness/flow-context.js';
import { printFrame } from '../harness/print-frame.js';
import { RecordingWriter } from '../harness/sender-bench.js';

const anyData = (flowId: number) => (bytes: Uint8Array) => {
  const fields = { creditSequence: 1, explicitRate: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };
  return seal(bytes, encodeData(bytes, header(flowId), fields) + 10, crc32);
};

describe('a frame of a flow that nobody knows', () => {
  it('is answered with RESET UNKNOWN_FLOW, from the role that it was meant for', () => {
    const bench = new EndpointBench();
    bench.give(anyData(9));
    bench.fin(9);
    bench.request(9, { open: false });
    expect(bench.sent()).toEqual(new Array(3).fill('RESET [FROM_RECEIVER] code=UNKNOWN_FLOW'));
    bench.give((bytes) =>
      encodeCredit(bytes, header(9), { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 }, crc32),
    );
    const ack = { flags: 0, cumulative: 0, probe: 0, ranges: rangeList() };
    bench.give((bytes) => encodeAck(bytes, header(9), ack, crc32));
    expect(bench.sent()).toEqual(new Array(2).fill('RESET code=UNKNOWN_FLOW'));
    expect(bench.counters.unknownFlow).toBe(5);
  });

  it('is answered at most a hundred times a second', () => {
    const bench = new EndpointBench();
    for (let frame = 0; frame < 250; frame++) bench.fin(9);
    expect(bench.sent()).toHaveLength(100);
    expect(bench.counters.resetsSuppressed).toBe(150);
    bench.nowNs += SECOND_NS / 2;
    for (let frame = 0; frame < 250; frame++) bench.fin(9);
    expect(bench.sent()).toHaveLength(50);
  });

  it('is not answered when it is a RESET', () => {
    const bench = new EndpointBench();
    bench.reset(9, true);
    bench.reset(9, false);
    expect(bench.sent()).toEqual([]);
    expect(bench.counters.unknownFlow).toBe(2);
  });

  it('is told apart by peer as well as by flow id', () => {
    const bench = new EndpointBench();
    bench.request(9);
    bench.request(9, { peer: 8 });
    expect(bench.flows).toHaveLength(2);
    expect(bench.flows.map((flow) => [flow.peer, flow.id, flow.pairedFlowId])).toEqual([
      [FLOW_PEER, 9, 5],
      [8, 9, 5],
    ]);
  });
});

/** With an entry that may not be skipped. */
function extended(bytes: Uint8Array): number {
  const length = Reset.encode(bytes, header(9), { flags: EXTENDED, code: 1 }, crc32) - CHECK_BYTES;
  bytes.set([0x80, 0, 0, 2], length);
  return seal(bytes, length + 4, crc32);
}

describe('a frame that is not taken', () => {
  it.each([
    ['short', (bytes: Uint8Array) => bytes.fill(0x23, 0, 10).length * 0 + 10],
    ['type', (bytes: Uint8Array) => bytes.fill(0x20, 0, 30).length * 0 + 30],
    ['length', (bytes: Uint8Array) => Reset.encode(bytes, header(9), { flags: 0, code: 1 }, crc32) + 1],
    ['check', (bytes: Uint8Array) => Reset.encode(bytes, header(9), { flags: 0, code: 1 }, () => 1)],
    ['extension', extended],
    ['invalid', (bytes: Uint8Array) => Reset.encode(bytes, header(0), { flags: 0, code: 1 }, crc32)],
    ['direction', (bytes: Uint8Array) => Attach.encode(bytes, header(0), { token: 1, maxFrameBytes: 0 }, crc32)],
    ['misdirected', (bytes: Uint8Array) => Reset.encode(bytes, header(9, 3, 4), { flags: 0, code: 1 }, crc32)],
  ] as const)('is counted as %s, and nothing else happens', (reason, write) => {
    const bench = new EndpointBench();
    bench.give(write);
    expect(bench.counters).toEqual({ ...newCounters(), framesReceived: 1, [reason]: 1 });
    expect(bench.sent()).toEqual([]);
  });

  it('is misdirected behind a switch when it is meant for another host', () => {
    const bench = new EndpointBench({ hostId: 3 });
    bench.give((bytes) => Fin.encode(bytes, header(9, 4, 7), { finalOffset: 0, probe: 0, unused: 0 }, crc32));
    expect(bench.counters.misdirected).toBe(1);
    bench.give((bytes) => Fin.encode(bytes, header(9, 3, 7), { finalOffset: 0, probe: 0, unused: 0 }, crc32));
    expect(bench.counters.unknownFlow).toBe(1);
    expect(printFrame(bench.frames()[0])).toContain('3>7 flow=0x00000009');
  });
});

describe('a frame of version 1', () => {
  const foreign = (bytes: Uint8Array) => {
    const length = Fin.encode(bytes, header(9), { finalOffset: 0, probe: 0, unused: 0 }, crc32);
    bytes[1] = 0x16;
    return length;
  };

  it('is not answered when it is shorter than the answer', () => {
    const bench = new EndpointBench();
    bench.give((bytes) => Math.min(foreign(bytes), 19));
    expect(bench.counters.version).toBe(1);
    expect(bench.sent()).toEqual([]);
  });
});

describe('a flow that a peer opens', () => {
  it('is refused when the application does not take it', () => {
    const bench = new EndpointBench();
    bench.onAccept = () => false;
    bench.request(9);
    expect(bench.sent()).toEqual(['RESET [FROM_RECEIVER] code=REFUSED']);
    expect(bench.endpoint.flowCount).toBe(0);
    expect(bench.counters.flowsRefused).toBe(1);
    bench.flows[0].reset(0);
    expect(bench.sent()).toEqual([]);
  });

  it('is refused when its frames are larger than the host takes', () => {
    const bench = new EndpointBench();
    bench.request(9, { maxFrameBytes: 1_473 });
    expect(bench.sent()).toEqual(['RESET [FROM_RECEIVER] code=FRAME_SIZE']);
  });

  it('is answered with a valid WINDOW_ACK even where its frames are shorter than one', () => {
    const bench = new EndpointBench();
    const told = { sentOffset: 0, probe: 1, backlog: 1_000, weight: 1, pairedFlowId: 0 };
    const fields = { flags: RequestFlag.open | RequestFlag.reactive, maxFrameBytes: 27, ...told };
    bench.give((bytes) => CreditRequest.encode(bytes, header(9), fields, crc32));
    expect(bench.sent()).toEqual([expect.stringMatching(/^WINDOW_ACK cumulative=0 probe=1 ranges=none /)]);
  });

  it('is refused when the host has as many as it takes, and taken when one of them lingers', () => {
    const bench = new EndpointBench({ maxFlows: 2 });
    bench.request(1);
    bench.request(2);
    bench.request(3);
    expect(bench.sent().filter((line) => !line.startsWith('CREDIT'))).toEqual([
      'RESET [FROM_RECEIVER] code=TOO_MANY_FLOWS',
    ]);
    bench.fin(1);
    bench.request(4);
    expect(bench.endpoint.flowCount).toBe(2);
    expect(() => bench.endpoint.open(8, new RecordingWriter(), {}, 0)).toThrow(/2 flows open: at most 2/);
  });

  it('may be reset before it is accepted: its reader hears of it, and no credit goes out', () => {
    const bench = new EndpointBench();
    bench.onAccept = (flow) => {
      flow.reset(bench.nowNs);
      return true;
    };
    bench.request(9);
    expect(bench.sent()).toEqual(['RESET [FROM_RECEIVER] code=ABORTED']);
    expect(bench.readers[0].events).toEqual(['closed reset']);
    expect(bench.endpoint.nextTimeout()).toBe(NEVER);
    expect(bench.endpoint.flowCount).toBe(0);
  });

  it('may be reset and refused, and its place taken, in the same breath', () => {
    const bench = new EndpointBench();
    const writer = new RecordingWriter();
    bench.onAccept = (flow) => {
      flow.reset(bench.nowNs);
      bench.endpoint.open(FLOW_PEER, writer, {}, bench.nowNs).write(new Uint8Array(5), bench.nowNs);
      return false;
    };
    bench.request(9);
    expect(bench.sent().map((line) => line.split(' ')[0])).toEqual(['RESET', 'CREDIT_REQUEST']);
    expect(bench.endpoint.flowCount).toBe(1);
    bench.wait(6 * SECOND_NS);
    expect(writer.events).toEqual(['closed unreachable']);
  });

  it('may be answered by a flow that is opened while it is accepted', () => {
    const bench = new EndpointBench();
    bench.onAccept = (flow) => {
      bench.endpoint.open(flow.peer, new RecordingWriter(), { pairedFlowId: flow.id }, 0).end(0);
      return true;
    };
    bench.request(9);
    const [request, credit] = bench.sent();
    expect(request).toContain('paired=0x00000009');
    expect(credit).toMatch(/^CREDIT /);
    expect(bench.endpoint.flowCount).toBe(2);
  });
});

describe('flows that linger', () => {
  function lingering(count: number, changes: Partial<EndpointConfig> = {}): EndpointBench {
    const bench = new EndpointBench(changes);
    for (let flow = 1; flow <= count; flow++) {
      bench.request(flow);
      bench.fin(flow);
      bench.nowNs += MILLISECOND_NS;
    }
    bench.sent();
    return bench;
  }

  it('answer a repeated FIN, and are forgotten after the linger time', () => {
    const bench = lingering(2);
    expect(bench.endpoint.flowCount).toBe(0);
    bench.fin(1);
    expect(bench.sent()).toEqual(['ACK [COMPLETE] cumulative=0 probe=2 ranges=none']);
    bench.wait(2 * SECOND_NS);
    bench.fin(1);
    expect(bench.sent()).toEqual(['RESET [FROM_RECEIVER] code=UNKNOWN_FLOW']);
    expect(bench.endpoint.nextTimeout()).toBe(NEVER);
  });

  it('are no more than their limit: the oldest go first', () => {
    const bench = lingering(5, { maxLingering: 3 });
    expect(bench.counters.lingerEvictions).toBe(2);
    for (let flow = 1; flow <= 5; flow++) bench.fin(flow);
    expect(bench.sent().map((line) => line.split(' ')[0])).toEqual(['RESET', 'RESET', 'ACK', 'ACK', 'ACK']);
  });

  it('may be none at all: the flow is complete on both sides all the same', () => {
    const bench = new EndpointBench({ maxLingering: 0 });
    bench.request(1);
    bench.fin(1);
    expect(bench.sent().at(-1)).toContain('ACK [COMPLETE]');
    expect(bench.readers[0].events).toEqual(['end', 'closed in order']);
    expect(bench.endpoint.nextTimeout()).toBe(NEVER);
  });

  it('leave in any order without harm to others or to those that take their places', () => {
    const bench = lingering(4, { maxLingering: 4 });
    bench.reset(3, false);
    bench.reset(2, false);
    bench.request(10);
    bench.request(11);
    expect(bench.endpoint.flowCount).toBe(2);
    for (let flow = 20; flow < 30; flow++) {
      bench.request(flow);
      bench.fin(flow);
    }
    expect(bench.counters.lingerEvictions).toBe(8);
    expect(bench.endpoint.flowCount).toBe(2);
    bench.wait(3 * SECOND_NS);
    expect(bench.flows.filter((flow) => !flow.isClosed).map((flow) => flow.id)).toEqual([10, 11]);
  });
});

describe('closing everything', () => {
  it('resets open flows of both directions, forgets lingering ones, and leaves no timer', () => {
    const bench = new EndpointBench();
    bench.request(1);
    bench.fin(1);
    bench.request(2);
    const writer = new RecordingWriter();
    const flow = bench.endpoint.open(FLOW_PEER, writer, {}, 0);
    flow.write(new Uint8Array(10), 0);
    bench.sent();
    bench.endpoint.closeAll(0);
    expect(bench.sent()).toEqual(['RESET [FROM_RECEIVER] code=SHUTDOWN', 'RESET code=SHUTDOWN']);
    expect(writer.events).toEqual(['closed reset']);
    expect(bench.readers.map((reader) => reader.events.at(-1))).toEqual(['closed in order', 'closed reset']);
    expect([bench.endpoint.flowCount, bench.endpoint.nextTimeout()]).toEqual([0, NEVER]);
  });

  it('may be done inside any callback', () => {
    const bench = new EndpointBench();
    bench.onAccept = () => {
      bench.endpoint.closeAll(0);
      return true;
    };
    bench.request(1);
    expect(bench.readers[0].events).toEqual(['closed reset']);
    bench.onAccept = () => true;
    bench.request(2);
    bench.readers[1].onStreamEnd = () => bench.endpoint.closeAll(0);
    bench.readers[1].onFlowClosed = () => bench.endpoint.closeAll(0);
    bench.fin(2);
    expect(bench.readers[1].events).toEqual(['end', 'closed reset']);
    expect([bench.endpoint.flowCount, bench.endpoint.nextTimeout()]).toEqual([0, NEVER]);
  });
});

describe('an endpoint', () => {
  it('has nothing to wait for while nothing happens', () => {
    const bench = new EndpointBench();
    expect(bench.endpoint.nextTimeout()).toBe(NEVER);
    bench.endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
    expect(bench.endpoint.nextTimeout()).toBe(NEVER);
  });
});

function allowed(limiter: RateLimit, nowNs: number, tries: number): number {
  let count = 0;
  for (let turn = 0; turn < tries; turn++) if (limiter.allow(nowNs)) count++;
  return count;
}

describe('answers to unknown flows', () => {
  it('are a hundred at once, come back at a hundred a second, and are not saved up', () => {
    const limiter = new RateLimit(100);
    expect(allowed(limiter, 0, 500)).toBe(100);
    expect(allowed(limiter, 0.25 * SECOND_NS, 500)).toBe(25);
    expect(allowed(limiter, 60 * SECOND_NS, 500)).toBe(100);
  });

  it('are never more than a hundred in a second and as many from before, however they are spread', () => {
    const limiter = new RateLimit(100);
    let count = 0;
    for (let nowNs = 0; nowNs < 10 * SECOND_NS; nowNs += SECOND_NS / 1_000) count += allowed(limiter, nowNs, 3);
    expect(count).toBeGreaterThan(1_090);
    expect(count).toBeLessThanOrEqual(1_100);
  });
});
