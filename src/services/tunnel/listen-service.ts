// Tested by test/loopback/tunnel.test.ts and test/loopback/tunnel-dial.test.ts

import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { type Address, formatAddress } from '../../udp/address.js';
import { Fault } from '../file/fault.js';
import { encodeMessage, type Message } from '../file/message.js';
import { type DuplexService, type HostStream, refuseStream } from '../stream-services.js';
import { isUnspecified, readIpAddress } from './allow.js';
import { closeListener, listenFault, listenOn, peerOfSocket } from './listener.js';
import { acceptedHeader, type ListenRequest, listeningAnswer, parseListen, TunnelKind } from './messages.js';
import type { TunnelStream, Tunnels } from './tunnels.js';
import { openTunnel } from './tunnels.js';

export interface ListenServiceOptions {
  /** Where peers may listen; port 0 stands for a free port of the system's choice. */
  readonly allowed: readonly Address[];
  readonly tunnels: Tunnels;
  readonly logger: Logger;
  /** A stream to the peer that a stream came from. */
  openStream(to: HostStream): TunnelStream;
}

/** Ports at a time (ours). */
const MAX_LISTENERS = 64;

interface Listening {
  readonly server: Server;
  readonly stream: HostStream;
}

/** Listens on TCP for peers, and opens a stream to them for each connection: the far side of `-R`. A listener lasts as long as the stream that asked for it. */
export class ListenService implements DuplexService {
  readonly kinds = [TunnelKind.listen];
  private readonly options: ListenServiceOptions;
  /** By the peer's token: a peer that was away and asks again takes its own listener over. */
  private readonly listeners = new Map<string, Listening>();
  private isClosing = false;

  constructor(options: ListenServiceOptions) {
    this.options = options;
  }

  accept(header: Message, stream: HostStream): void {
    const request = parseListen(header);
    const fault = request instanceof Fault ? request : this.problemOf(request);
    if (fault !== null) this.refuse(stream, fault);
    else void this.listen(request as ListenRequest, stream);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.listeners.values()].map(({ server }) => closeListener(server)));
    await this.options.tunnels.reset();
  }

  private problemOf({ bind }: ListenRequest): Fault | null {
    if (!this.options.allowed.some((rule) => coversBind(rule, bind))) {
      return new Fault(
        'notAllowed',
        `this host does not listen on ${formatAddress(bind)} for others: its --tunnel-listen has to allow it`,
      );
    }
    if (this.listeners.size < MAX_LISTENERS) return null;
    return new Fault('busy', `this host listens on no more than ${MAX_LISTENERS} ports for others`);
  }

  private refuse(stream: HostStream, fault: Fault): void {
    this.options.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
    refuseStream(stream, fault);
  }

  private async listen({ bind, token }: ListenRequest, stream: HostStream): Promise<void> {
    // Again behind each wait: another request with the token may have come meanwhile.
    for (let before = this.listeners.get(token); before !== undefined; before = this.listeners.get(token)) {
      this.listeners.delete(token);
      before.stream.resetAndDestroy();
      await closeListener(before.server);
    }
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.take(socket, token, stream));
    // Set before the wait, so that `close` finds it and a second request with the token waits for it.
    this.listeners.set(token, { server, stream });
    const forget = (): void => {
      if (this.listeners.get(token)?.server === server) this.listeners.delete(token);
      void closeListener(server);
    };
    stream.once('close', forget);
    try {
      const at = await listenOn(server, bind);
      if (stream.destroyed || this.isClosing) {
        forget();
        return;
      }
      this.options.logger.info({ peer: stream.peerName, at: formatAddress(at) }, 'listening for a peer');
      stream.write(encodeMessage(listeningAnswer(at)));
      // Nothing follows; the end of the stream ends the listener.
      stream.resume();
      stream.once('end', () => stream.end());
    } catch (error) {
      stream.off('close', forget);
      forget();
      this.refuse(stream, listenFault(error, bind));
    }
  }

  private take(socket: Socket, token: string, stream: HostStream): void {
    const { tunnels, openStream } = this.options;
    const from = peerOfSocket(socket);
    const name = tunnels.name({ peerName: stream.peerName, from: formatAddress(from), to: stream.peerName });
    void openTunnel({
      tunnels,
      name,
      socket,
      header: acceptedHeader({ token, from }),
      openStream: () => openStream(stream),
    });
  }
}

/** A rule for all addresses covers each of them. */
function coversBind(rule: Address, bind: Address): boolean {
  if (rule.port !== bind.port) return false;
  const [allowed, wanted] = [readIpAddress(loopbackOf(rule.host)), readIpAddress(loopbackOf(bind.host))];
  if (allowed === null || wanted === null) return rule.host === bind.host;
  return isUnspecified(allowed) || allowed.address === wanted.address;
}

function loopbackOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}
