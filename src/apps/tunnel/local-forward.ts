// Tested by test/loopback/tunnel.test.ts

import { createServer, type Server, type Socket } from 'node:net';
import { failureOf } from '../../base/failure.js';
import type { Forward } from '../../services/tunnel/forward.js';
import { closeListener, listenOn, peerOfSocket } from '../../services/tunnel/listener.js';
import { connectHeader } from '../../services/tunnel/messages.js';
import { openTunnel } from '../../services/tunnel/tunnels.js';
import { formatAddress } from '../../udp/address.js';
import type { ForwardParts } from './forward-parts.js';

/** `-L`: connections to a port here are made by the far side. */
export class LocalForward {
  private readonly forward: Forward;
  private readonly parts: ForwardParts;
  private readonly server: Server;

  constructor(forward: Forward, parts: ForwardParts) {
    this.forward = forward;
    this.parts = parts;
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.take(socket));
  }

  /** Throws a usage Failure for a port in use. */
  async start(): Promise<void> {
    const { bind, target } = this.forward;
    const { tunnels, printer, peerName } = this.parts;
    const to = formatAddress(target);
    reportDrops(this.server, (from) => tunnels.refuse(tunnels.name({ peerName, from, to }), TOO_MANY));
    const address = await listenOn(this.server, bind).catch((error: unknown) => {
      throw failureOf(error, `-L: ${formatAddress(bind)}`) ?? error;
    });
    printer.listening({ forward: 'L', address: formatAddress(address), target: to });
  }

  close(): Promise<void> {
    return closeListener(this.server);
  }

  private take(socket: Socket): void {
    const { target } = this.forward;
    const { tunnels, peerName, openStream } = this.parts;
    const from = formatAddress(peerOfSocket(socket));
    const name = tunnels.name({ peerName, from, to: formatAddress(target) });
    void openTunnel({ tunnels, name, socket, header: connectHeader(target), openStream });
  }
}

const TOO_MANY = { code: 'busy', message: 'as many connections as this port takes are there' };

/** Tells of connections beyond the bound of a listener, which the system has reset. */
export function reportDrops(server: Server, onDrop: (from: string) => void): void {
  server.on('drop', (data) => {
    const { remoteAddress: host = '?', remotePort: port = 0 } = data ?? {};
    onDrop(formatAddress({ host, port }));
  });
}
