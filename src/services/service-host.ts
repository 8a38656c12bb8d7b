import type { Logger } from 'pino';
import { printable } from '../base/display.js';
import { counter, group, initialValues, sumValues, type Values } from '../base/metric.js';
import type { CreditChoice } from '../core/application.js';
import { CREDIT_METRICS, creditTotals, withoutLostData } from '../core/credit-totals.js';
import type { FlowReader } from '../core/flow-callbacks.js';
import type { Receiver } from '../net/receiver.js';
import { Fault } from './file/fault.js';
import type { Message } from './file/message.js';
import type { TransferBody } from './file/transfer-reader.js';
import { badVerdict } from './file/verdict.js';
import { IncomingStream } from './incoming-stream.js';
import { DEFAULT_HEADER_TIMEOUT_MS, hostOf, type OpeningCounters, Places } from './places.js';
import type { FlowHost, StreamService } from './service.js';

/** Streams that are served at once, each with its buffers and perhaps an open file (ours: what `ulimit -n` leaves a process by default). */
const MAX_STREAMS = 1_000;

export interface ServiceHostOptions {
  readonly services: readonly StreamService[];
  readonly logger: Logger;
  readonly maxStreams?: number;
  readonly headerTimeoutMs?: number;
}

/** Of all flows together, since the start. */
export const SERVICE_METRICS = {
  credits: group('Credits by fate; those whose data was lost are in no count but `sent`', CREDIT_METRICS),
  dataLostFrames: counter('frames', 'Data frames that were lost and came again'),
};

export type ServiceCredits = Values<typeof SERVICE_METRICS>;

/**
 * What a daemon does with its host: takes flows from anybody and gives each to the service that its first message names. A first message is at most
 * MAX_MESSAGE_BYTES long and streams at most `maxStreams`, so what a stranger can make it hold is bounded.
 */
export class ServiceHost {
  private readonly services: readonly StreamService[];
  private readonly logger: Logger;
  private readonly places: Places<IncomingStream>;
  /** Credits of the flows that are closed. */
  private closedCredits: ServiceCredits = initialValues(SERVICE_METRICS);
  private isClosing = false;
  private refused = 0;

  constructor(options: ServiceHostOptions) {
    const { services, logger, maxStreams: most = MAX_STREAMS, headerTimeoutMs = DEFAULT_HEADER_TIMEOUT_MS } = options;
    this.services = services;
    this.logger = logger;
    this.places = new Places({ most, headerTimeoutMs, giveUp: ({ receiver }) => receiver.reset() });
  }

  /** Serves the flows of `host`. Call it when the host is open, before anything else is awaited: no frame can have come by then. */
  serve(host: FlowHost): void {
    host.acceptReceivers((receiver) => this.accept(host, receiver));
    host.chooseCreditsBy((peer, pairedFlowId) => this.creditChoice(peer, pairedFlowId));
  }

  get streamCount(): number {
    return this.places.size;
  }

  /** What became of streams that no service has taken. */
  get openings(): OpeningCounters {
    return { ...this.places.counters };
  }

  /** Flows that were refused because there were too many, or the process was ending. */
  get refusedStreams(): number {
    return this.refused;
  }

  get credits(): ServiceCredits {
    return [...this.places.streams].reduce((sum, { receiver }) => withFlow(sum, receiver), this.closedCredits);
  }

  /** The flows that are served now. */
  get receivers(): Receiver[] {
    return [...this.places.streams].map(({ receiver }) => receiver);
  }

  /** Takes no more streams and lets the services give up theirs. Reset the flows afterwards. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.services.map((service) => service.close()));
  }

  private creditChoice(peer: number, pairedFlowId: number): CreditChoice | null {
    for (const service of this.services) {
      const choice = service.creditChoice?.(peer, pairedFlowId) ?? null;
      if (choice !== null) return choice;
    }
    return null;
  }

  private accept(host: FlowHost, receiver: Receiver): FlowReader | null {
    const peer = hostOf(receiver.peerName);
    if (this.isClosing || !this.places.makeRoom(peer)) {
      this.refused++;
      return null;
    }
    const stream = new IncomingStream({
      receiver,
      host,
      logger: this.logger,
      accept: (header, accepting) => this.route(header, accepting),
      onRefused: (fault, refused) => this.refuse(fault, refused),
      onClosed: (closed) => this.forget(closed),
    });
    this.places.take(stream, peer);
    return stream;
  }

  private route(header: Message, stream: IncomingStream): TransferBody | Fault {
    this.places.settle(stream);
    const service = this.services.find(({ kind }) => kind === header.kind);
    if (service !== undefined) return this.begin(service, header, stream);
    const kinds = this.services.map(({ kind }) => kind).join(', ');
    const kind = printable(header.kind.slice(0, MAX_KIND_SHOWN));
    return new Fault('unsupported', `streams of the kind '${kind}' are not served here; allowed: ${kinds}`);
  }

  /** Streams that name another as their pair are taken only where its service said so: a chain of them would have no end. */
  private begin(service: StreamService, header: Message, stream: IncomingStream): TransferBody | Fault {
    const body = service.accept(header, stream);
    const { receiver, host } = stream;
    if (!(body instanceof Fault) && service.takesPaired === true && receiver.pairedFlowId === 0) {
      receiver.acceptPaired((paired) => this.accept(host, paired));
    }
    return body;
  }

  private refuse(fault: Fault, stream: IncomingStream): void {
    this.places.settle(stream);
    this.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
    if (!stream.isClosed) stream.reply(badVerdict(fault));
  }

  private forget(stream: IncomingStream): void {
    this.places.leave(stream);
    this.closedCredits = withFlow(this.closedCredits, stream.receiver);
  }
}

const MAX_KIND_SHOWN = 32;

function withFlow(sum: ServiceCredits, { statistics }: Receiver): ServiceCredits {
  const { repairedFrames } = statistics;
  const credits = withoutLostData(creditTotals(statistics), repairedFrames);
  return sumValues(SERVICE_METRICS, sum, { credits, dataLostFrames: repairedFrames });
}
