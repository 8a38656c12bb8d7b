// Tested by test/loopback/tunnel.test.ts

import type { Logger } from 'pino';
import type { TunnelStream, Tunnels } from '../../services/tunnel/tunnels.js';
import type { TunnelPrinter } from './report.js';

/** What each kind of forward works with. */
export interface ForwardParts {
  readonly tunnels: Tunnels;
  readonly printer: TunnelPrinter;
  readonly logger: Logger;
  /** The far side as the command line has it. */
  readonly peerName: string;
  openStream(): TunnelStream;
}
