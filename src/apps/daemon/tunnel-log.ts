// Tested by test/apps/tunnel/report.test.ts

import { displayDuration, displaySize } from '../shared/display.js';
import { snakeCase } from '../shared/json-names.js';
import type { Results } from '../shared/results.js';
import type { StreamServicesCounters } from '../shared/stream-services.js';
import { printable } from '../shared/terminal.js';
import type { JoinOutcome } from '../shared/tunnel/join.js';
import type { TunnelCounters, TunnelName, TunnelReport } from '../shared/tunnel/tunnels.js';

/** What a daemon says of connections through it: one line, or JSON object, each. docs/TUNNEL.md, "Output" */
export class TunnelLog implements TunnelReport {
  private readonly results: Results;
  private readonly isJson: boolean;

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** Said when it is over, with what it carried. */
  opened(): void {}

  closed({ peerName: peer, from, to }: TunnelName, outcome: JoinOutcome & { readonly durationMs: number }): void {
    const { sentBytes: targetBytes, receivedBytes: peerBytes, broken, durationMs } = outcome;
    const code = broken === null ? 'ok' : broken.code;
    const how = broken === null ? 'closed' : `reset (${code})`;
    this.say(
      {
        event: 'tunnel',
        peer,
        from,
        to,
        opened: true,
        code,
        message: null,
        targetBytes,
        peerBytes,
        durationS: durationMs / 1e3,
      },
      `tunnel from ${from} to ${to}: ${how} after ${displayDuration(durationMs * 1e6)}, ` +
        `${displaySize(targetBytes)} from ${to}, ${displaySize(peerBytes)} to it`,
    );
  }

  refused({ peerName: peer, from, to }: TunnelName, { code, message }: { code: string; message: string }): void {
    this.say(
      { event: 'tunnel', peer, from, to, opened: false, code, message, targetBytes: 0, peerBytes: 0, durationS: 0 },
      `tunnel from ${from} to ${to}: refused: ${printable(message)} (${code})`,
    );
  }

  summary(streams: StreamServicesCounters, connections: TunnelCounters): void {
    const { opened, refused, broken } = connections;
    this.say(
      { event: 'tunnels', streams, connections },
      `tunnels: ${opened} opened, ${refused} refused, ${broken} reset`,
    );
  }

  private say(event: object, line: string): void {
    if (this.isJson) this.results.json(snakeCase(event));
    else this.results.line(line);
  }
}
