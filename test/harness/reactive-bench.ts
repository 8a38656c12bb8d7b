import { crc32 } from '../../src/base/crc32.js';
import type { EndpointConfig } from '../../src/core/config.js';
import { ReactiveSender } from '../../src/core/reactive-sender.js';
import type { WindowAlgorithm, WindowSample } from '../../src/core/window/algorithm.js';
import { encodeWindowAck } from '../../src/wire/encode.js';
import { WindowAckFlag } from '../../src/wire/layout.js';
import { FLOW_HEADER, FLOW_PEER, FLOW_SLOT, FlowContextStub, incoming } from './flow-context.js';
import { RecordingWriter } from './sender-bench.js';
import { pattern } from './streams.js';

const EVENTS = ['acknowledged', 'recovery', 'timeout'];

/** Does what the test wants, and writes down what it is told. */
export class StubWindow implements WindowAlgorithm {
  readonly name = 'stub';
  windowFrames = 4;
  pacingGapNs = 0;
  readonly samples: WindowSample[] = [];

  update(sample: WindowSample): void {
    this.samples.push({ ...sample });
  }

  /** Names of the events since the last call. */
  events(): string[] {
    return this.samples.splice(0).map(({ event }) => EVENTS[event]);
  }

  state(): Record<string, number> {
    return {};
  }
}

interface EchoOptions {
  frame?: number;
  ranges?: readonly (readonly [number, number])[];
  probe?: number;
  complete?: boolean;
  windowEnd?: number;
  arrivedWith?: number;
  remoteQueuing?: number;
  arrivalTime?: number;
}

/** The sender's end of one reactive flow, and a peer who answers with whatever frames the test wants. */
export class ReactiveBench {
  nowNs = 0;
  readonly context: FlowContextStub;
  readonly writer = new RecordingWriter();
  readonly window = new StubWindow();
  readonly flow: ReactiveSender;
  private written = 0;

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.context = new FlowContextStub(changes);
    const { frameBytes } = this.context.config;
    const terms = {
      slot: FLOW_SLOT,
      header: FLOW_HEADER,
      peer: FLOW_PEER,
      frameBytes,
      pairedFlowId: 0,
      weight: 1,
      isLowClass: false,
      isDuplex: false,
    };
    this.flow = new ReactiveSender(
      this.context,
      this.writer,
      { ...terms, isReactive: true, algorithm: this.window },
      0,
    );
  }

  /** Writes so many full frames. */
  write(frames: number): this {
    this.flow.write(pattern(this.written, frames * 1_446), this.nowNs);
    this.written += frames * 1_446;
    return this;
  }

  /** An acknowledgement; of frame `frame` where one is named. `cumulative` in full frames. */
  ack(cumulative: number, options: EchoOptions = {}): void {
    const { frame, ranges = [], complete = false, probe = this.context.lastProbe } = options;
    const { windowEnd = 1e6, arrivedWith = 61 * 4 + 2, remoteQueuing = 0, arrivalTime = 0 } = options;
    const flags = (complete ? WindowAckFlag.complete : 0) | (frame === undefined ? 0 : WindowAckFlag.echo);
    const fields = {
      flags,
      cumulative: Math.round(cumulative * 1_446),
      probe,
      windowEnd,
      frameNumber: frame ?? 0,
      arrivedWith,
      remoteQueuing,
      arrivalTime,
      ranges: {
        count: ranges.length,
        start: (index: number) => ranges[index][0] * 1_446,
        end: (index: number) => ranges[index][1] * 1_446,
      },
    };
    this.flow.handleAck(
      incoming((bytes) => encodeWindowAck(bytes, FLOW_HEADER, fields, crc32)),
      this.nowNs,
    );
  }

  /** Lets `ns` pass; fires the flow's timer and its pacer exactly when they are due. */
  wait(ns: number): this {
    const untilNs = this.nowNs + ns;
    const { context } = this;
    while (Math.min(context.deadlineNs, context.dueNs) <= untilNs) {
      this.nowNs = Math.max(this.nowNs, Math.min(context.deadlineNs, context.dueNs));
      if (context.dueNs <= this.nowNs) context.dueNs = this.flow.sendDue(this.nowNs);
      else {
        context.deadlineNs = Number.POSITIVE_INFINITY;
        const deadlineNs = this.flow.onTimer(this.nowNs);
        if (deadlineNs <= this.nowNs) throw new Error(`a timer at ${deadlineNs} is left at ${this.nowNs}`);
        context.arm(0, deadlineNs);
      }
    }
    this.nowNs = untilNs;
    return this;
  }

  /** `frame@offset` in full frames for data, with ! for a repair; other frames by their names. */
  sent(): string[] {
    return this.context.sent().map((line) => {
      const data = /^DATA (\[.*\] )?frame=(\d+) offset=(\d+)/.exec(line);
      if (data === null) return line.split(' ')[0];
      return `${data[2]}@${Number(data[3]) / 1_446}${data[1].includes('REPAIR') ? '!' : ''}`;
    });
  }
}
