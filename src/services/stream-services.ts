import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { printable } from '../base/display.js';
import { isAnswer } from './answer-kinds.js';
import { Fault } from './file/fault.js';
import { encodeMessage, type Message } from './file/message.js';
import { badVerdict } from './file/verdict.js';
import { firstMessage } from './first-message.js';
import { DEFAULT_HEADER_TIMEOUT_MS, hostOf, type OpeningCounters, Places } from './places.js';

/** The part of a Stream (src/net/stream.ts) that services use. */
export interface HostStream extends Duplex {
  /** The peer as people write it. */
  readonly peerName: string;
  resetAndDestroy(): unknown;
}

/** A service for streams that peers open. The `kind` of a stream's first message chooses it. Nothing that a peer sends may make it throw. */
export interface DuplexService {
  /** The headers that are for this service. */
  readonly kinds: readonly string[];
  /** A stream of these kinds has begun; the fields of its header are the peer's word. What follows the header is still in the stream. The service ends it. */
  accept(header: Message, stream: HostStream): void;
  /** The process ends: give up what is under way. */
  close(): Promise<void>;
}

export interface StreamServicesOptions {
  readonly services: readonly DuplexService[];
  readonly logger: Logger;
  readonly maxStreams?: number;
  readonly headerTimeoutMs?: number;
  /** Of `Places`. */
  readonly shareOfFree?: number;
}

/** What was refused before a service saw it, by reason. */
export interface StreamServicesCounters extends OpeningCounters {
  taken: number;
  tooMany: number;
  badHeaders: number;
  unsupported: number;
}

/** Streams at a time; each has a file descriptor where it is a tunnel (ours: below the 1,024 that systems give a process). */
const MAX_STREAMS = 900;
/** How long a peer that was refused may take to read why (ours). */
const LINGER_MS = 5_000;
const MAX_KIND_SHOWN = 32;

/** Reads the header of each stream that peers open and gives it to the service for its kind. `host.serve(streams.take)` connects it. */
export class StreamServices {
  private readonly counts = { taken: 0, tooMany: 0, badHeaders: 0, unsupported: 0 };
  private readonly services: readonly DuplexService[];
  private readonly logger: Logger;
  private readonly maxStreams: number;
  private readonly headerTimeoutMs: number;
  private readonly places: Places<HostStream>;
  /** Without a place; each is there until its peer has read why. */
  private readonly refused = new Set<HostStream>();
  private isClosing = false;

  constructor(options: StreamServicesOptions) {
    const { services, logger, shareOfFree } = options;
    const { maxStreams = MAX_STREAMS, headerTimeoutMs = DEFAULT_HEADER_TIMEOUT_MS } = options;
    this.services = services;
    this.logger = logger;
    this.maxStreams = maxStreams;
    this.headerTimeoutMs = headerTimeoutMs;
    this.places = new Places({
      most: maxStreams,
      // `firstMessage` watches the time, and the peer is told.
      headerTimeoutMs: Number.POSITIVE_INFINITY,
      ...(shareOfFree !== undefined && { shareOfFree }),
      giveUp: (stream) => stream.resetAndDestroy(),
    });
  }

  get counters(): StreamServicesCounters {
    return { ...this.counts, ...this.places.counters };
  }

  get streamCount(): number {
    return this.places.size + this.refused.size;
  }

  /** Takes one stream. Bound to its object. */
  readonly take = (stream: HostStream): void => {
    stream.on('error', (error) => this.logger.debug({ peer: stream.peerName }, error.message));
    const peer = hostOf(stream.peerName);
    if (this.isClosing) stream.resetAndDestroy();
    else if (this.places.makeRoom(peer)) this.begin(stream, peer);
    else this.refuseForRoom(stream);
  };

  private begin(stream: HostStream, peer: string): void {
    this.places.take(stream, peer);
    stream.once('close', () => this.places.leave(stream));
    void firstMessage(stream, this.headerTimeoutMs).then((header) => {
      this.places.settle(stream);
      this.route(header, stream);
    });
  }

  /** Even a refusal holds a stream until the peer has read it, so these are bounded as well. */
  private refuseForRoom(stream: HostStream): void {
    this.counts.tooMany++;
    if (this.refused.size >= this.maxStreams) {
      stream.resetAndDestroy();
      return;
    }
    this.refused.add(stream);
    stream.once('close', () => this.refused.delete(stream));
    this.refuse(stream, new Fault('busy', `no more than ${this.maxStreams} streams are taken at a time`));
  }

  /** Takes no more streams and lets the services give up theirs. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.services.map((service) => service.close()));
    for (const stream of [...this.places.streams, ...this.refused]) stream.resetAndDestroy();
  }

  private route(header: Message | Fault, stream: HostStream): void {
    if (header instanceof Fault) {
      if (header.code === 'timeout') this.places.counters.lateHeaders++;
      else this.counts.badHeaders++;
      this.refuse(stream, header);
      return;
    }
    const service = this.services.find(({ kinds }) => kinds.includes(header.kind));
    if (service !== undefined && !this.isClosing) {
      this.counts.taken++;
      service.accept(header, stream);
      return;
    }
    this.counts.unsupported++;
    if (isAnswer(header.kind)) {
      stream.resetAndDestroy();
      return;
    }
    const kinds = this.services.flatMap((each) => each.kinds).join(', ');
    const kind = printable(header.kind.slice(0, MAX_KIND_SHOWN));
    this.refuse(
      stream,
      new Fault('unsupported', `streams of the kind '${kind}' are not served here; allowed: ${kinds}`),
    );
  }

  private refuse(stream: HostStream, fault: Fault): void {
    this.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
    refuseStream(stream, fault);
  }
}

/** Tells the opener why, forgets what it sends, and resets the stream unless the opener ends it soon. */
export function refuseStream(stream: HostStream, fault: Fault): void {
  if (stream.destroyed) return;
  stream.end(encodeMessage(badVerdict(fault)));
  stream.resume();
  const timer = setTimeout(() => stream.resetAndDestroy(), LINGER_MS);
  stream.once('close', () => clearTimeout(timer));
}
