// Tested by test/loopback/perf.test.ts

import { randomBytes } from 'node:crypto';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';
import type { Host } from '../../net/host.js';
import type { Invocation } from '../shared/command.js';
import { openCommandHost, parseTarget, type Target } from '../shared/command-host.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure, failureOf } from '../shared/failure.js';
import { PERF_KIND, type PerfRequest } from '../shared/perf/messages.js';
import { shareOf } from '../shared/share-options.js';
import { PerfClient, type PerfClientOutcome } from './client.js';
import { IntervalLog } from './interval-log.js';
import type { PERF_OPTIONS } from './options.js';
import { jsonReport, lossWarning, type PerfReport, summaryLines } from './report.js';

type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

const DEFAULT_TIME_NS = 10e9;

/** How long an interrupted client waits for its data to arrive and for the server's figures (ours: less than the patience of whoever pressed Ctrl-C). */
const AFTER_INTERRUPT_MS = 2_000;

/** Runs one test and says what it measured. An interrupt ends it early: with 0, or with 1 when --bytes asked for more than has arrived. */
export async function runClient(invocation: PerfInvocation, host: string): Promise<ExitCode> {
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
