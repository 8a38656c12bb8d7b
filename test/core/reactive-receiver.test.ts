import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SECOND_NS } from '../../src/base/time.js';
import type { EndpointConfig } from '../../src/core/config.js';
import { ReactiveReceiver } from '../../src/core/reactive-receiver.js';
import { ReceiverState } from '../../src/core/receiver-flow.js';
import { encodeData, seal } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { CreditRequest, CreditStop, Fin } from '../../src/wire/frames.js';
import { DataFlag, RequestFlag } from '../../src/wire/layout.js';
import { markCe } from '../../src/wire/rewrite.js';
import { FLOW_HEADER, FLOW_PEER, FLOW_SLOT, FlowContextStub, incoming } from '../harness/flow-context.js';

/** The receiver's end of one reactive flow, whose reader releases nothing by itself. */
class Bench {
  readonly context: FlowContextStub;
  readonly flow: ReactiveReceiver;
  readonly events: string[] = [];
  nowNs = 0;
  private number = 0;

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.context = new FlowContextStub(changes);
    this.flow = new ReactiveReceiver(this.context, { slot: FLOW_SLOT, header: FLOW_HEADER, peer: FLOW_PEER }, 0);
    const flags = RequestFlag.open | RequestFlag.reactive;
    const fields = { flags, sentOffset: 0, probe: 1, maxFrameBytes: 1_472, pairedFlowId: 0, backlog: 0, weight: 1 };
    const opening = incoming((bytes) => CreditRequest.encode(bytes, FLOW_HEADER, fields, crc32));
    this.flow.handleOpening(opening);
    this.flow.accept({
      onData: (bytes) => this.events.push(`data ${bytes.length}`),
      onEnd: () => this.events.push('end'),
      onClosed: (error) => this.events.push(`closed ${error?.code ?? 'in order'}`),
    });
    this.flow.handleRequest(opening, 0);
  }

  data(
    offset: number,
    length: number,
    { end = false, marked = false, waitedNs = 0, number = this.number++ } = {},
  ): void {
    const flags = DataFlag.reactive | (end ? DataFlag.end : 0);
    const fields = { creditSequence: number, explicitRate: 0, offset, unused: 0, flags, pathId: 0 };
    const frame: Frame = incoming((bytes) => seal(bytes, encodeData(bytes, FLOW_HEADER, fields) + length, crc32));
    if (marked) markCe(frame.bytes);
    frame.arrivedNs = this.nowNs - waitedNs;
    this.flow.handleData(frame, this.nowNs);
  }

  fin(finalOffset: number): void {
    this.flow.handleFin(
      incoming((bytes) => Fin.encode(bytes, FLOW_HEADER, { finalOffset, probe: 2, unused: 0 }, crc32)),
      this.nowNs,
    );
  }

  stop(): void {
    this.flow.handleStop(
      incoming((bytes) => CreditStop.encode(bytes, FLOW_HEADER, { sentOffset: 0, probe: 3, unused: 0 }, crc32)),
      this.nowNs,
    );
  }
}

describe('a reactive receiver', () => {
  it('answers the opening with the end of its window', () => {
    const bench = new Bench({ receiveWindowBytes: 100_000 });
    expect(bench.context.sent()).toEqual([
      'WINDOW_ACK cumulative=0 probe=1 ranges=none window=100000 frame=0 arrived-with=0,- queued=0us at=0',
    ]);
    expect(bench.flow.state).toBe(ReceiverState.receiving);
  });

  it('answers every data frame at once, with its mark, its hops and how long it waited', () => {
    const bench = new Bench({ receiveWindowBytes: 100_000 });
    bench.context.sent();
    bench.nowNs = 50_000;
    bench.data(0, 1_000, { marked: true, waitedNs: 12_400, number: 7 });
    bench.data(2_000, 500, { number: 8 });
    bench.data(2_000, 500, { number: 9 });
    expect(bench.context.sent()).toEqual([
      'WINDOW_ACK [ECHO] cumulative=1000 probe=1 ranges=none window=100000 frame=7 arrived-with=63,ce queued=12us at=376',
      'WINDOW_ACK [ECHO] cumulative=1000 probe=1 ranges=2000-2500 window=100000 frame=8 arrived-with=63,ect0 queued=0us at=500',
      'WINDOW_ACK [ECHO] cumulative=1000 probe=1 ranges=2000-2500 window=100000 frame=9 arrived-with=63,ect0 queued=0us at=500',
    ]);
    expect(bench.flow.statistics).toMatchObject({ dataFrames: 3, markedFrames: 1, bytesDelivered: 1_000 });
  });

  it('says a new end of its window when its reader makes room after there was none, and not before', () => {
    const bench = new Bench({ receiveWindowBytes: 65_536 });
    for (let offset = 0; offset < 64_000; offset += 1_000) bench.data(offset, 1_000);
    bench.data(64_000, 536);
    bench.context.sent();
    bench.flow.release(400, 0);
    expect(bench.context.sent()).toEqual([]);
    bench.flow.release(1_000, 0);
    expect(bench.context.sent()).toEqual([expect.stringContaining('window=66936 ')]);
    bench.flow.release(10_000, 0);
    expect(bench.context.sent()).toEqual([]);
  });

  it('lets no more come at once than its host can be sent', () => {
    const bench = new Bench({ hostCredits: 10 });
    expect(bench.context.sent()).toEqual([expect.stringContaining(`window=${10 * 1_446} `)]);
    bench.data(0, 1_000);
    expect(bench.context.sent()).toEqual([expect.stringContaining(`window=${10 * 1_446 + 1_000} `)]);
  });

  it('is complete with all bytes and the FIN, in either order, and says so with the echo', () => {
    for (const isFinLast of [true, false]) {
      const bench = new Bench();
      bench.data(0, 100);
      if (!isFinLast) bench.fin(300);
      bench.data(100, 200, { end: true });
      if (isFinLast) bench.fin(300);
      const lines = bench.context.sent();
      expect(lines.at(-1)).toMatch(
        isFinLast ? /^WINDOW_ACK \[COMPLETE\]/ : /^WINDOW_ACK \[COMPLETE ECHO\] .* frame=1 /,
      );
      expect(bench.events).toEqual(['data 100', 'data 200', 'end', 'closed in order']);
      expect(bench.context.lingering).toBe(1);
    }
  });

  it('answers a stop, and every frame in COMPLETE', () => {
    const bench = new Bench();
    bench.stop();
    expect(bench.context.sent().at(-1)).toMatch(/^WINDOW_ACK cumulative=0 probe=3 /);
    bench.data(0, 10, { end: true });
    bench.fin(10);
    bench.context.sent();
    bench.data(0, 10, { end: true });
    bench.fin(10);
    expect(bench.context.sent()).toEqual([
      expect.stringMatching(/^WINDOW_ACK \[COMPLETE ECHO\]/),
      expect.stringMatching(/^WINDOW_ACK \[COMPLETE\]/),
    ]);
  });

  it('gives the flow up when its length changes or nothing is heard', () => {
    const changed = new Bench();
    changed.data(0, 10, { end: true });
    changed.data(10, 10);
    expect(changed.events).toEqual(['data 10', 'end', 'closed protocol']);
    const idle = new Bench();
    idle.flow.onTimer(10 * SECOND_NS);
    expect(idle.events).toEqual(['closed idle']);
    expect(idle.context.sent().at(-1)).toMatch(/^RESET .*code=IDLE/);
  });
});
