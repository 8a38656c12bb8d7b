// Tested by test/loopback/bench.test.ts

import type { Application, FlowReader } from '../../../core/application.js';
import type { ReceiverFlow } from '../../../core/receiver-flow.js';
import type { Transport } from '../../shared/transport.js';
import type { GapMeter } from './gap-meter.js';
import type { MessageMeter, StreamMeter } from './message-meter.js';

/** Takes all flows, measures what comes and lets it go. A flow costs one small object here, so that what a flow takes is the transport's. */
export class XpassSink implements Application {
  /** Known before the first flow can come. */
  transport: Pick<Transport, 'run'> | null = null;
  private readonly meter: MessageMeter;
  private readonly gaps: GapMeter | null;
  private flow: ReceiverFlow | null = null;
  private bytes = 0;

  constructor(meter: MessageMeter, gaps: GapMeter | null) {
    this.meter = meter;
    this.gaps = gaps;
  }

  acceptFlow(flow: ReceiverFlow): FlowReader {
    if (this.gaps !== null) flow.observer = this.gaps;
    return new SinkReader(this, flow, this.meter.open());
  }

  /** One closure for all releases of all flows. */
  release(flow: ReceiverFlow, bytes: number): void {
    this.flow = flow;
    this.bytes = bytes;
    this.transport?.run(this.releaseOne);
  }

  private readonly releaseOne = (nowNs: number): void => this.flow?.release(this.bytes, nowNs);
}

class SinkReader implements FlowReader {
  private readonly sink: XpassSink;
  private readonly flow: ReceiverFlow;
  private readonly stream: StreamMeter;

  constructor(sink: XpassSink, flow: ReceiverFlow, stream: StreamMeter) {
    this.sink = sink;
    this.flow = flow;
    this.stream = stream;
  }

  onData(bytes: Uint8Array): void {
    this.stream.onData(bytes);
    this.sink.release(this.flow, bytes.length);
  }

  onEnd(): void {
    this.stream.onEnd();
  }

  onClosed(): void {}
}
