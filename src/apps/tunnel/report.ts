import { displayDuration, displaySize, printable } from '../../base/display.js';
import type { JoinOutcome, TunnelCounters, TunnelName, TunnelReport } from '../../services/tunnel/tunnels.js';
import { plainJson } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';

/** A port that takes connections. */
export interface ForwardListening {
  readonly forward: 'L' | 'R' | 'D';
  /** Of this machine, or of the far side for `R`. */
  readonly address: string;
  /** Null for a proxy, whose clients say it. */
  readonly target: string | null;
}

/** The far side does not listen; it is asked again. */
export interface ForwardLost {
  readonly address: string;
  readonly code: string;
  readonly message: string;
  readonly retryMs: number;
}

/** What a tunnel says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/TUNNEL.md, "Output" */
export class TunnelPrinter implements TunnelReport {
  private readonly results: Results;
  private readonly isJson: boolean;

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** A port is ready: programs wait for this line. */
  listening({ forward, address, target }: ForwardListening): void {
    const where = forward === 'R' ? `listening on ${address} of the far side` : `listening on ${address}`;
    this.say({ event: 'listening', forward, address, target }, `${where} for ${target ?? 'SOCKS5 clients'}`);
  }

  opened({ id, from, to }: TunnelName): void {
    this.say({ event: 'opened', id, from, to }, `${id}: ${from} to ${to}: open`);
  }

  closed({ id, from, to }: TunnelName, { sentBytes, receivedBytes, durationMs, broken }: ClosedOutcome): void {
    const how = broken === null ? 'closed' : `${RESETS[broken.by]} (${broken.code})`;
    this.say(
      {
        event: 'closed',
        id,
        from,
        to,
        sentBytes,
        receivedBytes,
        durationS: durationMs / 1e3,
        resetBy: broken?.by ?? null,
        code: broken?.code ?? null,
      },
      `${id}: ${from} to ${to}: ${how} after ${displayDuration(durationMs * 1e6)}, ${displaySize(sentBytes)} sent, ${displaySize(receivedBytes)} received`,
    );
  }

  refused({ id, from, to }: TunnelName, { code, message }: { code: string; message: string }): void {
    this.say(
      { event: 'refused', id, from, to, code, message },
      `${id}: ${from} to ${to}: refused: ${printable(message)} (${code})`,
    );
  }

  lost({ address, code, message, retryMs }: ForwardLost): void {
    this.say(
      { event: 'lost', address, code, message, retryS: retryMs / 1e3 },
      `${address} of the far side does not listen: ${printable(message)}; asking again in ${displayDuration(retryMs * 1e6)}`,
    );
  }

  summary(counters: TunnelCounters): void {
    const { opened, refused, broken, sentBytes, receivedBytes } = counters;
    this.say(
      { event: 'summary', ...counters },
      `connections: ${opened} opened, ${refused} refused, ${broken} reset, ${displaySize(sentBytes)} sent, ${displaySize(receivedBytes)} received`,
    );
  }

  private say(event: object, line: string): void {
    if (this.isJson) this.results.json(plainJson(event));
    else this.results.line(line);
  }
}

const RESETS = {
  program: 'reset by the program',
  peer: 'reset by the far side',
  stop: 'reset by the end of this tunnel',
};

type ClosedOutcome = JoinOutcome & { readonly durationMs: number };
