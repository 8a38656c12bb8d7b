// Tested by test/loopback/tunnel.test.ts

import { XpassError } from '../../core/errors.js';
import { type Host, openHostOf } from '../../net/host.js';
import { parsePeer } from '../../net/peer-name.js';
import { markSeldom } from '../shared/collector.js';
import type { Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { failureOf, usageFailure } from '../shared/failure.js';
import { StreamServices } from '../shared/stream-services.js';
import type { TunnelStream } from '../shared/tunnel/join.js';
import { Tunnels } from '../shared/tunnel/tunnels.js';
import type { ForwardParts } from './forward-parts.js';
import { LocalForward } from './local-forward.js';
import type { TUNNEL_OPTIONS } from './options.js';
import { RemoteForwards } from './remote-forwards.js';
import { TunnelPrinter } from './report.js';
import { SocksProxy } from './socks-proxy.js';

type TunnelInvocation = Invocation<typeof TUNNEL_OPTIONS>;

/** Runs until SIGINT or SIGTERM, until the switch takes the host no more, or until the far side refuses a listener. */
export async function runTunnel(invocation: TunnelInvocation): Promise<ExitCode> {
  const { options, onInterrupt } = invocation;
  if (options.local.length + options.remote.length + options.dynamic.length === 0) {
    throw usageFailure('nothing to forward: give -L, -R or -D at least once');
  }
  const interrupted = new Promise<null>((resolve) => {
    onInterrupt(() => resolve(null));
  });
  const tunnel = new Tunnel(invocation);
  const opening = tunnel.start();
  try {
    if ((await Promise.race([opening, interrupted])) === null) return ExitCode.done;
    const error = await Promise.race([tunnel.failed, interrupted]);
    if (error !== null) throw failureOf(error) ?? error;
    return ExitCode.done;
  } finally {
    await tunnel.stop();
  }
}

/** A host with its forwards. */
class Tunnel {
  /** What ends the command by itself. */
  readonly failed: Promise<Error>;
  private readonly invocation: TunnelInvocation;
  private readonly printer: TunnelPrinter;
  private readonly tunnels: Tunnels;
  private readonly closers: (() => Promise<void>)[] = [];
  private host: Host | null = null;
  private fail: (error: Error) => void = () => undefined;

  constructor(invocation: TunnelInvocation) {
    const { results, options } = invocation;
    this.invocation = invocation;
    this.printer = new TunnelPrinter(results, options.json);
    this.tunnels = new Tunnels(this.printer);
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
  }

  /** Listens here before anything is asked of the far side, so that a port in use ends the command at once. */
  async start(): Promise<true> {
    const { options, logger } = this.invocation;
    const to = targetOf(options);
    markSeldom();
    const host = await openHostOf({
      settings: options,
      place: typeof to === 'object' ? { peer: to } : {},
      onNotice: ({ level, message, code }) => logger[level]({ ...(code !== undefined && { code }) }, message),
    });
    this.host = host;
    host.on('detached', (error: XpassError) => this.fail(error));
    const shared = {
      tunnels: this.tunnels,
      printer: this.printer,
      logger,
      peerName: options.to,
      openStream: (): TunnelStream => host.createStream(to, { allowHalfOpen: true }),
    };
    for (const bind of options.dynamic) await this.startOne(new SocksProxy(bind, shared));
    for (const forward of options.local) await this.startOne(new LocalForward(forward, shared));
    this.startRemotes(host, shared);
    return true;
  }

  async stop(): Promise<void> {
    await Promise.all(this.closers.map((close) => close()));
    await this.tunnels.reset();
    if (this.host === null) return;
    await this.host.destroy();
    this.printer.summary(this.tunnels.counters);
  }

  private async startOne(forward: LocalForward | SocksProxy): Promise<void> {
    await forward.start();
    this.closers.push(() => forward.close());
  }

  private startRemotes(host: Host, shared: ForwardParts): void {
    const { remote } = this.invocation.options;
    if (remote.length === 0) return;
    const forwards = new RemoteForwards(remote, { ...shared, onRefused: (error) => this.fail(error) });
    const services = new StreamServices({ services: [forwards], logger: shared.logger });
    host.serve(services.take, { allowHalfOpen: true });
    this.closers.push(() => services.close());
    forwards.start();
  }
}

function targetOf({ to, switch: switchAddress }: TunnelInvocation['options']): ReturnType<typeof parsePeer> {
  try {
    return parsePeer(to, switchAddress !== undefined);
  } catch (error) {
    throw error instanceof XpassError ? usageFailure(`--to: ${error.message}`) : error;
  }
}
