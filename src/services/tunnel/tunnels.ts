// Tested by test/loopback/tunnel.test.ts
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { XpassError } from '../../base/errors.js';
import { counter, counters, gauge, group, initialValues, type Values } from '../../base/metric.js';
import { Fault } from '../file/fault.js';
import { encodeMessage, type Message } from '../file/message.js';
import { parseVerdict } from '../file/verdict.js';
import { firstMessage } from '../first-message.js';
import { type MetricSource, metricSource } from '../metrics/source.js';
import { TunnelKind } from './messages.js';

/** The part of a Stream that a tunnel uses; a TCP socket has it too. */
export interface TunnelStream extends Duplex {
  resetAndDestroy(): unknown;
}

/** How a joined pair ended. */
export interface JoinOutcome {
  /** Bytes that the TCP program sent, and that it was given. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Null for two directions that ended in order; else who broke off (`stop`: this process, which ends), and the error's code. */
  readonly broken: { readonly by: 'program' | 'peer' | 'stop'; readonly code: string } | null;
}

/**
 * Passes bytes, ends and resets between a TCP socket and a stream until both are closed. Both have to allow half-open. Bytes of the program go at once;
 * those of the stream from `start` on, so that an answer can be read before. Each side takes no more than the other has room for.
 */
class Join {
  private readonly socket: Socket;
  private readonly stream: TunnelStream;
  private broken: JoinOutcome['broken'] = null;
  private open = 2;

  constructor(socket: Socket, stream: TunnelStream, onClosed: (outcome: JoinOutcome) => void) {
    this.socket = socket;
    this.stream = stream;
    const end = (): void => {
      if (--this.open > 0) return;
      const { bytesRead: sentBytes, bytesWritten: receivedBytes } = socket;
      onClosed({ sentBytes, receivedBytes, broken: this.broken });
    };
    this.watch(socket, 'program', () => stream.resetAndDestroy(), end);
    this.watch(stream, 'peer', () => resetSocket(socket), end);
    socket.pipe(stream);
  }

  /** From now on the program gets what the stream brings. */
  start(): void {
    this.stream.pipe(this.socket);
  }

  /** Ends both with resets. */
  reset(): void {
    this.broken ??= { by: 'stop', code: 'shutdown' };
    resetSocket(this.socket);
    this.stream.resetAndDestroy();
  }

  private watch(side: Duplex, by: 'program' | 'peer', resetOther: () => void, onEnd: () => void): void {
    side.on('error', (error: Error & { code?: string }) => {
      this.broken ??= { by, code: error.code ?? error.name };
    });
    const close = (): void => {
      if (!(side.readableEnded && side.writableFinished)) {
        this.broken ??= { by, code: 'reset' };
        resetOther();
      }
      onEnd();
    };
    // From a turn of its own, so that nobody hears of the end before it has this object.
    if (side.closed) process.nextTick(close);
    else side.once('close', close);
  }
}

/** RST instead of FIN. A socket that is closed already stays as it is. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  socket.on('error', () => undefined);
  socket.resetAndDestroy();
  // By itself it would wait until a program that may never read again has taken what was written.
  if (socket.writableLength > 0) socket.destroy();
}

/** One connection through a tunnel, as reports name it. */
export interface TunnelName {
  /** Counts from 1 in this process. */
  readonly id: number;
  /** The far side as people write it. */
  readonly peerName: string;
  /** Who connected: `127.0.0.1:50312`. */
  readonly from: string;
  /** Where it goes: `db.example:5432`. */
  readonly to: string;
}

/** Who is told what becomes of connections. */
export interface TunnelReport {
  opened(name: TunnelName): void;
  closed(name: TunnelName, outcome: JoinOutcome & { readonly durationMs: number }): void;
  refused(name: TunnelName, reason: Pick<Refusal, 'code' | 'message'>): void;
}

/** What the tunnels of one process count. */
export const TUNNEL_METRICS = {
  opened: counter('connections', 'Connections opened'),
  closed: counter('connections', 'Connections closed'),
  broken: counter('connections', 'Of those closed: ended with a reset or a lost peer'),
  refused: counter('connections', 'Connections refused'),
  refusedBy: counters('connections', 'code', 'Of those refused, by code; at most 32 codes'),
  sentBytes: counter('bytes', 'Payload that programs sent into tunnels'),
  receivedBytes: counter('bytes', 'Payload that programs were given'),
};

/** The same, and those of the moment: for Prometheus. */
export const TUNNEL_SOURCE_METRICS = {
  tunnel: group('Connections of programs', {
    ...TUNNEL_METRICS,
    open: gauge('connections', 'Connections that are open'),
  }),
};

export function tunnelSource(tunnels: Tunnels): MetricSource {
  return metricSource(TUNNEL_SOURCE_METRICS, () => ({ tunnel: { ...tunnels.counters, open: tunnels.count } }));
}

export type TunnelCounters = Values<typeof TUNNEL_METRICS>;

/** A peer chooses the codes of its verdicts: those beyond count as `other`. */
const MAX_CODES = 32;

