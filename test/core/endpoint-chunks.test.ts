import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import type { Application } from '../../src/core/application.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import { NO_OBSERVER } from '../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import { tableEnd, writeChunk, writeChunkCount } from '../../src/wire/chunks.js';
import { creditSequence, flowId, frameType } from '../../src/wire/decode.js';
import { encodeData, seal } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { CreditRequest } from '../../src/wire/frames.js';
import { DataFlag, FrameType, RequestFlag } from '../../src/wire/layout.js';
import { header } from '../harness/endpoint-bench.js';
import { FLOW_PEER, incoming, newEndpoint, pollAll } from '../harness/flow-context.js';
import { printFrame } from '../harness/print-frame.js';
import { RecordingReader } from '../harness/receiver-bench.js';
import { RecordingWriter, SenderBench } from '../harness/sender-bench.js';
import { pattern } from '../harness/streams.js';

interface Chunk {
  id: number;
  offset: number;
  bytes: number;
  flags?: number;
}

const A = 0xa;
const B = 0xb;
const STRANGER = 0xc;

/** A host that receives the flows 0xa and 0xb, of which the peer has said that it has so many bytes. */
class Receiver {
  nowNs = 0;
  readonly endpoint: Endpoint;
  readonly readers = new Map<number, RecordingReader>();
  readonly flows = new Map<number, ReceiverFlow>();
  private credit = -1;
  private probe = 0;

  constructor() {
    const application: Application = { acceptFlow: (flow) => this.accept(flow) };
    this.endpoint = newEndpoint({ rateBps: 1e9, jitter: 0, creditAlgorithm: 'naive' }, application);
  }

  /** Its request, and what is sent until a credit has gone. */
  request(id: number, backlog: number, flags: number = RequestFlag.open): string[] {
    this.takeRequest(id, backlog, flags);
    return this.sent();
  }

  takeRequest(id: number, backlog: number, flags: number = RequestFlag.open): void {
    const told = { sentOffset: 0, probe: ++this.probe, maxFrameBytes: 1_472, pairedFlowId: 0, weight: 1 };
    this.take((bytes) => CreditRequest.encode(bytes, header(id), { flags, backlog, ...told }, crc32));
  }

  /** A filled frame of 0xa that echoes its latest credit, with `own` bytes of it and with chunks; each stream is of the pattern. */
  filled(own: Omit<Chunk, 'id'>, chunks: readonly Chunk[], { isEchoing = true } = {}): string[] {
    const flags = (own.flags ?? 0) | DataFlag.chunks;
    const creditSequence = isEchoing ? this.credit : this.credit + 1_000;
    const fields = { creditSequence, explicitRate: 0, offset: own.offset, unused: 0, flags, pathId: 0 };
    this.take((bytes) => {
      encodeData(bytes, header(A), fields);
      writeChunkCount(bytes, chunks.length);
      let at = tableEnd(chunks.length);
      bytes.set(pattern(own.offset, own.bytes), at);
      at += own.bytes;
      for (const [index, { id, offset, bytes: payloadBytes, flags = 0 }] of chunks.entries()) {
        writeChunk(bytes, index, { flowId: id, offset, payloadBytes, flags });
        bytes.set(pattern(offset, payloadBytes), at);
        at += payloadBytes;
      }
      return seal(bytes, at, crc32);
    });
    return this.sent();
  }

  received(id: number): number {
    return (this.readers.get(id) as RecordingReader).received;
  }

  take(write: (bytes: Uint8Array) => number): void {
    this.endpoint.handleFrame(incoming(write), this.nowNs);
  }

  sent(): string[] {
    this.endpoint.advance(this.nowNs);
    return pollAll(this.endpoint).map((frame) => this.line(frame));
  }

  private line(frame: Frame): string {
    const id = flowId(frame.bytes);
    if (frameType(frame.bytes) === FrameType.credit && id === A) this.credit = creditSequence(frame.bytes);
    return printFrame(frame)
      .replace(/ \S+ flow=\S+ path=\S+ hop=\S+ \S+/, ` ${id.toString(16)}`)
      .replace(/^CREDIT (\w) .*/, 'CREDIT $1');
  }

  private accept(flow: ReceiverFlow): RecordingReader {
    const reader = new RecordingReader();
    reader.onBytes = (count) => flow.release(count, this.nowNs);
    this.flows.set(flow.id, flow);
    this.readers.set(flow.id, reader);
    return reader;
  }
}

function receiverOf(backlogs: Readonly<Record<number, number>>): Receiver {
  const receiver = new Receiver();
  for (const [id, backlog] of Object.entries(backlogs)) receiver.request(Number(id), backlog);
  return receiver;
}

