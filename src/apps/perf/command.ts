// Tested by test/loopback/perf.test.ts
// Tested by test/apps/perf/command.test.ts
import { randomBytes } from 'node:crypto';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { duration, size } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';
import type { Host } from '../../net/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { MAX_DURATION_NS, MAX_FLOWS, PERF_KIND, type PerfRequest } from '../../services/perf/messages.js';
import { PerfService } from '../../services/perf/service.js';
import { ServiceHost } from '../../services/service-host.js';
import { type Address, address, formatAddress } from '../../udp/address.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { openCommandHost, parseTarget, type Target } from '../shared/command-host.js';
import { serveHostMetrics } from '../shared/host-metrics.js';
import { METRICS_OPTION } from '../shared/metrics.js';
import { flag, option, optionalOption } from '../shared/options.js';
import { SHARE_OPTIONS, shareOf, TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { PerfClient, type PerfClientOutcome } from './client.js';
import { IntervalLog } from './interval-log.js';
import { jsonReport, lossWarning, type PerfReport, summaryLines } from './report.js';
import { ServerPrinter } from './server-printer.js';

/** Loopback unless told otherwise; port 0 is any free one, which the first line of output names. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

const SECOND_NS = 1e9;
const MIN_TIME_NS = 10e6;
const MAX_OMIT_NS = 60e9;
const MIN_INTERVAL_NS = 10e6;

/** As iperf3 calls them, where it has them. */
const PERF_OPTIONS = {
  server: flag({ describe: 'serve tests until SIGINT or SIGTERM', alias: 's' }),
  client: optionalOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'run a test with the server or daemon there',
    alias: 'c',
  }),
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take flows at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; for a server without --switch`,
    alias: 'l',
  }),
  time: optionalOption(duration({ lowest: MIN_TIME_NS, highest: MAX_DURATION_NS, bareUnitNs: SECOND_NS }), {
    describe: 'send for this long; 10s without it and without --bytes',
    alias: 't',
  }),
  bytes: optionalOption(size({ lowest: 1 }), {
    describe: 'send this much on each flow, however long it takes',
    alias: 'n',
  }),
  omit: optionalOption(duration({ lowest: 0, highest: MAX_OMIT_NS, bareUnitNs: SECOND_NS }), {
    describe: 'send for this long before --time begins, and leave it out of all figures; nothing without it',
    alias: 'O',
  }),
  parallel: option(integer({ lowest: 1, highest: MAX_FLOWS }), {
    describe: 'flows at a time',
    alias: 'P',
    defaultText: '1',
  }),
  reverse: flag({ describe: 'let the server send and the client receive', alias: 'R' }),
  interval: option(duration({ lowest: MIN_INTERVAL_NS, bareUnitNs: SECOND_NS }), {
    describe: 'say how fast it goes this often',
    alias: 'i',
    defaultText: '1s',
  }),
  metrics: METRICS_OPTION,
  json: flag({ describe: 'one JSON object at the end; from a server one a line: metrics, listening, test' }),
  ...SHARE_OPTIONS,
  ...TRANSPORT_OPTIONS,
};

type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

export const command = defineCommand({
  description:
    'Measures between two hosts, in the manner of iperf3: goodput, round-trip times, gaps between credits, and what became of the credits. The server is ' +
    '`xpass perf -s`, or any `xpass daemon`; the client says what both sides measured. What arrived is what its receiver says; in between the client shows ' +
    'what has been acknowledged, or with --reverse what has arrived.',
  options: PERF_OPTIONS,
  examples: [
    { line: 'xpass perf -s', meaning: `Serve at 127.0.0.1:${DEFAULT_HOST_PORT}` },
    { line: 'xpass perf -s --metrics :9102', meaning: 'The same, and let Prometheus watch at 127.0.0.1:9102' },
    { line: 'xpass perf -c 127.0.0.1', meaning: 'Send for ten seconds' },
    { line: 'xpass perf -c 192.0.2.7 -t 30 -P 4 -R', meaning: 'Receive on four flows for half a minute' },
    { line: 'xpass perf -c 2 --switch 127.0.0.1 -n 1GiB --json', meaning: 'Send one GiB to host 2 behind a switch' },
  ],
  run,
});

async function run(invocation: PerfInvocation): Promise<ExitCode> {
  const { client, server } = invocation.options;
  checkUsage(invocation.options);
  if (client !== undefined && !server) return runClient(invocation, client);
  return runServer(invocation);
}

/** Throws a usage Failure for options that do not go together. */
function checkUsage(options: PerfInvocation['options']): void {
  const { client, server, listen, metrics, time, bytes, omit, reverse, weight, class: creditClass } = options;
  if (server === (client !== undefined)) {
    throw usageFailure('exactly one of --server (-s) and --client (-c) HOST must be given');
  }
  if (time !== undefined && bytes !== undefined)
    throw usageFailure('--time and --bytes are both given: one is allowed');
  if (omit !== undefined && bytes !== undefined)
    throw usageFailure('--omit is for tests with --time: leave it out beside --bytes');
  if (server && (time !== undefined || bytes !== undefined || omit !== undefined || reverse)) {
    throw usageFailure(
      '--time, --bytes, --omit and --reverse are for the client: the server does what each client asks for',
    );
  }
  if (server && (weight !== undefined || creditClass !== undefined))
    throw usageFailure('--weight and --class are for the client: the server does what each client asks for');
  if (metrics !== undefined && !server) throw usageFailure('--metrics is for the server: leave it out beside --client');
  if (listen !== undefined && (!server || options.switch !== undefined)) {
    throw usageFailure('--listen is for a server without a switch: leave it out beside --client and --switch');
  }
}

const DEFAULT_LISTEN: Address = { host: '127.0.0.1', port: DEFAULT_HOST_PORT };

/** Serves tests until SIGINT or SIGTERM, or until the switch takes the host no more. */
async function runServer({ options, results, logger, onInterrupt }: PerfInvocation): Promise<ExitCode> {
  const interrupted = new Promise<null>((resolve) => {
    onInterrupt(() => resolve(null));
  });
  const printer = new ServerPrinter(results, options.json);
  let host: Host | null = null;
  const service = new PerfService({
    onOutcome: (outcome) => printer.test(outcome),
    driver: () => (host as Host).statistics().driver,
  });
  const services = new ServiceHost({ services: [service], logger });
  const place = { listen: options.listen ?? DEFAULT_LISTEN };
  // An interrupt before the switch has answered ends the process with nothing to close.
  host = await Promise.race([openCommandHost({ settings: options, place, logger }), interrupted]);
  if (host === null) return ExitCode.done;
  services.serve(host);
  const metrics = await serveHostMetrics(host, [printer.metrics], { options, results });
  printer.listening({
    address: formatAddress(host.info.local),
    switchAddress: options.switch === undefined ? null : formatAddress(options.switch),
    hostId: host.link.hostId,
  });
  const error = await Promise.race([detachment(host), interrupted]);
  await services.close();
  await metrics?.close();
  await host.destroy();
  if (error !== null) throw failureOf(error);
  return ExitCode.done;
}

function detachment(host: Host): Promise<XpassError> {
  return new Promise((resolve) => host.once('detached', resolve));
}

const DEFAULT_TIME_NS = 10e9;

/** How long an interrupted client waits for its data to arrive and for the server's figures (ours: less than the patience of whoever pressed Ctrl-C). */
const AFTER_INTERRUPT_MS = 2_000;

/** Runs one test and says what it measured. An interrupt ends it early: with 0, or with 1 when --bytes asked for more than has arrived. */
async function runClient(invocation: PerfInvocation, host: string): Promise<ExitCode> {
  const { options, results } = invocation;
  const target = parseTarget(host, options.switch !== undefined);
  const run = new ClientRun(invocation, target);
  const report = await run.run();
  const warning = lossWarning(report);
  if (warning !== null) invocation.logger.warn(warning);
  if (options.json) results.json(jsonReport(report));
  else for (const line of summaryLines(report)) results.line(line);
  const wanted = options.bytes === undefined ? 0 : options.bytes * options.parallel;
  if (report.received.bytes >= wanted) return ExitCode.done;
  throw new Failure(ExitCode.failed, `${report.received.bytes} of ${wanted} bytes arrived before the test was ended`);
}

class ClientRun {
  private readonly invocation: PerfInvocation;
  private readonly target: Target;
  private readonly request: PerfRequest;
  private readonly log: IntervalLog;
  private client: PerfClient | null = null;
  private isInterrupted = false;

  constructor(invocation: PerfInvocation, target: Target) {
    const { options, results } = invocation;
    const { time, bytes, omit = 0, parallel, reverse, interval, json } = options;
    this.invocation = invocation;
    this.target = target;
    this.request = {
      kind: PERF_KIND,
      role: 'control',
      test: randomBytes(8).toString('hex'),
      direction: reverse ? 'reverse' : 'forward',
      flows: parallel,
      durationNs: bytes === undefined ? (time ?? DEFAULT_TIME_NS) : null,
      bytes: bytes ?? null,
      omitNs: omit,
      ...requestedAlgorithm(options),
      share: shareOf(options),
    };
    this.log = new IntervalLog({ results: json ? null : results, intervalNs: interval });
  }

  async run(): Promise<PerfReport> {
    const { onInterrupt } = this.invocation;
    const interrupted = new Promise<never>((_, reject) => {
      onInterrupt(() => this.interrupt(reject));
    });
    // Nobody waits for it once the host is open.
    interrupted.catch(() => {});
    const host = await Promise.race([this.open(), interrupted]);
    try {
      return this.reportOf(await this.test(host));
    } finally {
      this.log.stop();
      await host.destroy();
    }
  }

  private interrupt(reject: (failure: Failure) => void): void {
    this.isInterrupted = true;
    const { client } = this;
    if (client !== null) {
      client.interrupt();
      const seconds = AFTER_INTERRUPT_MS / 1e3;
      const failure = new Failure(
        ExitCode.failed,
        `interrupted: the server did not say within ${seconds} s what it measured`,
      );
      setTimeout(() => client.abort(failure), AFTER_INTERRUPT_MS).unref();
    } else reject(new Failure(ExitCode.failed, 'interrupted before the test began'));
  }

  private async open(): Promise<Host> {
    const { options, logger } = this.invocation;
    const host = await openCommandHost({ settings: options, place: this.target.place, logger });
    host.once('detached', (error) => this.client?.abort(failureOf(error) as Failure));
    return host;
  }

  private async test(host: Host): Promise<PerfClientOutcome> {
    const { logger } = this.invocation;
    const client = new PerfClient({
      request: this.request,
      host,
      peer: await host.resolve(this.target.to),
      logger,
      driver: () => host.statistics().driver,
      onStart: (nowNs) => {
        const { flows, omitNs } = this.request;
        this.log.start({
          nowNs,
          flows,
          omitNs,
          progress: () => ({ nowNs: host.now(), bytes: client.progress() }),
        });
      },
      onEnd: () => this.log.stop(),
    });
    this.client = client;
    if (this.isInterrupted) client.interrupt();
    return client.finished;
  }

  private reportOf({ client, server }: PerfClientOutcome): PerfReport {
    const receiver = client.received === null ? server : client;
    const { received } = receiver;
    const sent = client.sent ?? server.sent;
    if (received === null || sent === null)
      throw new Failure(ExitCode.failed, 'the server did not say what it measured');
    return {
      request: this.request,
      algorithm: this.request.window || receiver.algorithm,
      frameBytes: receiver === client ? server.frameBytes : client.frameBytes,
      datapath: { client: client.datapath, server: server.datapath },
      isUnlimited: client.linkBps === null && server.linkBps === null,
      received,
      sent,
      intervals: this.log.intervals,
      intervalsOmitted: this.log.omitted,
      cpu: { client: client.cpu, server: server.cpu },
      driver: { client: client.driver, server: server.driver },
    };
  }
}

/** What the client names, as far as it concerns the server: a client that receives chooses the credit algorithm itself. */
function requestedAlgorithm({
  algorithm,
  set,
  reverse,
}: PerfInvocation['options']): Pick<PerfRequest, 'window' | 'windowParameters'> {
  const isNamed = algorithm !== undefined || Object.keys(set).length > 0;
  const name = algorithm ?? DEFAULT_CONFIG.creditAlgorithm;
  if (!isNamed || (reverse && !isWindowAlgorithm(name))) return { window: '', windowParameters: {} };
  return { window: name, windowParameters: set };
}
