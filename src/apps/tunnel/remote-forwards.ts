// Tested by test/loopback/tunnel.test.ts

import { randomBytes } from 'node:crypto';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { Fault } from '../../services/file/fault.js';
import type { Message } from '../../services/file/message.js';
import { type DuplexService, type HostStream, refuseStream } from '../../services/stream-services.js';
import { answerDialed } from '../../services/tunnel/connect-service.js';
import { dial } from '../../services/tunnel/dial.js';
import type { Forward } from '../../services/tunnel/forward.js';
import { listenHeader, parseAccepted, parseListening, TunnelKind } from '../../services/tunnel/messages.js';
import { Refusal, readAnswer, sendHeader, tryOpen } from '../../services/tunnel/tunnels.js';
import { formatAddress } from '../../udp/address.js';
import type { ForwardParts } from './forward-parts.js';

export interface RemoteParts extends ForwardParts {
  /** The far side will not listen, now or ever. */
  onRefused(error: Failure): void;
}

/** Wait before the far side is asked again: doubled each time, as long as it does not listen (ours). */
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 15_000;

/** Verdicts that asking again does not change. */
const FINAL_CODES = new Set(['notAllowed', 'unsupported', 'badMessage', 'permission', 'io']);

interface Remote {
  readonly forward: Forward;
  /** Each connection names it, so that nobody else can pretend to have one. */
  readonly token: string;
  hasListened: boolean;
  retryMs: number;
}

/** `-R`: connections to ports of the far side are made from here. Asks the far side to listen, again and again where it was lost. */
export class RemoteForwards implements DuplexService {
  readonly kinds = [TunnelKind.accepted];
  private readonly parts: RemoteParts;
  private readonly remotes: readonly Remote[];
  private readonly timers = new Set<NodeJS.Timeout>();
  private isClosing = false;

  constructor(forwards: readonly Forward[], parts: RemoteParts) {
    this.parts = parts;
    this.remotes = forwards.map((forward) => ({
      forward,
      token: randomBytes(16).toString('hex'),
      hasListened: false,
      retryMs: FIRST_RETRY_MS,
    }));
  }

  start(): void {
    for (const remote of this.remotes) void this.ask(remote);
  }

  accept(header: Message, stream: HostStream): void {
    const accepted = parseAccepted(header);
    const remote = accepted instanceof Fault ? undefined : this.remotes.find(({ token }) => token === accepted.token);
    if (accepted instanceof Fault || remote === undefined) {
      const fault = accepted instanceof Fault ? accepted : new Fault('notAllowed', 'nobody here asked for connections');
      this.parts.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
      refuseStream(stream, fault);
      return;
    }
    const { target } = remote.forward;
    const from = formatAddress(accepted.from);
    void dial(target, { rules: null }).then((outcome) =>
      answerDialed(this.parts.tunnels, { outcome, stream, target, from }),
    );
  }

  async close(): Promise<void> {
    this.isClosing = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Has the far side listen, and waits until that is over. */
  private async ask(remote: Remote): Promise<void> {
    const { bind } = remote.forward;
    const stream = tryOpen(this.parts.openStream);
    if (stream instanceof Refusal) {
      this.lose(remote, stream);
      return;
    }
    stream.on('error', () => undefined);
    sendHeader(stream, listenHeader({ bind, token: remote.token }));
    const answer = await readAnswer(stream, TunnelKind.listening);
    const at = answer instanceof Refusal ? answer : parseListening(answer);
    if (at instanceof Refusal || at instanceof Fault) {
      stream.resetAndDestroy();
      this.lose(remote, at);
      return;
    }
    remote.hasListened = true;
    remote.retryMs = FIRST_RETRY_MS;
    this.parts.printer.listening({
      forward: 'R',
      address: formatAddress(at),
      target: formatAddress(remote.forward.target),
    });
    stream.resume();
    stream.once('end', () => stream.end());
    stream.once('close', () => {
      const error = stream.errored as (Error & { code?: string }) | null;
      this.lose(remote, new Refusal(error?.code ?? 'shutdown', error?.message ?? 'the far side stopped listening'));
    });
  }

  private lose(remote: Remote, { code, message }: Pick<Refusal, 'code' | 'message'>): void {
    if (this.isClosing) return;
    const bind = formatAddress(remote.forward.bind);
    // A listener that is in use at first belongs to somebody else; later it may be our own of before.
    if (FINAL_CODES.has(code) || (code === 'inUse' && !remote.hasListened)) {
      this.parts.onRefused(new Failure(ExitCode.failed, `-R: ${bind} at ${this.parts.peerName}: ${message}`));
      return;
    }
    this.parts.printer.lost({ address: bind, code, message, retryMs: remote.retryMs });
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.ask(remote);
    }, remote.retryMs);
    this.timers.add(timer);
    remote.retryMs = Math.min(2 * remote.retryMs, LAST_RETRY_MS);
  }
}