/** The connections of one process, from their opening to their end. */
export class Tunnels {
  readonly counters: TunnelCounters = {
    ...initialValues(TUNNEL_METRICS),
    // A peer may call its code `constructor`.
    refusedBy: Object.create(null) as Record<string, number>,
  };
  private readonly report: TunnelReport;
  private readonly joins = new Set<Join>();
  private lastId = 0;
  private idle: Promise<void> | null = null;
  private onIdle: () => void = () => undefined;

  constructor(report: TunnelReport) {
    this.report = report;
  }

  get count(): number {
    return this.joins.size;
  }

  name(parts: Omit<TunnelName, 'id'>): TunnelName {
    return { id: ++this.lastId, ...parts };
  }

  /** Joins both sides; nothing is reported before `open`. */
  join(name: TunnelName, socket: Socket, stream: TunnelStream): PendingTunnel {
    let openedMs: number | null = null;
    const join = new Join(socket, stream, (outcome) => {
      this.joins.delete(join);
      if (openedMs !== null) this.close(name, { ...outcome, durationMs: performance.now() - openedMs });
      if (this.joins.size === 0) this.onIdle();
    });
    this.joins.add(join);
    return {
      open: () => {
        openedMs = performance.now();
        this.counters.opened++;
        this.report.opened(name);
        join.start();
      },
      refuse: (reason) => {
        this.refuse(name, reason);
        join.reset();
      },
    };
  }

  /** A connection that is not made. */
  refuse(name: TunnelName, reason: Pick<Refusal, 'code' | 'message'>): void {
    const { refusedBy } = this.counters;
    const code = reason.code in refusedBy || Object.keys(refusedBy).length < MAX_CODES ? reason.code : 'other';
    this.counters.refused++;
    refusedBy[code] = (refusedBy[code] ?? 0) + 1;
    this.report.refused(name, reason);
  }

  /** Resets what is under way; resolves when all of it is closed and told of. */
  reset(): Promise<void> {
    for (const join of this.joins) join.reset();
    if (this.joins.size === 0) return Promise.resolve();
    this.idle ??= new Promise((resolve) => {
      this.onIdle = resolve;
    });
    return this.idle;
  }

  private close(name: TunnelName, outcome: JoinOutcome & { readonly durationMs: number }): void {
    const { counters } = this;
    counters.closed++;
    if (outcome.broken !== null) counters.broken++;
    counters.sentBytes += outcome.sentBytes;
    counters.receivedBytes += outcome.receivedBytes;
    this.report.closed(name, outcome);
  }
}

/** A pair whose far side has not answered. Call one of these once. */
export interface PendingTunnel {
  open(): void;
  refuse(reason: Pick<Refusal, 'code' | 'message'>): void;
}

/** Why there is no tunnel, by the word of the far side or of the transport. */
export class Refusal {
  /** One of docs/TUNNEL.md, "Codes", or a newer peer's. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;

  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Time for the answer: the far side's connect time, and a round trip with repeats (ours). */
const ANSWER_TIMEOUT_MS = 20_000;

/** Writes the header; what the caller writes next follows it at once. */
export function sendHeader(stream: TunnelStream, header: Message): void {
  stream.write(encodeMessage(header));
}

/** The answer of the kind that is expected, or why there is none. */
export async function readAnswer(
  stream: TunnelStream,
  kind: string,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Message | Refusal> {
  const answer = await firstMessage(stream, timeoutMs);
  if (answer instanceof Fault) return ofFault(stream, answer);
  if (answer.kind === kind) return answer;
  const verdict = parseVerdict(answer);
  return new Refusal(verdict.code, verdict.message);
}

/** An error of the transport says more than the fault that it became. */
function ofFault({ errored }: TunnelStream, { code, message }: Fault): Refusal {
  const error = errored as (Error & { code?: string }) | null;
  if (error !== null) return new Refusal(error.code ?? code, error.message);
  return new Refusal(code, code === 'aborted' ? 'given up before the far side had answered' : message);
}

interface OpenTunnelParts {
  readonly tunnels: Tunnels;
  readonly name: TunnelName;
  /** A connection of a program's. */
  readonly socket: Socket;
  readonly header: Message;
  /** Opens the stream. May throw XpassError. */
  openStream(): TunnelStream;
}

/**
 * Carries a connection to the far side: the header goes first and the program's bytes follow at once, so that opening costs one round trip. A refusal resets
 * the connection.
 */
export async function openTunnel({ tunnels, name, socket, header, openStream }: OpenTunnelParts): Promise<void> {
  const stream = tryOpen(openStream);
  if (stream instanceof Refusal) {
    tunnels.refuse(name, stream);
    resetSocket(socket);
    return;
  }
  sendHeader(stream, header);
  const pending = tunnels.join(name, socket, stream);
  const answer = await readAnswer(stream, TunnelKind.open);
  if (answer instanceof Refusal) pending.refuse(answer);
  else pending.open();
}

/** The stream, or why there is none. */
export function tryOpen(openStream: () => TunnelStream): TunnelStream | Refusal {
  try {
    return openStream();
  } catch (error) {
    if (error instanceof XpassError) return new Refusal(error.code, error.message);
    throw error;
  }
}