describe('a filled frame', () => {
  it('brings each flow its bytes, and its own credit the echo', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    receiver.filled({ offset: 0, bytes: 100 }, [{ id: B, offset: 0, bytes: 300 }]);
    expect([receiver.received(A), receiver.received(B)]).toEqual([100, 300]);
    expect(receiver.flows.get(A)?.statistics).toMatchObject({ dataFrames: 1, chunks: 0, creditsUsed: 1 });
    expect(receiver.flows.get(B)?.statistics).toMatchObject({ dataFrames: 0, chunks: 1, creditsUsed: 0 });
  });

  it('of chunks alone brings the echo, and nothing of its own flow', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    receiver.filled({ offset: 0, bytes: 0 }, [{ id: B, offset: 0, bytes: 300 }]);
    expect([receiver.received(A), receiver.received(B)]).toEqual([0, 300]);
    expect(receiver.flows.get(A)?.statistics).toMatchObject({ creditsUsed: 1, disorderedFrames: 0 });
  });

  it('may have more of its own flow among its chunks, each with its flags', () => {
    const receiver = receiverOf({ [A]: 250 });
    const chunk = { id: A, offset: 100, bytes: 150, flags: DataFlag.end };
    expect(receiver.filled({ offset: 0, bytes: 100 }, [chunk])).toEqual(['ACK a cumulative=250 probe=1 ranges=none']);
    expect(receiver.readers.get(A)?.events.at(-1)).toBe('end');
  });

  it('is dropped for its own flow where it echoes no credit, and its chunks are taken all the same', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    receiver.filled({ offset: 0, bytes: 100 }, [{ id: B, offset: 0, bytes: 300 }], { isEchoing: false });
    expect([receiver.received(A), receiver.received(B)]).toEqual([0, 300]);
    expect(receiver.endpoint.counters.unknownCredit).toBe(1);
  });

  it('brings bytes that came before no second time', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    const chunks = [{ id: B, offset: 0, bytes: 300 }];
    receiver.filled({ offset: 0, bytes: 100 }, chunks);
    receiver.filled({ offset: 0, bytes: 100 }, chunks);
    expect([receiver.received(A), receiver.received(B)]).toEqual([100, 300]);
    expect(receiver.endpoint.counters.duplicateData).toBe(1);
  });

  it('is no reason for a RESET where nobody knows the flow of a chunk, as its opening may be behind it', () => {
    const receiver = receiverOf({ [A]: 100 });
    const lines = receiver.filled({ offset: 0, bytes: 100 }, [{ id: STRANGER, offset: 0, bytes: 10 }]);
    expect(lines.filter((line) => line.startsWith('RESET'))).toEqual([]);
    expect(receiver.endpoint.counters.unknownFlow).toBe(1);
  });

  it('has nothing for a reactive flow', () => {
    const receiver = receiverOf({ [A]: 100 });
    receiver.request(B, 300, RequestFlag.open | RequestFlag.reactive);
    receiver.filled({ offset: 0, bytes: 100 }, [{ id: B, offset: 0, bytes: 300 }]);
    expect(receiver.received(B)).toBe(0);
    expect(receiver.endpoint.counters.invalid).toBe(1);
  });

  it('brings bytes that two of its chunks have once', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 400 });
    const chunks = [
      { id: B, offset: 0, bytes: 300 },
      { id: B, offset: 100, bytes: 300 },
    ];
    receiver.filled({ offset: 0, bytes: 100 }, chunks);
    expect(receiver.received(B)).toBe(400);
  });

  it('goes on with the next chunk where the reader of one resets its flow, and that of the frame', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 600 });
    const reader = receiver.readers.get(B) as RecordingReader;
    reader.onBytes = () => {
      for (const id of [A, B]) receiver.flows.get(id)?.reset(receiver.nowNs);
    };
    const chunks = [
      { id: B, offset: 0, bytes: 300 },
      { id: B, offset: 300, bytes: 300 },
      { id: A, offset: 100, bytes: 100 },
    ];
    receiver.filled({ offset: 0, bytes: 100 }, chunks);
    expect([receiver.received(A), receiver.received(B)]).toEqual([100, 300]);
    expect(receiver.endpoint.counters.unknownFlow).toBe(2);
  });

  it('ends the flow of a chunk that contradicts the length of its stream, and no other', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    const chunks = [
      { id: B, offset: 0, bytes: 200, flags: DataFlag.end },
      { id: B, offset: 200, bytes: 100 },
    ];
    const lines = receiver.filled({ offset: 0, bytes: 100 }, chunks);
    expect(lines.filter((line) => line.startsWith('RESET'))).toEqual([expect.stringMatching(/^RESET b .*protocol/i)]);
    expect(receiver.flows.get(A)?.isClosed).toBe(false);
  });

  it('tells of more with MORE, so that credits go on', () => {
    const receiver = receiverOf({ [A]: 100, [B]: 300 });
    receiver.filled({ offset: 0, bytes: 100 }, [{ id: B, offset: 0, bytes: 300, flags: DataFlag.more }]);
    receiver.nowNs = 1e6;
    expect(receiver.sent()).toContain('CREDIT b');
  });
});

