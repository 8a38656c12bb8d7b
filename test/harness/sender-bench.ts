import { crc32 } from '../../src/base/crc32.js';
import type { XpassError } from '../../src/base/errors.js';
import type { EndpointConfig } from '../../src/core/config.js';
import { CreditedSender } from '../../src/core/credited-sender.js';
import type { FlowWriter } from '../../src/core/flow-callbacks.js';
import { SenderState } from '../../src/core/sender-flow.js';
import { encodeAck, encodeCredit, type FlowHeader } from '../../src/wire/encode.js';
import { AckFlag, HOP_BITS, NO_HOP } from '../../src/wire/layout.js';
import { lowerExplicitRate, markCe } from '../../src/wire/rewrite.js';
import { FLOW_HEADER, FLOW_PEER, FLOW_SLOT, FlowContextStub, incoming, rangeList } from './flow-context.js';
import { pattern } from './streams.js';

interface AckOptions {
  /** The probe that it repeats; the latest that the sender sent unless told otherwise. */
  probe?: number;
  ranges?: readonly (readonly [number, number])[];
  complete?: boolean;
  paused?: boolean;
  /** Its ranges follow others that it leaves out. */
  beyond?: boolean;
}

interface CreditOptions {
  sequence: number;
  pathId: number;
  /** Code and hop, as a port has left them; 0: the credit asks for none. */
  explicitRate: number;
}

/** Returns the length. */
export function writeCredit(bytes: Uint8Array, header: FlowHeader, { explicitRate, ...credit }: CreditOptions): number {
  const rateCode = explicitRate >>> HOP_BITS;
  const length = encodeCredit(bytes, header, { ...credit, paddingBytes: 2, rateCode, hop: NO_HOP }, crc32);
  if (explicitRate > 0) lowerExplicitRate(bytes, rateCode, explicitRate & NO_HOP);
  return length;
}

/** Writes down what a flow tells its writer, and does `on...` inside the calls. */
export class RecordingWriter implements FlowWriter {
  readonly events: string[] = [];
  onRoom: () => void = () => {};
  onFlowClosed: () => void = () => {};

  onWritable(): void {
    this.events.push('writable');
    this.onRoom();
  }

  onClosed(error: XpassError | null): void {
    this.events.push(`closed ${error?.code ?? 'in order'}`);
    this.onFlowClosed();
  }
}

/** The sender's end of one flow, and a peer who answers with whatever frames the test wants. */
export class SenderBench {
  nowNs = 0;
  readonly context: FlowContextStub;
  readonly writer = new RecordingWriter();
  readonly flow: CreditedSender;
  private written = 0;
  private nextCredit = 0;

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.context = new FlowContextStub(changes);
    const { frameBytes } = this.context.config;
    const options = {
      slot: FLOW_SLOT,
      header: FLOW_HEADER,
      peer: FLOW_PEER,
      frameBytes,
      pairedFlowId: 0,
      isReactive: false,
      weight: 1,
      isLowClass: false,
      isDuplex: false,
    };
    this.flow = new CreditedSender(this.context, this.writer, options, 0);
  }

  /** The name of the flow's state. */
  get state(): string {
    return Object.entries(SenderState).find(([, code]) => code === this.flow.state)![0];
  }

  write(length: number): boolean {
    const taken = this.flow.write(pattern(this.written, length), this.nowNs);
    if (taken) this.written += length;
    this.sendDue();
    return taken;
  }

  end(): void {
    this.flow.end(this.nowNs);
    this.sendDue();
  }

  /** Writes `frames` full frames and gets a credit for each. */
  sendFrames(frames: number): this {
    this.write(frames * 1_446);
    for (let frame = 0; frame < frames; frame++) this.credit();
    this.context.sent();
    return this;
  }

  /** The next credit in order, or the one with the number given; `explicitRate`: code and hop, as a port has left them. */
  credit(sequence = this.nextCredit, { ce = false, pathId = 0, explicitRate = 0 } = {}): void {
    this.nextCredit = sequence + 1;
    const frame = incoming((bytes) => writeCredit(bytes, FLOW_HEADER, { sequence, pathId, explicitRate }));
    if (ce) markCe(frame.bytes);
    this.flow.handleCredit(frame, this.nowNs);
    this.sendDue();
  }

  ack(cumulative: number, options: AckOptions = {}): void {
    const { ranges = [], probe = this.context.lastProbe } = options;
    const { complete, paused, beyond } = AckFlag;
    const flags = (options.complete ? complete : 0) | (options.paused ? paused : 0) | (options.beyond ? beyond : 0);
    const fields = { flags, cumulative, probe, ranges: rangeList(ranges) };
    this.flow.handleAck(
      incoming((bytes) => encodeAck(bytes, FLOW_HEADER, fields, crc32)),
      this.nowNs,
    );
    this.sendDue();
  }

  /** Lets `ns` pass and fires the flow's timer exactly when it is due. */
  wait(ns: number): this {
    const untilNs = this.nowNs + ns;
    const { context } = this;
    while (Math.min(context.deadlineNs, context.dueNs) <= untilNs) {
      this.nowNs = Math.max(this.nowNs, Math.min(context.deadlineNs, context.dueNs));
      if (context.dueNs <= this.nowNs) context.dueNs = this.flow.sendDue(this.nowNs);
      if (context.deadlineNs > this.nowNs) continue;
      context.deadlineNs = Number.POSITIVE_INFINITY;
      const deadlineNs = this.flow.onTimer(this.nowNs);
      this.sendDue();
      if (deadlineNs <= this.nowNs) throw new Error(`a timer at ${deadlineNs} is left at ${this.nowNs}`);
      context.arm(0, deadlineNs);
    }
    this.nowNs = untilNs;
    return this;
  }

  /** Comes after every input, as a driver does it. */
  sendDue(): void {
    if (this.context.dueNs <= this.nowNs) this.context.dueNs = this.flow.sendDue(this.nowNs);
  }
}
