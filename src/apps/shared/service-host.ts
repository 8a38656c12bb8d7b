import type { CreditChoice } from '../../core/application.js';
import type { FlowReader } from '../../core/flow-callbacks.js';
import type { Receiver } from '../../net/receiver.js';
import { Fault } from './files/fault.js';
import type { Message } from './files/message.js';
import type { TransferBody } from './files/transfer-reader.js';
import { badVerdict } from './files/verdict.js';
import { IncomingStream } from './incoming-stream.js';
import type { Logger } from './logger.js';
import type { FlowHost, StreamService } from './service.js';
import { printable } from './terminal.js';

/** Streams that are served at once, each with its buffers and perhaps an open file (ours: what `ulimit -n` leaves a process by default). */
const MAX_STREAMS = 1_000;

export interface ServiceHostOptions {
  readonly services: readonly StreamService[];
  readonly logger: Logger;
  readonly maxStreams?: number;
}

/** Fates of credits, and data that was lost, of all flows together and since the start. */
export interface CreditTotals {
  sent: number;
  used: number;
  unused: number;
  /** Not answered, although no data was lost. */
  dropped: number;
  /** Data frames that were lost, and came again. */
  dataLost: number;
}

/**
 * What a daemon does with its host: takes flows from anybody and gives each to the service that its first message names. A first message is at most
 * MAX_MESSAGE_BYTES long and streams at most `maxStreams`, so what a stranger can make it hold is bounded.
 */
export class ServiceHost {
  private readonly services: readonly StreamService[];
  private readonly logger: Logger;
  private readonly maxStreams: number;
  private readonly streams = new Set<IncomingStream>();
  /** Credits of the flows that are closed. */
  private readonly closedCredits: CreditTotals = { sent: 0, used: 0, unused: 0, dropped: 0, dataLost: 0 };
  private isClosing = false;
  private refused = 0;

  constructor({ services, logger, maxStreams = MAX_STREAMS }: ServiceHostOptions) {
    this.services = services;
    this.logger = logger;
    this.maxStreams = maxStreams;
  }

  /** Serves the flows of `host`. Call it when the host is open, before anything else is awaited: no frame can have come by then. */
  serve(host: FlowHost): void {
    host.acceptReceivers((receiver) => this.accept(host, receiver));
    host.chooseCreditsBy((peer, pairedFlowId) => this.creditChoice(peer, pairedFlowId));
  }

  get streamCount(): number {
    return this.streams.size;
  }

  /** Flows that were refused because there were too many. */
  get refusedStreams(): number {
    return this.refused;
  }

  get credits(): CreditTotals {
    const totals = { ...this.closedCredits };
    for (const { receiver } of this.streams) addCredits(totals, receiver);
    return totals;
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
    if (this.isClosing || this.streams.size >= this.maxStreams) {
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
    this.streams.add(stream);
    // The data of a perf test names its control stream.
    receiver.acceptPaired((paired) => this.accept(host, paired));
    return stream;
  }

  private route(header: Message, stream: IncomingStream): TransferBody | Fault {
    const service = this.services.find(({ kind }) => kind === header.kind);
    if (service !== undefined) return service.accept(header, stream);
    const kinds = this.services.map(({ kind }) => kind).join(', ');
    const kind = printable(header.kind.slice(0, MAX_KIND_SHOWN));
    return new Fault('unsupported', `streams of the kind '${kind}' are not served here; allowed: ${kinds}`);
  }

  private refuse(fault: Fault, stream: IncomingStream): void {
    this.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
    if (!stream.isClosed) stream.reply(badVerdict(fault));
  }

  private forget(stream: IncomingStream): void {
    this.streams.delete(stream);
    addCredits(this.closedCredits, stream.receiver);
  }
}

const MAX_KIND_SHOWN = 32;

function addCredits(totals: CreditTotals, { statistics }: Receiver): void {
  totals.sent += statistics.creditsSent;
  totals.used += statistics.creditsUsed;
  totals.unused += statistics.creditsUnused;
  totals.dropped += Math.max(0, statistics.creditsDropped - statistics.repairedFrames);
  totals.dataLost += statistics.repairedFrames;
}