describe('a flow all of whose bytes have come in filled frames', () => {
  it('gets no credit for them, and its request is answered', () => {
    const receiver = receiverOf({ [A]: 100 });
    // Nothing is due between these two: the credit of 0xb waits for the moment after.
    receiver.takeRequest(B, 300);
    const flow = receiver.flows.get(B) as ReceiverFlow;
    expect(flow.statistics.creditsSent).toBe(0);
    receiver.endpoint.schedule(flow.slot, Number.POSITIVE_INFINITY);
    expect(receiver.filled({ offset: 0, bytes: 100 }, [{ id: B, offset: 0, bytes: 300 }])).toContain(
      'ACK b cumulative=300 probe=2 ranges=none',
    );
    expect(flow.statistics.creditsSent).toBe(0);
  });
});

describe('flows that open together on a host that is late', () => {
  it('send each request before its burst, or nobody would know the flow', () => {
    const endpoint = newEndpoint({ speculativeRttNs: 40_000 });
    const flows = [1, 2].map(() => endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0));
    for (const flow of flows) flow.write(pattern(0, 100), 0);
    endpoint.advance(100_000);
    endpoint.advance(200_000);
    const frames = pollAll(endpoint);
    for (const { id } of flows) {
      const types = frames.filter(({ bytes }) => flowId(bytes) >>> 0 === id).map(({ bytes }) => frameType(bytes));
      expect(types[0]).toBe(FrameType.creditRequest);
      expect(types).toContain(FrameType.speculativeData);
    }
  });
});

describe('who watches a flow that began without credits', () => {
  it('is told when its bytes have gone, and when it is known what has arrived: no credit will come for them', () => {
    const endpoint = newEndpoint({ rateBps: 1e9, speculativeRttNs: 40_000 });
    const flow = endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
    let told = 0;
    flow.observer = { ...NO_OBSERVER, onAck: () => told++ };
    flow.write(pattern(0, 1_000), 0);
    endpoint.advance(0);
    const receiver = new Receiver();
    for (const frame of pollAll(endpoint)) {
      frame.peer = FLOW_PEER;
      receiver.endpoint.handleFrame(frame, 0);
    }
    expect(told).toBe(1);
    receiver.endpoint.advance(0);
    for (const frame of pollAll(receiver.endpoint)) endpoint.handleFrame(frame, 50_000);
    expect(told).toBe(2);
    expect(flow.statistics).toMatchObject({ bytesAcknowledged: 1_000, creditsReceived: 0 });
  });

  it('may close it when its bytes have gone, and open another, which takes its place', () => {
    const endpoint = newEndpoint({ rateBps: 1e9, speculativeRttNs: 40_000 });
    const flow = endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
    flow.observer = {
      ...NO_OBSERVER,
      onAck: (nowNs) => {
        flow.reset(nowNs);
        endpoint.open(FLOW_PEER, new RecordingWriter(), {}, nowNs).write(pattern(0, 1_000), nowNs);
      },
    };
    flow.write(pattern(0, 1_000), 0);
    endpoint.advance(100_000);
    endpoint.advance(200_000);
    const types = pollAll(endpoint).map(({ bytes }) => frameType(bytes));
    expect(types.filter((type) => type === FrameType.speculativeData)).toHaveLength(2);
  });

  it('may write on and make other flows send', () => {
    const endpoint = newEndpoint({ rateBps: 1e9, speculativeRttNs: 200_000 });
    const [flow, late, old] = [1, 2, 3].map(() => endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0));
    let told = 0;
    const onAck = (nowNs: number) => {
      if (told++ > 0) return;
      flow.write(pattern(2_000, 100), nowNs);
      old.reset(nowNs);
    };
    flow.observer = { ...NO_OBSERVER, onAck };
    old.write(pattern(0, 100), 0);
    flow.write(pattern(0, 2_000), 0);
    endpoint.advance(0);
    late.write(pattern(0, 100), 30_000);
    endpoint.advance(100_000);
    endpoint.advance(200_000);
    expect(flow.statistics).toMatchObject({ bytesSent: 2_100, speculativeFrames: 3 });
  });

  it('hears nothing more of a flow that it closes then, which waited for room', () => {
    const bench = new SenderBench({ rateBps: 1e9, speculativeRttNs: 2 * 65_536 * 8, sendBufferBytes: 65_536 });
    bench.write(60_000);
    expect(bench.write(60_000)).toBe(false);
    bench.flow.observer = { ...NO_OBSERVER, onAck: (nowNs) => bench.flow.reset(nowNs) };
    bench.wait(2e6);
    bench.ack(60_000);
    expect(bench.writer.events).toEqual(['closed reset']);
  });
});
