import { crc32 } from '../../src/base/crc32.js';
import type { Application } from '../../src/core/application.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { Frame } from '../../src/wire/frame.js';
import { CreditRequest, Fin, Reset } from '../../src/wire/frames.js';
import { ResetCode, ResetFlag } from '../../src/wire/layout.js';
import { FLOW_PEER, incoming, newEndpoint, pollAll } from './flow-context.js';
import { printFrame } from './print-frame.js';
import { RecordingReader } from './receiver-bench.js';

/** One endpoint, and a peer who sends it whatever frames the test wants. It takes every flow unless told otherwise. */
export class EndpointBench {
  nowNs = 0;
  readonly endpoint: Endpoint;
  readonly readers: RecordingReader[] = [];
  readonly flows: ReceiverFlow[] = [];
  onAccept: (flow: ReceiverFlow) => boolean = () => true;

  constructor(changes: Partial<EndpointConfig> = {}) {
    const application: Application = { acceptFlow: (flow) => this.accept(flow) };
    this.endpoint = newEndpoint({ jitter: 0, rateBps: 1e9, creditAlgorithm: 'naive', ...changes }, application);
  }

  get counters() {
    return this.endpoint.counters;
  }

  private accept(flow: ReceiverFlow): RecordingReader | null {
    this.flows.push(flow);
    const reader = new RecordingReader();
    this.readers.push(reader);
    return this.onAccept(flow) ? reader : null;
  }

  give(write: (bytes: Uint8Array) => number, peer = FLOW_PEER): void {
    const frame = incoming(write);
    frame.peer = peer;
    this.endpoint.handleFrame(frame, this.nowNs);
  }

  request(flowId: number, { open = true, maxFrameBytes = 1_472, peer = FLOW_PEER } = {}): void {
    const told = { sentOffset: 0, probe: 1, backlog: 2 ** 31, weight: 1 };
    const fields = { flags: Number(open), maxFrameBytes, pairedFlowId: 5, ...told };
    this.give((bytes) => CreditRequest.encode(bytes, header(flowId), fields, crc32), peer);
  }

  fin(flowId: number): void {
    this.give((bytes) => Fin.encode(bytes, header(flowId), { finalOffset: 0, probe: 2, unused: 0 }, crc32));
  }

  reset(flowId: number, fromReceiver: boolean, code: number = ResetCode.aborted): void {
    const flags = fromReceiver ? ResetFlag.fromReceiver : 0;
    this.give((bytes) => Reset.encode(bytes, header(flowId), { flags, code }, crc32));
  }

  /** Does what is due and takes what is to be sent, as lines without the header. */
  sent(): string[] {
    this.endpoint.advance(this.nowNs);
    return this.frames().map((frame) => printFrame(frame).replace(/ \S+ flow=\S+ path=\S+ hop=\S+ \S+/, ''));
  }

  frames(): Frame[] {
    return pollAll(this.endpoint);
  }

  wait(ns: number): void {
    const untilNs = this.nowNs + ns;
    while (this.endpoint.nextTimeout() <= untilNs) {
      this.nowNs = Math.max(this.nowNs, this.endpoint.nextTimeout());
      this.endpoint.advance(this.nowNs);
    }
    this.nowNs = untilNs;
  }
}

export function header(flowId: number, destination = 0, source = 0) {
  return { destination, source, flowId };
}
