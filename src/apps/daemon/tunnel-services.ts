// Tested by test/loopback/tunnel.test.ts
// Tested by test/apps/tunnel/report.test.ts

import type { Logger } from 'pino';
import { displayDuration, displaySize, printable } from '../../base/display.js';
import type { Host } from '../../net/host.js';
import type { MetricSource } from '../../services/metrics/source.js';
import type { StreamServicesCounters } from '../../services/stream-services.js';
import { StreamServices } from '../../services/stream-services.js';
import type { AllowRule } from '../../services/tunnel/allow.js';
import { ConnectService } from '../../services/tunnel/connect-service.js';
import { ListenService } from '../../services/tunnel/listen-service.js';
import type {
  JoinOutcome,
  TunnelCounters,
  TunnelName,
  TunnelReport,
  TunnelStream,
} from '../../services/tunnel/tunnels.js';
import { Tunnels, tunnelSource } from '../../services/tunnel/tunnels.js';
import { plainJson } from '../../telemetry/document.js';
import type { Address } from '../../udp/address.js';
import type { Results } from '../shared/results.js';

export interface TunnelServicesOptions {
  /** What peers may reach; nothing where it is empty. */
  readonly rules: readonly AllowRule[];
  /** Where peers may listen; nowhere where it is empty. */
  readonly listen: readonly Address[];
  readonly results: Results;
  readonly isJson: boolean;
  readonly logger: Logger;
  /** Between the opening of a stream and its whole header. */
  readonly headerTimeoutMs: number;
}

/** What a daemon does for those who open streams to it. */
export class TunnelServices {
  private readonly log: TunnelLog;
  private readonly tunnels: Tunnels;
  /** There is something to reach, or somewhere to listen. */
  readonly isUsed: boolean;
  private readonly services: StreamServices;
  private host: Host | null = null;

  constructor({ rules, listen, results, isJson, logger, headerTimeoutMs }: TunnelServicesOptions) {
    this.log = new TunnelLog(results, isJson);
    this.tunnels = new Tunnels(this.log);
    this.isUsed = rules.length + listen.length > 0;
    const connect = new ConnectService({ rules, tunnels: this.tunnels });
    const listening = new ListenService({
      allowed: listen,
      tunnels: this.tunnels,
      logger,
      openStream: (to) => this.openStream(to.peerName),
    });
    this.services = new StreamServices({ services: [connect, listening], logger, headerTimeoutMs });
  }

  /** For Prometheus. */
  get metrics(): MetricSource {
    return tunnelSource(this.tunnels);
  }

  /** Says what there was, on a daemon that may be tunnelled through. */
  summary(): void {
    if (this.isUsed) this.log.summary(this.services.counters, this.tunnels.counters);
  }

  serve(host: Host): void {
    this.host = host;
    host.serve(this.services.take, { allowHalfOpen: true });
  }

  close(): Promise<void> {
    return this.services.close();
  }

  /** Behind a switch a peer is called `host 3`, and its id is how a stream is opened to it. */
  private openStream(peerName: string): TunnelStream {
    return (this.host as Host).createStream(peerName.replace(/^host /, ''), { allowHalfOpen: true });
  }
}

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
    if (this.isJson) this.results.json(plainJson(event));
    else this.results.line(line);
  }
}
