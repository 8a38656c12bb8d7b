// Tested by test/apps/cli/commands.test.ts
// Tested by test/loopback/tunnel.test.ts
// Tested by test/apps/tunnel/command.test.ts
import { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { failureOf, usageFailure } from '../../base/failure.js';
import { text } from '../../base/value-kind.js';
import type { Host } from '../../net/host.js';
import { parsePeer } from '../../net/peer-name.js';
import { StreamServices } from '../../services/stream-services.js';
import { BIND, FORWARD } from '../../services/tunnel/forward.js';
import { type TunnelStream, Tunnels, tunnelSource } from '../../services/tunnel/tunnels.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { openCommandHost } from '../shared/command-host.js';
import { serveHostMetrics } from '../shared/host-metrics.js';
import { METRICS_OPTION } from '../shared/metrics.js';
import { flag, listOption, requiredOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import type { ForwardParts } from './forward-parts.js';
import { LocalForward } from './local-forward.js';
import { RemoteForwards } from './remote-forwards.js';
import { TunnelPrinter } from './report.js';
import { SocksProxy } from './socks-proxy.js';

/** As ssh calls them. */
export const TUNNEL_OPTIONS = {
  to: requiredOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'the daemon at the far side',
    alias: 't',
  }),
  local: listOption(FORWARD, {
    describe: 'listen on TCP here, connect from there; may be repeated',
    alias: 'L',
  }),
  remote: listOption(FORWARD, {
    describe: 'listen on TCP there, connect from here; may be repeated',
    alias: 'R',
  }),
  dynamic: listOption(BIND, {
    describe: 'be a SOCKS5 proxy here whose connections are made there; may be repeated',
    alias: 'D',
  }),
  metrics: METRICS_OPTION,
  json: flag({ describe: 'one JSON object a line: metrics, listening, opened, closed, refused, lost, summary' }),
  ...TRANSPORT_OPTIONS,
};

export const command = defineCommand({
  description:
    'Carries TCP connections of programs that know nothing of xpass to an `xpass daemon`, as ssh does with -L, -R and -D. The daemon says with ' +
    '--tunnel what may be reached through it, and with --tunnel-listen where it listens for others; nothing by default. docs/TUNNEL.md has the rules.',
  options: TUNNEL_OPTIONS,
  everyday: ['to', 'local', 'remote', 'dynamic', 'switch', 'key', 'metrics', 'json'],
  logLevel: 'info',
  examples: [
    {
      line: 'xpass tunnel -L 5432:db.example:5432 --to 192.0.2.7',
      meaning: 'Port 5432 here is the database that the daemon of 192.0.2.7 reaches',
    },
    { line: 'xpass tunnel -R 8080:127.0.0.1:80 --to 192.0.2.7', meaning: 'Port 8080 there is port 80 here' },
    {
      line: 'xpass tunnel -D 1080 --to 192.0.2.7 --metrics :9103',
      meaning: 'Let Prometheus watch it at 127.0.0.1:9103',
    },
    { line: 'xpass tunnel -D 1080 --to 2 --switch 127.0.0.1', meaning: 'A SOCKS5 proxy whose far side is host 2' },
  ],
  run: runTunnel,
});

type TunnelInvocation = Invocation<typeof TUNNEL_OPTIONS>;

/** Runs until SIGINT or SIGTERM, until the switch takes the host no more, or until the far side refuses a listener. */
async function runTunnel(invocation: TunnelInvocation): Promise<ExitCode> {
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
    const place = typeof to === 'object' ? { peer: to } : {};
    const host = await openCommandHost({ settings: options, place, logger });
    this.host = host;
    host.on('detached', (error: XpassError) => this.fail(error));
    const sources = [tunnelSource(this.tunnels)];
    const metrics = await serveHostMetrics(host, sources, this.invocation);
    if (metrics !== null) this.closers.push(() => metrics.close());
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
    const services = new StreamServices({
      services: [forwards],
      logger: shared.logger,
      shareOfFree: Number.POSITIVE_INFINITY,
    });
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
