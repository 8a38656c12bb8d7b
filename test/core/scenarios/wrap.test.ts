import { describe, expect, it, vi } from 'vitest';
import { type Random, SeededRandom } from '../../../src/base/random.js';
import { MICROSECOND_NS } from '../../../src/base/time.js';
import { endpointConfig } from '../../../src/core/config.js';
import { Endpoint } from '../../../src/core/endpoint.js';
import type { FlowReader } from '../../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../../src/core/receiver-flow.js';
import { creditSequence, dataOffset, frameType } from '../../../src/wire/decode.js';
import { type Frame, FramePool } from '../../../src/wire/frame.js';
import { FrameType } from '../../../src/wire/layout.js';
import { RecordingWriter } from '../../harness/sender-bench.js';

/** Each takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

/** Draws this number first and for every flow: the first credit sequence. */
class NearWrap implements Random {
  private readonly others = new SeededRandom(1);
  private readonly first: number;

  constructor(first: number) {
    this.first = first;
  }

  next(): number {
    return this.others.next();
  }

  uint32(): number {
    return this.first;
  }
}

/** Two endpoints back to back, as fast as they can: no bytes are copied on the way, and no CRC is computed. */
class Straight {
  nowNs = 0;
  lose: (frame: Frame) => boolean = () => false;
  received = 0;
  readonly writer = new RecordingWriter();
  readonly flow;
  receiver!: ReceiverFlow;
  private readonly ends: [Endpoint, Endpoint];

  constructor(frameBytes: number, firstSequence: number) {
    const pool = new FramePool(() => new Uint8Array(frameBytes), 256);
    const config = endpointConfig({ frameBytes, hostCredits: 32 });
    const reader: FlowReader = {
      onData: (bytes) => {
        this.received += bytes.length;
        this.receiver.release(bytes.length, this.nowNs);
      },
      onEnd: () => {},
      onClosed: () => {},
    };
    const acceptFlow = (flow: ReceiverFlow) => {
      this.receiver = flow;
      return reader;
    };
    const parts = { check: null, pool, application: { acceptFlow } };
    this.ends = [
      new Endpoint(config, { ...parts, random: new SeededRandom(2) }),
      new Endpoint(config, { ...parts, random: new NearWrap(firstSequence) }),
    ];
    this.flow = this.ends[0].open(1, this.writer, {}, 0);
  }

  run(): void {
    while (this.writer.events.at(-1)?.startsWith('closed') !== true) {
      this.nowNs += 10 * MICROSECOND_NS;
      for (const [index, end] of this.ends.entries()) {
        end.advance(this.nowNs);
        for (let frame = end.poll(); frame !== null; frame = end.poll()) {
          frame.peer = index;
          if (!this.lose(frame)) this.ends[1 - index].handleFrame(frame, this.nowNs);
          end.pool.give(frame);
        }
      }
    }
  }
}

describe('numbers', () => {
  it('of credits, of 20 bits, wrap in the middle of a flow, also where some are lost', () => {
    const straight = new Straight(1_472, 2 ** 20 - 300);
    let credits = 0;
    straight.lose = (frame) => frameType(frame.bytes) === FrameType.credit && credits++ % 10 === 9;
    straight.flow.write(new Uint8Array(1_000_000), 0);
    straight.flow.end(0);
    let highest = 0;
    const lose = straight.lose;
    straight.lose = (frame) => {
      if (frameType(frame.bytes) === FrameType.credit) highest = Math.max(highest, creditSequence(frame.bytes));
      return lose(frame);
    };
    straight.run();
    expect(straight.writer.events).toEqual(['closed in order']);
    expect(straight.received).toBe(1_000_000);
    expect(highest).toBe(2 ** 20 - 1);
    expect(straight.receiver.statistics.creditsSent).toBeGreaterThan(700);
    expect(straight.flow.statistics.creditsReceived + straight.flow.statistics.requests).toBeLessThan(800);
  });

  it('of a stream, of 32 bits, wrap after four gigabytes, also where frames around the wrap are lost', () => {
    const straight = new Straight(65_507, 5);
    const chunk = new Uint8Array(1 << 20);
    const BYTES = 2 ** 32 + (4 << 20);
    let written = 0;
    let lost = 0;
    straight.lose = (frame) => {
      if (frameType(frame.bytes) !== FrameType.data || lost >= 10) return false;
      const isNear = Math.abs(dataOffset(frame.bytes) | 0) < 500_000 && straight.received > 2 ** 31;
      return isNear && lost++ % 2 === 0;
    };
    const write = () => {
      while (written < BYTES && straight.flow.write(chunk, straight.nowNs)) written += chunk.length;
      if (written === BYTES) straight.flow.end(straight.nowNs);
    };
    straight.writer.onRoom = write;
    write();
    straight.run();
    expect(straight.writer.events.at(-1)).toBe('closed in order');
    expect(straight.received).toBe(BYTES);
    expect(straight.flow.statistics.bytesRepaired).toBeGreaterThan(3 * 65_000);
  });
});
