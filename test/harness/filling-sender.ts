import { crc32 } from '../../src/base/crc32.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { Endpoint } from '../../src/core/endpoint.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { flowId, frameType } from '../../src/wire/decode.js';
import { encodeAck } from '../../src/wire/encode.js';
import type { Frame } from '../../src/wire/frame.js';
import { FrameType } from '../../src/wire/layout.js';
import { FLOW_PEER, incoming, newEndpoint, pollAll, rangeList } from './flow-context.js';
import { printFrame } from './print-frame.js';
import { RecordingWriter, writeCredit } from './sender-bench.js';
import { pattern } from './streams.js';

interface AckOptions {
  /** Bits of AckFlag. */
  flags?: number;
  ranges?: readonly (readonly [number, number])[];
}

/**
 * A host that sends with filled frames, and a peer who answers with whatever frames the test wants. Flows have the names `a`, `b` and so on, in the
 * order in which they are opened.
 */
export class FillingSender {
  nowNs = 0;
  readonly endpoint: Endpoint;
  readonly writers: RecordingWriter[] = [];
  /** Of every data frame sent so far, with all that is around it. */
  readonly wireBytes: number[] = [];
  private readonly flows: SenderFlow[] = [];
  private readonly credits = new Map<string, number>();

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.endpoint = newEndpoint({ frameChunks: 64, ...changes });
  }

  /** Opens a flow, writes so many bytes and lets its request go. */
  open(bytes: number, { peer = FLOW_PEER, ends = false } = {}): string {
    this.writers.push(new RecordingWriter());
    this.flows.push(this.endpoint.open(peer, this.writers[this.flows.length], {}, this.nowNs));
    const name = String.fromCharCode(96 + this.flows.length);
    this.flow(name).write(pattern(0, bytes), this.nowNs);
    if (ends) this.flow(name).end(this.nowNs);
    return name;
  }

  flow(name: string): SenderFlow {
    return this.flows[name.charCodeAt(0) - 97];
  }

  /** `explicitRate`: code and hop, as a port has left them. */
  credit(name: string, { pathId = 0, explicitRate = 0 } = {}): string[] {
    const sequence = this.credits.get(name) ?? 0;
    this.credits.set(name, sequence + 1);
    return this.handle(name, (bytes, header) => writeCredit(bytes, header, { sequence, pathId, explicitRate }));
  }

  /** An ACK of the probe with this number. */
  ack(name: string, cumulative: number, probe = 1, { flags = 0, ranges = [] }: AckOptions = {}): string[] {
    const fields = { flags, cumulative, probe, ranges: rangeList(ranges) };
    return this.handle(name, (bytes, header) => encodeAck(bytes, header, fields, crc32));
  }

  /** What is sent until now, with the names of flows. */
  sent(): string[] {
    this.endpoint.advance(this.nowNs);
    return pollAll(this.endpoint).map((frame) => this.line(frame));
  }

  private handle(
    name: string,
    write: (bytes: Uint8Array, header: { destination: number; source: number; flowId: number }) => number,
  ): string[] {
    const { id, peer } = this.flow(name);
    const frame = incoming((bytes) => write(bytes, { destination: 0, source: 0, flowId: id }));
    frame.peer = peer;
    this.endpoint.handleFrame(frame, this.nowNs);
    return this.sent();
  }

  private line(frame: Frame): string {
    if (frameType(frame.bytes) === FrameType.data) this.wireBytes.push(frame.wireBytes);
    let line = printFrame(frame)
      .replace(/ path=\S+ hop=\S+ \S+/, '')
      .replace(/ \S+ flow=\S+/, ` ${this.nameOf(flowId(frame.bytes))}`);
    this.flows.forEach(({ id }, index) => {
      line = line.replace(`0x${id.toString(16).padStart(8, '0')}`, String.fromCharCode(97 + index));
    });
    return line.replace(/ unused=0/, '');
  }

  private nameOf(id: number): string {
    return String.fromCharCode(97 + this.flows.findIndex((flow) => flow.id === id));
  }
}

/** With the flows a, b and so on, which have so many bytes each, and whose requests have gone. */
export function senderWith(sizes: readonly number[], changes: Partial<EndpointConfig> = {}): FillingSender {
  const sender = new FillingSender(changes);
  for (const bytes of sizes) sender.open(bytes);
  sender.sent();
  return sender;
}
