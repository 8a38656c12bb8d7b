// Tested by test/loopback/tunnel.test.ts

import type { Host } from '../../net/host.js';
import type { Address } from '../../udp/address.js';
import type { Logger } from '../shared/logger.js';
import type { Results } from '../shared/results.js';
import { StreamServices } from '../shared/stream-services.js';
import type { AllowRule } from '../shared/tunnel/allow.js';
import { ConnectService } from '../shared/tunnel/connect-service.js';
import type { TunnelStream } from '../shared/tunnel/join.js';
import { ListenService } from '../shared/tunnel/listen-service.js';
import { Tunnels } from '../shared/tunnel/tunnels.js';
import { TunnelLog } from './tunnel-log.js';

export interface TunnelServicesOptions {
  /** What peers may reach; nothing where it is empty. */
  readonly rules: readonly AllowRule[];
  /** Where peers may listen; nowhere where it is empty. */
  readonly listen: readonly Address[];
  readonly results: Results;
  readonly isJson: boolean;
  readonly logger: Logger;
}

/** What a daemon does for those who open streams to it. */
export class TunnelServices {
  private readonly log: TunnelLog;
  private readonly tunnels: Tunnels;
  /** There is something to reach, or somewhere to listen. */
  readonly isUsed: boolean;
  private readonly services: StreamServices;
  private host: Host | null = null;

  constructor({ rules, listen, results, isJson, logger }: TunnelServicesOptions) {
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
    this.services = new StreamServices({ services: [connect, listening], logger });
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
