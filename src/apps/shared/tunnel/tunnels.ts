// Tested by test/loopback/tunnel.test.ts

import type { Socket } from 'node:net';
import { Join, type JoinOutcome, type TunnelStream } from './join.js';
import type { Refusal } from './refusal.js';

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

export interface TunnelCounters {
  opened: number;
  closed: number;
  /** Of those closed: ended with a reset or a lost peer. */
  broken: number;
  refused: number;
  /** Of those refused, by code; at most MAX_CODES. */
  readonly refusedBy: Record<string, number>;
  sentBytes: number;
  receivedBytes: number;
}

/** A peer chooses the codes of its verdicts: those beyond count as `other`. */
const MAX_CODES = 32;

/** The connections of one process, from their opening to their end. */
export class Tunnels {
  readonly counters: TunnelCounters = {
    opened: 0,
    closed: 0,
    broken: 0,
    refused: 0,
    // A peer may call its code `constructor`.
    refusedBy: Object.create(null) as Record<string, number>,
    sentBytes: 0,
    receivedBytes: 0,
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
