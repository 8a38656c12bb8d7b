// Tested by test/loopback/tunnel.test.ts

import type { Socket } from 'node:net';
import { type Address, formatAddress } from '../../udp/address.js';
import { Fault } from '../file/fault.js';
import { encodeMessage, type Message } from '../file/message.js';
import { type DuplexService, type HostStream, refuseStream } from '../stream-services.js';
import type { AllowRule } from './allow.js';
import { type DialOptions, dial } from './dial.js';
import { parseConnect, TunnelKind } from './messages.js';
import type { Tunnels } from './tunnels.js';
import { resetSocket } from './tunnels.js';

export interface ConnectServiceOptions {
  /** What peers may reach. */
  readonly rules: readonly AllowRule[];
  readonly tunnels: Tunnels;
  readonly dialOptions?: Omit<DialOptions, 'rules'>;
}

/** Connects streams of peers to TCP servers that they may reach: the far side of `-L` and `-D`. */
export class ConnectService implements DuplexService {
  readonly kinds = [TunnelKind.connect];
  private readonly options: ConnectServiceOptions;
  private isClosing = false;

  constructor(options: ConnectServiceOptions) {
    this.options = options;
  }

  accept(header: Message, stream: HostStream): void {
    const { tunnels, rules, dialOptions } = this.options;
    const { peerName } = stream;
    const target = parseConnect(header);
    if (target instanceof Fault) {
      tunnels.refuse(tunnels.name({ peerName, from: peerName, to: '?' }), target);
      refuseStream(stream, target);
      return;
    }
    void dial(target, { ...dialOptions, rules }).then((outcome) => {
      if (this.isClosing) dropDialed(outcome, stream);
      else answerDialed(tunnels, { outcome, stream, target, from: peerName });
    });
  }

  close(): Promise<void> {
    this.isClosing = true;
    return this.options.tunnels.reset();
  }
}

function dropDialed(outcome: Socket | Fault, stream: HostStream): void {
  if (!(outcome instanceof Fault)) resetSocket(outcome);
  stream.resetAndDestroy();
}

interface Dialed {
  readonly outcome: Socket | Fault;
  readonly stream: HostStream;
  readonly target: Address;
  /** Who connected, as reports have it. */
  readonly from: string;
}

/** Answers the opener of a stream: a refusal, or the open connection, which is then joined to the stream. */
export function answerDialed(tunnels: Tunnels, { outcome, stream, target, from }: Dialed): void {
  const name = tunnels.name({ peerName: stream.peerName, from, to: formatAddress(target) });
  if (outcome instanceof Fault) {
    tunnels.refuse(name, outcome);
    refuseStream(stream, outcome);
  } else if (stream.destroyed) {
    tunnels.refuse(name, new Fault('aborted', 'the opener gave up before the connection was made'));
    resetSocket(outcome);
  } else {
    stream.write(encodeMessage({ kind: TunnelKind.open }));
    tunnels.join(name, outcome, stream).open();
  }
}
