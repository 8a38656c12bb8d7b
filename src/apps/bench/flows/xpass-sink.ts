// Tested by test/loopback/bench.test.ts

import type { FlowReader } from '../../../core/flow-callbacks.js';
import type { Receiver } from '../../../net/receiver.js';
import type { GapMeter } from './gap-meter.js';
import type { MessageMeter, StreamMeter } from './message-meter.js';

/** Takes all flows, measures what comes and lets it go. A flow costs one small object here, so that what a flow takes is the transport's. */
export class XpassSink {
  private readonly meter: MessageMeter;
  private readonly gaps: GapMeter | null;

  constructor(meter: MessageMeter, gaps: GapMeter | null) {
    this.meter = meter;
    this.gaps = gaps;
  }

  accept(receiver: Receiver): FlowReader {
    if (this.gaps !== null) receiver.observer = this.gaps;
    return new SinkReader(receiver, this.meter.open());
  }
}

class SinkReader implements FlowReader {
  private readonly receiver: Receiver;
  private readonly stream: StreamMeter;

  constructor(receiver: Receiver, stream: StreamMeter) {
    this.receiver = receiver;
    this.stream = stream;
  }

  onData(bytes: Uint8Array): void {
    this.stream.onData(bytes);
    this.receiver.release(bytes.length);
  }

  onEnd(): void {
    this.stream.onEnd();
  }

  onClosed(): void {}
}
