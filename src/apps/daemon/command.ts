// Tested by test/apps/cli/commands.test.ts
// Tested by test/loopback/send.test.ts and test/loopback/send-failures.test.ts
import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { displaySize } from '../../base/display.js';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { duration, size } from '../../base/quantities.js';
import { text } from '../../base/value-kind.js';
import type { Host } from '../../net/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { DiscardService } from '../../services/discard.js';
import { checkReceiveDirectory } from '../../services/file/incoming-file.js';
import { type Leftovers, PartStore } from '../../services/file/part-store.js';
import { NO_LIMITS, SpaceBook, type SpaceLimits } from '../../services/file/space.js';
import { unlimitedLossWarning } from '../../services/loss-warning.js';
import type { MetricsServer } from '../../services/metrics/server.js';
import { type MetricSource, metricSource } from '../../services/metrics/source.js';
import { PerfService } from '../../services/perf/service.js';
import type { PerfOutcome } from '../../services/perf/session.js';
import { ServiceHost } from '../../services/service-host.js';
import { ALLOW_RULE } from '../../services/tunnel/allow.js';
import { BIND } from '../../services/tunnel/forward.js';
import { type Address, address, formatAddress } from '../../udp/address.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { openCommandHost } from '../shared/command-host.js';
import { serveHostMetrics } from '../shared/host-metrics.js';
import { METRICS_OPTION } from '../shared/metrics.js';
import { flag, listOption, option, optionalOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import type { LiveServer } from '../shared/web/live-server.js';
import { openWeb, WEB_OPTIONS } from '../shared/web/web-options.js';
import { FileService } from './file-service.js';
import { daemonSource } from './live-source.js';
import { DAEMON_METRICS, DaemonReport } from './report.js';
import { servedFlows } from './served-flows.js';
import { TunnelServices } from './tunnel-services.js';

/** Loopback unless told otherwise; port 0 is any free one, which the ready line names. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

const MIN_INTERVAL_NS = 10e6;
/** How often the loss of all flows is summed up (ours): not for each of ten thousand files. */
const LOSS_LOOK_NS = 100e6;

/** The daemon's own options, and those of its endpoint. */
const DAEMON_OPTIONS = {
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take flows at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; not with --switch`,
    alias: 'l',
  }),
  directory: option(text('a directory, made when it is missing'), {
    describe: 'where received files go',
    alias: 'd',
    defaultText: 'received',
  }),
  overwrite: flag({ describe: 'let a received file replace one of its name' }),
  keepMode: flag({ describe: "give files their senders' permissions (rwx); without it 0644 less the umask" }),
  unsynced: flag({
    describe: 'leave it to the system when files reach the disk, as cp does: faster, lost in a power failure',
  }),
  keepParts: option(duration(), {
    describe: 'keep what came of a broken transfer this long, for `xpass send` to go on with; 0: not at all',
    // Who finds in the morning what broke at night can go on; a day later the disk has its room back (ours).
    defaultText: '24h',
  }),
  quota: optionalOption(size(), {
    describe: 'most bytes that the files of the directory may take, unfinished ones included; no bound without it',
  }),
  minFree: optionalOption(size(), {
    describe: 'refuse files that would leave less than this free on the disk; no bound without it',
  }),
  interval: optionalOption(duration({ lowest: MIN_INTERVAL_NS }), {
    describe: 'say how far the files are this often while there are any',
    alias: 'i',
  }),
  tunnel: listOption(ALLOW_RULE, {
    describe: 'what `xpass tunnel` may reach through this host; nothing without it, may be repeated',
  }),
  tunnelListen: listOption(BIND, {
    describe: 'where `xpass tunnel -R` may listen on this host; nowhere without it, may be repeated',
  }),
  headerTimeout: option(duration({ lowest: 100e6, highest: 3_600e9 }), {
    describe: 'how long a peer that opens a stream has to say what it is for',
    defaultText: '10s',
  }),
  ...WEB_OPTIONS,
  metrics: METRICS_OPTION,
  json: flag({ describe: 'one JSON object a line: metrics, listening, file, tunnel, progress, summary' }),
  ...TRANSPORT_OPTIONS,
};

export const command = defineCommand({
  description:
    'Takes flows from anybody, behind a switch or directly, until SIGINT or SIGTERM: files go to a directory, each under its name only when it is ' +
    'complete and its SHA-256 is right; `xpass perf -c` is served too, and `xpass tunnel` as far as --tunnel and --tunnel-listen allow it.',
  options: DAEMON_OPTIONS,
  everyday: ['directory', 'listen', 'switch', 'hostId', 'overwrite', 'tunnel', 'key', 'insecure', 'metrics', 'json'],
  logLevel: 'info',
  examples: [
    { line: 'xpass daemon', meaning: `Listen on 127.0.0.1:${DEFAULT_HOST_PORT}, files go to ./received` },
    { line: 'xpass daemon --listen 0.0.0.0 --rate 10g -d /srv/in', meaning: 'Take files from the network' },
    { line: 'xpass daemon --switch 127.0.0.1 --host-id 2', meaning: 'Be host 2 behind a switch' },
    { line: 'xpass daemon --tunnel db.example:5432', meaning: 'Let `xpass tunnel` reach a database, nothing else' },
    { line: 'xpass daemon --metrics :9100', meaning: 'Let Prometheus watch it at 127.0.0.1:9100' },
    { line: 'xpass daemon --json --interval 100ms', meaning: 'Say what happens to a program' },
  ],
  run: runDaemon,
});

type DaemonInvocation = Invocation<typeof DAEMON_OPTIONS>;

const DEFAULT_LISTEN: Address = { host: '127.0.0.1', port: DEFAULT_HOST_PORT };

/** Runs until SIGINT or SIGTERM, or until the switch takes the host no more. */
async function runDaemon(invocation: DaemonInvocation): Promise<ExitCode> {
  const { options, onInterrupt } = invocation;
  if (options.switch !== undefined && options.listen !== undefined) {
    throw usageFailure('--listen is for daemons without a switch: leave it out beside --switch');
  }
  const directory = await prepareDirectory(options.directory);
  const parts = new PartStore({ directory, keepMs: options.keepParts / 1e6 });
  logLeftovers(invocation.logger, directory, await parts.open());
  const interrupted = new Promise<null>((resolve) => {
    onInterrupt(() => resolve(null));
  });
  const daemon = new Daemon(invocation, directory, parts);
  try {
    // An interrupt before the switch has answered ends the process with nothing to close.
    if ((await Promise.race([daemon.start(), interrupted])) === null) return ExitCode.done;
    const error = await Promise.race([daemon.detached, interrupted]);
    await daemon.stop();
    if (error !== null) throw failureOf(error);
    return ExitCode.done;
  } finally {
    parts.close();
  }
}

/** Makes the directory when only it is missing: a parent that is missing too is rather a slip of the pen. */
async function prepareDirectory(path: string): Promise<string> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      const failure = failureOf(error, `receive directory '${path}'`);
      throw failure === null ? error : new Failure(ExitCode.usage, failure.message);
    }
  }
  return checkReceiveDirectory(path);
}

/** One line for what transfers that broke off have left. */
function logLeftovers(logger: Logger, directory: string, found: Leftovers): void {
  const { taken, takenBytes, removed, removedBytes, kept, keptBytes } = found;
  const files = (count: number): string => (count === 1 ? '1 unfinished file' : `${count} unfinished files`);
  const parts: string[] = [];
  if (taken > 0) parts.push(`took up ${files(taken)}, ${displaySize(takenBytes)}`);
  if (removed > 0) parts.push(`removed ${files(removed)}, ${displaySize(removedBytes)}`);
  if (kept > 0) parts.push(`left ${files(kept)} alone that another daemon may be writing, ${displaySize(keptBytes)}`);
  if (parts.length > 0) logger.info(`${directory}: ${parts.join('; ')}`);
}

/** The client prints what was measured; here it is only known that there was a test. */
function logPerf(logger: Logger, { peerName, request, received }: PerfOutcome): void {
  const { direction, flows } = request;
  logger.info({ peer: peerName, direction, flows }, received === null ? 'perf test given up' : 'perf test done');
}

function spaceLimits({ quota, minFree }: DaemonInvocation['options']): SpaceLimits {
  return { quotaBytes: quota ?? NO_LIMITS.quotaBytes, minFreeBytes: minFree ?? NO_LIMITS.minFreeBytes };
}

/** A host that serves, and what it says. */
class Daemon {
  /** The switch takes this host no more. */
  readonly detached: Promise<XpassError>;
  private readonly invocation: DaemonInvocation;
  private readonly directory: string;
  private readonly report: DaemonReport;
  private readonly files: FileService;
  private readonly services: ServiceHost;
  private readonly tunnels: TunnelServices;
  private handleDetached: (error: XpassError) => void = () => undefined;
  private host: Host | null = null;
  private isWarned = false;
  private lossLookedNs = Number.NEGATIVE_INFINITY;
  private startNs = 0;
  private readonly space: SpaceBook;
  private metrics: MetricsServer | null = null;
  private timer: NodeJS.Timeout | undefined;
  private web: LiveServer | null = null;

  constructor(invocation: DaemonInvocation, directory: string, parts: PartStore) {
    const { options, results, logger } = invocation;
    const headerTimeoutMs = options.headerTimeout / 1e6;
    this.invocation = invocation;
    this.directory = directory;
    this.report = new DaemonReport(results, options.json);
    this.space = new SpaceBook({ directory, limits: spaceLimits(options) });
    this.files = new FileService({
      directory,
      overwrite: options.overwrite,
      keepMode: options.keepMode,
      isSynced: !options.unsynced,
      parts,
      space: this.space,
      onOutcome: (outcome) => {
        this.report.file(outcome);
        this.warnOfLoss();
      },
    });
    const perf = new PerfService({
      onOutcome: (outcome) => logPerf(logger, outcome),
      driver: () => (this.host as Host).statistics().driver,
    });
    const { files } = this;
    const services = [files, files.offers, files.folders, files.series, files.existing, perf, new DiscardService()];
    this.services = new ServiceHost({ services, logger, headerTimeoutMs });
    this.tunnels = new TunnelServices({
      rules: options.tunnel,
      listen: options.tunnelListen,
      results,
      isJson: options.json,
      logger,
      headerTimeoutMs,
    });
    this.detached = new Promise((resolve) => {
      this.handleDetached = resolve;
    });
  }

  async start(): Promise<true> {
    const { options, logger } = this.invocation;
    const place = { listen: options.listen ?? DEFAULT_LISTEN };
    const host = await openCommandHost({ settings: options, place, logger });
    this.services.serve(host);
    this.tunnels.serve(host);
    host.once('detached', (error) => this.handleDetached(error));
    this.host = host;
    this.startNs = host.now();
    this.metrics = await serveHostMetrics(host, this.metricSources(), this.invocation);
    const title = `daemon ${options.switch === undefined ? `at ${formatAddress(host.info.local)}` : `of host ${host.link.hostId}`}`;
    this.web = await openWeb(options, { source: daemonSource(host, this.services, title), logger, title });
    this.reportListening(host);
    if (options.interval !== undefined) {
      this.timer = setInterval(() => this.reportProgress(host), options.interval / 1e6);
    }
    return true;
  }

  /** Once: without a rate nothing meters credits. */
  private warnOfLoss(): void {
    if (this.isWarned || this.host === null || Number.isFinite(this.host.link.rateBps)) return;
    const nowNs = this.host.now();
    if (nowNs < this.lossLookedNs + LOSS_LOOK_NS) return;
    this.lossLookedNs = nowNs;
    const warning = unlimitedLossWarning(this.services.credits.dataLostFrames);
    if (warning === null) return;
    this.isWarned = true;
    this.invocation.logger.warn(warning);
  }

  /** In order: files given up, last words, flows reset, port given back. */
  async stop(): Promise<void> {
    const { host, services } = this;
    clearInterval(this.timer);
    await this.web?.close();
    if (host === null) return;
    await Promise.all([services.close(), this.tunnels.close()]);
    this.tunnels.summary();
    this.report.summary({
      durationNs: host.now() - this.startNs,
      credits: services.credits,
      refusedStreams: services.refusedStreams,
      openings: services.openings,
      ...host.statistics(),
    });
    await this.metrics?.close();
    await host.destroy();
  }

  private metricSources(): MetricSource[] {
    const { services, tunnels, report, space } = this;
    const daemon = metricSource(DAEMON_METRICS, () => ({
      daemon: {
        ...report.counts,
        ...space.usage,
        openStreams: services.streamCount,
        refusedStreams: services.refusedStreams,
        openings: services.openings,
      },
    }));
    return tunnels.isUsed ? [daemon, tunnels.metrics] : [daemon];
  }

  private reportListening({ info, link }: Host): void {
    const { options } = this.invocation;
    this.report.listening({
      address: formatAddress(info.local),
      switchAddress: options.switch === undefined ? null : formatAddress(options.switch),
      hostId: link.hostId,
      rateBps: link.rateBps,
      frameBytes: link.maxFrameBytes,
      directory: this.directory,
      info,
      web: this.web?.url ?? null,
    });
  }

  private reportProgress(host: Host): void {
    const { services } = this;
    if (services.streamCount === 0) return;
    const streams = servedFlows(services.receivers, host.creditAlgorithm);
    this.report.progress({ nowNs: host.now(), flows: this.files.progress(), streams, credits: services.credits });
  }
}
