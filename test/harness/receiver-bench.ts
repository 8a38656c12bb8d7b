import { crc32 } from '../../src/base/crc32.js';
import type { XpassError } from '../../src/base/errors.js';
import { type EndpointConfig, UNLIMITED_MAX_RATE_BPS } from '../../src/core/config.js';
import { creditAlgorithm } from '../../src/core/credit/registry.js';
import { CreditedReceiver } from '../../src/core/credited-receiver.js';
import type { FlowReader } from '../../src/core/flow-callbacks.js';
import { ReceiverState } from '../../src/core/receiver-flow.js';
import { encodeData, encodeSpeculativeData, seal } from '../../src/wire/encode.js';
import { CreditRequest, CreditStop, Fin } from '../../src/wire/frames.js';
import { DataFlag, MEAN_CREDIT_WIRE_BYTES, RequestFlag, wireBytes } from '../../src/wire/layout.js';
import { markCe } from '../../src/wire/rewrite.js';
import { FLOW_HEADER, FLOW_PEER, FLOW_SLOT, FlowContextStub, incoming } from './flow-context.js';
import { pattern, patternByte } from './streams.js';

/** Sequence number of the first credit. */
export const FIRST_CREDIT = 100;

interface DataOptions {
  /** Payload bytes. */
  length?: number;
  unused?: number;
  end?: boolean;
  repair?: boolean;
  ce?: boolean;
  creditCe?: boolean;
  more?: boolean;
  /** Rate code and hop. */
  explicitRate?: number;
}

/** Writes down what a flow tells its reader, checks the bytes, and does `on...` inside the calls. */
export class RecordingReader implements FlowReader {
  readonly events: string[] = [];
  received = 0;
  onBytes: (count: number) => void = () => {};
  onStreamEnd: () => void = () => {};
  onFlowClosed: () => void = () => {};

  onData(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      if (bytes[index] !== patternByte(this.received + index))
        throw new Error(`byte ${this.received + index} is wrong`);
    }
    this.received += bytes.length;
    this.events.push(`data ${bytes.length}`);
    this.onBytes(bytes.length);
  }

  onEnd(): void {
    this.events.push('end');
    this.onStreamEnd();
  }

  onClosed(error: XpassError | null): void {
    this.events.push(`closed ${error?.code ?? 'in order'}`);
    this.onFlowClosed();
  }
}

/** The receiver's end of one flow, and a peer who sends it whatever frames the test wants. Reads and releases at once unless `reader` is told otherwise. */
export class ReceiverBench {
  readonly context: FlowContextStub;
  readonly reader = new RecordingReader();
  readonly flow: CreditedReceiver;
  /** What the peer's requests say that it has to send. */
  backlog = 0xffff_ffff;
  private probe = 0;

  constructor(changes: Partial<EndpointConfig> = {}) {
    this.context = new FlowContextStub({ jitter: 0, rateBps: 1e9, creditAlgorithm: 'naive', ...changes });
    const { config } = this.context;
    const link = {
      maxRateBps: Math.min(config.rateBps, UNLIMITED_MAX_RATE_BPS),
      bytesPerCredit: MEAN_CREDIT_WIRE_BYTES + wireBytes(config.frameBytes),
    };
    const algorithm = creditAlgorithm(config.creditAlgorithm, link, config.creditParameters);
    const flowParts = { slot: FLOW_SLOT, header: FLOW_HEADER, peer: FLOW_PEER, algorithm, link };
    this.flow = new CreditedReceiver(
      this.context,
      { ...flowParts, algorithmName: 'naive', firstSequence: FIRST_CREDIT },
      0,
    );
    this.reader.onBytes = (count) => this.flow.release(count, this.nowNs);
  }

  get nowNs(): number {
    return this.context.nowNs;
  }

  set nowNs(nowNs: number) {
    this.context.nowNs = nowNs;
  }

  /** The name of the flow's state. */
  get state(): string {
    return Object.entries(ReceiverState).find(([, code]) => code === this.flow.state)![0];
  }

  /** The first CREDIT_REQUEST, as an endpoint hands it over. */
  open(maxFrameBytes = this.context.config.frameBytes): this {
    const frame = this.requestFrame(RequestFlag.open, maxFrameBytes);
    this.flow.handleOpening(frame);
    this.flow.accept(this.reader);
    this.flow.handleRequest(frame, this.nowNs);
    return this;
  }

  /** Opens the flow, lets it send its first credits and proves the path with one data frame. */
  proved(): this {
    this.open().wait(0);
    this.data(0);
    this.context.sent();
    return this;
  }

