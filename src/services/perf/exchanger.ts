// Tested by test/apps/perf/client.test.ts
import { ExchangeMeter, type ExchangeResults, MessageReader, stampedMessage } from './exchange.js';
import type { PerfRequest } from './messages.js';
import type { PerfSender } from './sender.js';

interface ExchangerOptions {
  readonly request: PerfRequest;
  readonly sender: PerfSender;
  now(): number;
}

/** The client of an exchange: each flow sends a message, waits for the whole answer, and sends the next. */
export class Exchanger {
  private readonly options: ExchangerOptions;
  private readonly lengthBytes: number;
  private readonly readers: readonly MessageReader[];
  private readonly sentNs: number[] = [];
  private readonly leftMessages: number[];
  private readonly meter = new ExchangeMeter();
  private recordFromNs = 0;
  private endNs = Number.POSITIVE_INFINITY;
  private isEnding = false;

  constructor(options: ExchangerOptions) {
    const { flows, bytes, lengthBytes = 1 } = options.request;
    this.options = options;
    this.lengthBytes = lengthBytes;
    this.readers = Array.from({ length: flows }, () => new MessageReader(lengthBytes));
    const messages = bytes === null ? Number.POSITIVE_INFINITY : Math.ceil(bytes / lengthBytes);
    this.leftMessages = new Array<number>(flows).fill(messages);
  }

  get results(): ExchangeResults {
    return this.meter.results();
  }

  /** The first message of each flow. */
  start(): void {
    const { request, now } = this.options;
    this.recordFromNs = now() + request.omitNs;
    this.endNs = this.recordFromNs + (request.durationNs ?? Number.POSITIVE_INFINITY);
    for (let index = 0; index < request.flows; index++) this.next(index);
  }

  /** No more messages; the flows end with the answers that are under way. */
  end(): void {
    this.isEnding = true;
  }

  /** What came of an answer. */
  take(index: number, bytes: Uint8Array): void {
    this.readers[index].push(bytes, (stampNs) => {
      const nowNs = this.options.now();
      const sentNs = this.sentNs[index];
      if (sentNs >= this.recordFromNs) this.meter.record(sentNs, stampNs, nowNs);
      this.next(index);
    });
  }

  private next(index: number): void {
    const { sender, now } = this.options;
    const nowNs = now();
    if (this.isEnding || nowNs >= this.endNs || this.leftMessages[index] === 0) {
      sender.endFlow(index);
      return;
    }
    this.leftMessages[index]--;
    this.sentNs[index] = nowNs;
    sender.ask(index, stampedMessage(this.lengthBytes, nowNs));
  }
}

/** The server of an exchange: answers each whole message at once. */
export class Echo {
  private readonly options: ExchangerOptions;
  private readonly lengthBytes: number;
  private readonly readers: readonly MessageReader[];

  constructor(options: ExchangerOptions) {
    const { flows, lengthBytes = 1 } = options.request;
    this.options = options;
    this.lengthBytes = lengthBytes;
    this.readers = Array.from({ length: flows }, () => new MessageReader(lengthBytes));
  }

  take(index: number, bytes: Uint8Array): void {
    const { sender, now } = this.options;
    this.readers[index].push(bytes, () => sender.ask(index, stampedMessage(this.lengthBytes, now())));
  }
}
