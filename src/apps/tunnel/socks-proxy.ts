// Tested by test/loopback/tunnel.test.ts

import { createServer, type Server, type Socket } from 'node:net';
import { failureOf } from '../../base/failure.js';
import { closeListener, listenOn, peerOfSocket } from '../../services/tunnel/listener.js';
import { connectHeader, TunnelKind } from '../../services/tunnel/messages.js';
import {
  encodeSocksReply,
  SocksReader,
  SocksReply,
  type SocksStep,
  socksReplyOf,
} from '../../services/tunnel/socks.js';
import { Refusal, readAnswer, resetSocket, sendHeader, tryOpen } from '../../services/tunnel/tunnels.js';
import { type Address, formatAddress } from '../../udp/address.js';
import type { ForwardParts } from './forward-parts.js';
import { reportDrops } from './local-forward.js';

/** Between a client's connection and its whole request (ours). */
const HANDSHAKE_MS = 10_000;
/** How long a client that was refused may take to close its connection (ours). */
const LINGER_MS = 5_000;

/** `-D`: a SOCKS5 proxy whose connections are made by the far side. */
export class SocksProxy {
  private readonly bind: Address;
  private readonly parts: ForwardParts;
  private readonly server: Server;

  constructor(bind: Address, parts: ForwardParts) {
    this.bind = bind;
    this.parts = parts;
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.take(socket));
  }

  /** Throws a usage Failure for a port in use. */
  async start(): Promise<void> {
    reportDrops(this.server, (from) => this.refuse(from, 'busy', 'as many connections as this port takes are there'));
    const address = await listenOn(this.server, this.bind).catch((error: unknown) => {
      throw failureOf(error, `-D: ${formatAddress(this.bind)}`) ?? error;
    });
    this.parts.printer.listening({ forward: 'D', address: formatAddress(address), target: null });
  }

  close(): Promise<void> {
    return closeListener(this.server);
  }

  private refuse(from: string, code: string, message: string): void {
    const { tunnels, peerName } = this.parts;
    tunnels.refuse(tunnels.name({ peerName, from, to: '?' }), { code, message });
  }

  private take(socket: Socket): void {
    const from = formatAddress(peerOfSocket(socket));
    const reader = new SocksReader();
    const leave = (): void => {
      clearTimeout(timer);
      socket.off('data', read).off('end', quit).off('close', leave);
    };
    // A client that ends within its handshake wants nothing more.
    const quit = (): void => {
      leave();
      socket.end();
    };
    const timer = setTimeout(() => {
      leave();
      this.refuse(from, 'timeout', `no SOCKS request came within ${HANDSHAKE_MS / 1e3} s`);
      resetSocket(socket);
    }, HANDSHAKE_MS);
    const read = (chunk: Uint8Array): void => {
      let step: SocksStep = reader.push(chunk);
      if (step.kind === 'greeted') {
        socket.write(step.answer);
        step = reader.push(new Uint8Array(0));
      }
      if (step.kind === 'more' || step.kind === 'greeted') return;
      leave();
      socket.pause();
      if (step.kind === 'connect') {
        // At once: a client that has ended meanwhile would leave no room for it.
        if (step.rest.length > 0) socket.unshift(step.rest);
        void this.connect(socket, from, step.target);
      } else this.endRefused(socket, from, step);
    };
    socket.on('error', () => undefined);
    socket.on('data', read).on('end', quit).on('close', leave);
  }

  private endRefused(socket: Socket, from: string, { answer, reason }: SocksStep & { kind: 'refused' }): void {
    this.refuse(from, 'badMessage', reason);
    endSoon(socket, answer);
  }

  private async connect(socket: Socket, from: string, target: Address): Promise<void> {
    const { tunnels, peerName, openStream } = this.parts;
    const name = tunnels.name({ peerName, from, to: formatAddress(target) });
    const stream = tryOpen(openStream);
    if (stream instanceof Refusal) {
      tunnels.refuse(name, stream);
      endSoon(socket, encodeSocksReply(socksReplyOf(stream.code)));
      return;
    }
    stream.on('error', () => undefined);
    const giveUp = (): void => void stream.resetAndDestroy();
    socket.once('close', giveUp);
    sendHeader(stream, connectHeader(target));
    const answer = await readAnswer(stream, TunnelKind.open);
    socket.off('close', giveUp);
    if (answer instanceof Refusal) {
      tunnels.refuse(name, answer);
      stream.resetAndDestroy();
      endSoon(socket, encodeSocksReply(socksReplyOf(answer.code)));
      return;
    }
    socket.write(encodeSocksReply(SocksReply.succeeded));
    tunnels.join(name, socket, stream).open();
  }
}

/** The last word to a client, which would keep its place among the connections as long as it likes. */
function endSoon(socket: Socket, answer: Uint8Array): void {
  socket.end(answer);
  socket.resume();
  const timer = setTimeout(() => resetSocket(socket), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
