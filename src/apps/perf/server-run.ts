// Tested by test/loopback/perf-server.test.ts
import { setTimeout as afterMs } from 'node:timers/promises';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { Host } from '../../net/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import type { MetricsServer } from '../../services/metrics/server.js';
import { PerfService } from '../../services/perf/service.js';
import type { PerfOutcome } from '../../services/perf/session.js';
import { ServiceHost } from '../../services/service-host.js';
import { type Address, formatAddress } from '../../udp/address.js';
import { openCommandHost } from '../shared/command-host.js';
import { serveHostMetrics } from '../shared/host-metrics.js';
import { tellListening } from './background.js';
import type { PerfInvocation } from './client-run.js';
import type { PerfOptions, PerfSettings } from './options.js';
import type { Output } from './output.js';
import { ServerPrinter } from './server-printer.js';
import { ServerTest } from './server-test.js';
import { ShareMeter } from './shares.js';

/** How long the client of a server with --one-off has to take the answer (ours: many round trips). */
const LAST_ANSWER_MS = 2_000;

/** Serves tests until SIGINT or SIGTERM, until the switch takes the host no more, or with --one-off until one is over. */
export class ServerRun {
  private readonly invocation: PerfInvocation;
  private readonly options: PerfSettings;
  private readonly printer: ServerPrinter;
  private readonly service: PerfService;
  private readonly output: Output;
  private host: Host | null = null;
  private begun = 0;
  private finishOne: (outcome: PerfOutcome) => void = () => {};

  constructor(invocation: PerfInvocation, options: PerfSettings, output: Output) {
    this.invocation = invocation;
    this.options = options;
    this.output = output;
    this.printer = new ServerPrinter(output, options);
    this.service = new PerfService({
      onBegin: (session) => {
        this.begun++;
        this.printer.begin(session.peerName, session.request, new ServerTest(session, this.options));
      },
      output: (outcome) => this.printer.outputOf(outcome),
      onOutcome: (outcome) => {
        this.printer.test(outcome);
        this.finishOne(outcome);
      },
      driver: () => (this.host as Host).statistics().driver,
    });
  }

  async run(): Promise<ExitCode> {
    const { logger, onInterrupt } = this.invocation;
    const interrupted = new Promise<null>((resolve) => {
      onInterrupt(() => resolve(null));
    });
    const services = new ServiceHost({ services: [this.service], logger });
    const place = { listen: listenAddress(this.options) };
    // An interrupt before the switch has answered ends the process with nothing to close.
    const host = await Promise.race([openCommandHost({ settings: this.options, place, logger }), interrupted]);
    if (host === null) return ExitCode.done;
    this.host = host;
    services.serve(host);
    const metrics = await this.serveMetrics(host);
    this.tellListening(host);
    const timer = this.watchShares(host);
    const ending = await Promise.race([detachment(host), interrupted, this.one()]);
    clearInterval(timer);
    // The client of the only test has its answer before this process ends.
    if (ending === ExitCode.done) await Promise.race([host.close(), afterMs(LAST_ANSWER_MS)]);
    await services.close();
    await metrics?.close();
    await host.destroy();
    if (ending instanceof Error) throw failureOf(ending);
    return ending ?? ExitCode.done;
  }

  /** A document a test stands alone on standard output: then the address goes to standard error. */
  private serveMetrics(host: Host): Promise<MetricsServer | null> {
    const { json, jsonStream, metrics } = this.options;
    const { terminal } = this.invocation;
    const { output } = this;
    const results = {
      line: (line: string) => void (json && !jsonStream ? terminal.write(`${line}\n`) : output.line(line)),
      json: ({ event, ...data }: { event: string }) => output.json({ event, data }),
    };
    return serveHostMetrics(host, [this.printer.metrics], { options: { metrics, json: jsonStream }, results });
  }

  private tellListening(host: Host): void {
    const { switch: behind } = this.options;
    this.printer.listening({
      address: formatAddress(host.info.local),
      switchAddress: behind === undefined ? null : formatAddress(behind),
      hostId: host.link.hostId,
    });
    tellListening();
  }

  /** The end of the only test; with --idle-timeout a server whom nobody asks ends too. */
  private one(): Promise<ExitCode | Failure> {
    return new Promise((resolve) => {
      const { oneOff } = this.options;
      const { idleTimeout } = this.invocation.options;
      if (!oneOff) return;
      this.finishOne = ({ sides }) => resolve(sides === null ? ExitCode.failed : ExitCode.done);
      if (idleTimeout === undefined) return;
      const nobody = new Failure(ExitCode.peer, `nobody asked for a test within ${idleTimeout / 1e9} s`);
      setTimeout(() => {
        if (this.begun === 0) resolve(nobody);
      }, idleTimeout / 1e6).unref();
    });
  }

  private watchShares(host: Host): NodeJS.Timeout | undefined {
    const { interval } = this.options;
    if (interval === 0) return undefined;
    const meter = new ShareMeter(host.now());
    return setInterval(() => {
      const shares = meter.cut(host.now(), this.service.tests);
      if (shares !== null) this.printer.shares(shares);
    }, interval / 1e6);
  }
}

function listenAddress({ listen, port, bind, version6 }: PerfOptions): Address {
  return listen ?? { host: bind ?? (version6 ? '::1' : '127.0.0.1'), port: port ?? DEFAULT_HOST_PORT };
}

function detachment(host: Host): Promise<XpassError> {
  return new Promise((resolve) => host.once('detached', resolve));
}