  request(pathId = 0, sentOffset = 0): void {
    this.flow.handleRequest(this.requestFrame(0, this.context.config.frameBytes, pathId, sentOffset), this.nowNs);
  }

  /** A CREDIT_REQUEST with SPECULATIVE: the first one as an endpoint hands it over. PROTOCOL §12 */
  burst(sentOffset: number, backlog: number, isCovered = true): this {
    const maxFrameBytes = this.context.config.frameBytes;
    const isFirst = this.state === 'closed';
    const fields = {
      flags: RequestFlag.speculative | (isFirst ? RequestFlag.open : 0) | (isCovered ? RequestFlag.covered : 0),
      sentOffset,
      probe: ++this.probe,
      maxFrameBytes,
      pairedFlowId: 0,
      backlog,
      weight: 1,
    };
    const frame = incoming((bytes) => CreditRequest.encode(bytes, FLOW_HEADER, fields, crc32));
    if (isFirst) {
      this.flow.handleOpening(frame);
      this.flow.accept(this.reader);
    }
    this.flow.handleRequest(frame, this.nowNs);
    return this;
  }

  /** A speculative frame of a hundred bytes, unless told otherwise. */
  speculative(offset: number, { length = 100, end = false } = {}): void {
    const fields = { offset, flags: end ? DataFlag.end : 0 };
    const frame = incoming((bytes) => {
      const at = encodeSpeculativeData(bytes, FLOW_HEADER, fields);
      bytes.set(pattern(offset, length), at);
      return seal(bytes, at + length, crc32);
    });
    this.flow.handleSpeculative(frame, this.nowNs);
  }

  stop(unused = 0): void {
    const fields = { sentOffset: 0, probe: ++this.probe, unused };
    this.flow.handleStop(
      incoming((bytes) => CreditStop.encode(bytes, FLOW_HEADER, fields, crc32)),
      this.nowNs,
    );
  }

  fin(finalOffset: number, unused = 0, probe = ++this.probe): void {
    const fields = { finalOffset, probe, unused };
    this.flow.handleFin(
      incoming((bytes) => Fin.encode(bytes, FLOW_HEADER, fields, crc32)),
      this.nowNs,
    );
  }

  /** A data frame that echoes the flow's credit number `credit`, counted from 0. A hundred bytes unless told otherwise. */
  data(offset: number, credit = 0, options: DataOptions = {}): void {
    const { length = 100, unused = 0, explicitRate = 0 } = options;
    const flagBits =
      (options.end ? DataFlag.end : 0) |
      (options.repair ? DataFlag.repair : 0) |
      (options.creditCe ? DataFlag.creditCe : 0) |
      (options.more ? DataFlag.more : 0);
    const fields = {
      creditSequence: FIRST_CREDIT + credit,
      explicitRate,
      offset,
      unused,
      flags: flagBits,
      pathId: 0,
    };
    const frame = incoming((bytes) => {
      const at = encodeData(bytes, FLOW_HEADER, fields);
      bytes.set(pattern(Math.max(0, offset), length), at);
      return seal(bytes, at + length, crc32);
    });
    if (options.ce) markCe(frame.bytes);
    this.flow.handleData(frame, this.nowNs);
  }

  /** Lets `ns` pass: fires the timer and sends credits exactly when they are due. */
  wait(ns: number): this {
    const untilNs = this.nowNs + ns;
    const { context } = this;
    for (;;) {
      const nextNs = Math.min(context.deadlineNs, context.dueNs);
      if (nextNs > untilNs) break;
      this.nowNs = Math.max(this.nowNs, nextNs);
      if (context.dueNs <= this.nowNs) context.dueNs = this.flow.dueSource.sendDue(this.nowNs);
      else this.fire();
    }
    this.nowNs = untilNs;
    return this;
  }

  /** Credits among what was sent since the last call. */
  credits(): number {
    return this.context.sent().filter((line) => line.startsWith('CREDIT ')).length;
  }

  private fire(): void {
    const { context } = this;
    context.deadlineNs = Number.POSITIVE_INFINITY;
    const deadlineNs = this.flow.onTimer(this.nowNs);
    if (deadlineNs <= this.nowNs) throw new Error(`a timer at ${deadlineNs} is left at ${this.nowNs}`);
    context.arm(0, deadlineNs);
  }

  private requestFrame(flags: number, maxFrameBytes: number, pathId = 0, sentOffset = 0) {
    const fields = {
      flags,
      sentOffset,
      probe: ++this.probe,
      maxFrameBytes,
      pairedFlowId: 0,
      backlog: this.backlog,
      weight: 1,
    };
    return incoming((bytes) => CreditRequest.encode(bytes, { ...FLOW_HEADER, pathId }, fields, crc32));
  }
}
