// Tested by test/services/perf/service.test.ts and test/services/perf/sender.test.ts

import type { XpassError } from '../../base/errors.js';
import { MILLISECOND_NS, NEVER } from '../../base/time.js';
import type { FlowWriter } from '../../core/flow-callbacks.js';
import type { Sender } from '../../net/sender.js';
import { encodeMessage } from '../file/message.js';
import type { FlowHost } from '../service.js';
import { BlockTimes } from './block-times.js';
import { DurationHistogram } from './histogram.js';
import { DEFAULT_BLOCK_BYTES, PERF_KIND, type PerfData, type PerfRequest } from './messages.js';
import type { SentResults } from './results.js';
import type { FlowSample } from './sample.js';
import { PerfSource } from './source.js';

/** Between looks at a paced flow: iperf3's --pacing-timer (https://software.es.net/iperf/invoking.html). */
const PACE_MS = 1;

export interface PerfSenderOptions {
  readonly request: PerfRequest;
  readonly host: FlowHost;
  /** Opens a flow to the other side. Throws XpassError. */
  open(writer: FlowWriter): Sender;
  /** Every flow is closed, each in order. Or the first that was not, and then nothing more is told. */
  onDone(error: XpassError | null): void;
}

/** The side of a test that sends the data: all its flows. */
export class PerfSender {
  private readonly options: PerfSenderOptions;
  private readonly gaps = new DurationHistogram();
  private readonly rtts = new DurationHistogram();
  private readonly blocks = new DurationHistogram();
  private readonly sources: PerfSource[] = [];
  private openFlows = 0;
  private isDone = false;
  private pacer: NodeJS.Timeout | undefined;
  private endTimer: NodeJS.Timeout | undefined;

  constructor(options: PerfSenderOptions) {
    this.options = options;
  }

  /** Opens the flows. Throws XpassError when one cannot be opened; `abort` then takes the others back. */
  open(): void {
    const { request, open } = this.options;
    for (let index = 0; index < request.flows; index++) {
      const source = this.newSource(index);
      source.attach(open(source));
      this.openFlows++;
      this.sources.push(source);
    }
  }

  /** Starts to send on all flows at one instant. */
  start(): void {
    const { request, host } = this.options;
    const { omitNs, durationNs, direction } = request;
    const isTimed = direction !== 'exchange' && durationNs !== null;
    host.run((nowNs) => {
      const recordFromNs = nowNs + omitNs;
      const endNs = isTimed ? recordFromNs + durationNs : NEVER;
      for (const source of this.sources) source.start({ nowNs, endNs, recordFromNs });
      if (isTimed && !this.isDone) this.endAt(endNs);
    });
    if (request.pace !== undefined && !this.isDone) this.pacer = setInterval(() => this.pace(), PACE_MS);
  }

  /** Sends a message on a flow of an exchange. */
  ask(index: number, message: Uint8Array): void {
    this.options.host.run(() => this.sources[index]?.ask(message));
  }

  /** Ends one flow in order. */
  endFlow(index: number): void {
    this.options.host.run(() => this.sources[index]?.end());
  }

  /** Ends the flows in order, now. `onDone` follows. */
  end(): void {
    this.options.host.run(() => {
      for (const source of this.sources) source.end();
    });
  }

  /** Gives up the flows that are still open, with this code. The last call; `onDone` does not follow. */
  abort(code?: number): void {
    this.finish();
    this.options.host.run(() => {
      for (const source of this.sources) source.abort(code);
    });
  }

  /** Bytes of each flow that the receiver has. */
  progress(): number[] {
    return this.sources.map(({ acknowledgedBytes }) => acknowledgedBytes);
  }

  results(): SentResults {
    const lostFrames = this.sources.reduce((sum, source) => sum + source.lostFrames, 0);
    const { gaps, rtts, blocks } = this;
    return {
      creditGap: gaps.percentiles(),
      rtt: rtts.percentiles(),
      rttClasses: rtts.classes(),
      completion: blocks.percentiles(),
      completionClasses: blocks.classes(),
      lostFrames,
    };
  }

  sample(): FlowSample {
    const counts = this.sources.map((source) => source.counts);
    const rtt = this.rtts.cut();
    return {
      bytes: this.progress(),
      repairs: counts.map(({ framesRepaired }) => framesRepaired),
      underWayBytes: counts.map(({ bytesSent, bytesAcknowledged }) => bytesSent - bytesAcknowledged),
      rtt: counts.map(() => rtt),
    };
  }

  /** Data frames of each flow that were lost and sent again. */
  retransmits(): number[] {
    return this.sources.map(({ lostFrames }) => lostFrames);
  }

  /** A flow learns the time from its credits: one that gets none would never end. */
  private endAt(endNs: number): void {
    const leftNs = endNs - this.options.host.now();
    if (leftNs <= 0) this.end();
    else this.endTimer = setTimeout(() => this.endAt(endNs), Math.ceil(leftNs / MILLISECOND_NS));
  }

  private pace(): void {
    this.options.host.run((nowNs) => {
      for (const source of this.sources) source.pace(nowNs);
    });
  }

  private finish(): void {
    this.isDone = true;
    clearInterval(this.pacer);
    clearTimeout(this.endTimer);
  }

  private newSource(index: number): PerfSource {
    const { request, host } = this.options;
    const isAsked = request.direction === 'exchange';
    const header: PerfData = { kind: PERF_KIND, role: 'data', test: request.test, index };
    return new PerfSource({
      header: encodeMessage(header),
      bytes: isAsked ? Number.POSITIVE_INFINITY : (request.bytes ?? Number.POSITIVE_INFINITY),
      frameBytes: host.frameBytes,
      gaps: this.gaps,
      rtts: this.rtts,
      isAsked,
      blocks: isAsked ? null : new BlockTimes(request.lengthBytes ?? DEFAULT_BLOCK_BYTES, this.blocks),
      now: () => host.now(),
      ...(request.pace !== undefined && { pace: request.pace }),
      ...(request.lengthBytes !== undefined && { lengthBytes: request.lengthBytes }),
      onClosed: (error) => this.handleClosed(error),
    });
  }

  private handleClosed(error: XpassError | null): void {
    this.openFlows--;
    if (this.isDone || (error === null && this.openFlows > 0)) return;
    this.finish();
    this.options.onDone(error);
  }
}
