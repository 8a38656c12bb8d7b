// Tested by test/loopback/perf.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { Host } from '../../net/host.js';
import type { SideResults } from '../../services/perf/results.js';
import { parseAddress } from '../../udp/address.js';
import type { Invocation } from '../shared/command.js';
import { openCommandHost, type Target } from '../shared/command-host.js';
import type { PerfClientOutcome } from './client.js';
import { PerfClient } from './client.js';
import { PeerTest } from './compare.js';
import { IntervalLog } from './interval-log.js';
import type { PERF_OPTIONS, PerfSettings } from './options.js';
import type { Output } from './output.js';
import { ClientPrinter, type PrinterParts } from './printer.js';
import type { PerfReport } from './report.js';
import type { ClientResult, PeerRun } from './test-terms.js';

export type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

/**
 * How long an interrupted client waits for its data to arrive and for the server's figures (ours: less than the patience of whoever pressed Ctrl-C). It is
 * counted in ticks, of which a process that had no core gets one when it has it again: what came meanwhile is read before the wait is over.
 */
const AFTER_INTERRUPT_MS = 2_000;
const TICK_MS = 100;

export interface ClientRunParts extends PrinterParts {
  readonly invocation: PerfInvocation;
  readonly settings: PerfSettings;
  readonly target: Target;
  readonly results: Output;
}

/** Runs one test and prints it. An interrupt ends it early: what there is is printed, and `isInterrupted` says so. */
export class ClientRun {
  isInterrupted = false;
  private readonly parts: ClientRunParts;
  private readonly log: IntervalLog;
  private readonly printer: ClientPrinter;
  private client: PerfClient | null = null;

  constructor(parts: ClientRunParts) {
    this.parts = parts;
    this.printer = new ClientPrinter(parts);
    const { interval: intervalNs } = parts.invocation.options;
    this.log = new IntervalLog({
      intervalNs,
      omitNs: parts.terms.request.omitNs,
      onInterval: (interval) => {
        this.printer.interval(interval, this.log.omitted === 0);
        // Nobody reads what it says any more: iperf3 dies of the signal then.
        if (parts.results.isUnread && !this.isInterrupted) this.interrupt(() => {});
      },
    });
  }

  /** Throws a Failure; what was printed then says why, too. */
  async run(): Promise<ClientResult> {
    try {
      const result = await this.measure();
      this.printer.end(result, this.isInterrupted ? 'interrupted: these are the figures until then' : null);
      return result;
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== null) this.printer.end(null, failure.message);
      throw error;
    }
  }

  private async measure(): Promise<ClientResult> {
    let release: () => void = () => {};
    const interrupted = new Promise<never>((_, reject) => {
      release = this.parts.invocation.onInterrupt(() => this.interrupt(reject));
    });
    // Nobody waits for it once the host is open.
    interrupted.catch(() => {});
    try {
      const peer = await this.comparePeer(interrupted);
      const host = await Promise.race([this.open(), interrupted]);
      try {
        return { ...this.resultOf(await this.test(host)), peer };
      } finally {
        this.log.stop();
        await host.destroy();
      }
    } finally {
      release();
    }
  }

  /** TCP goes first: when its server is not there, nothing of ours has run. */
  private async comparePeer(interrupted: Promise<never>): Promise<PeerRun | null> {
    const { terms, settings } = this.parts;
    if (settings.compare === undefined) return null;
    const test = new PeerTest(terms, settings);
    this.printer.say(`TCP first: ${test.command}`);
    try {
      return await Promise.race([test.run(), interrupted]);
    } finally {
      test.stop();
    }
  }

  private interrupt(reject: (failure: Failure) => void): void {
    this.isInterrupted = true;
    const { client } = this;
    if (client === null) {
      reject(new Failure(ExitCode.failed, 'interrupted before the test began'));
      return;
    }
    client.interrupt();
    const seconds = AFTER_INTERRUPT_MS / 1e3;
    const failure = new Failure(
      ExitCode.failed,
      `interrupted: the server did not say within ${seconds} s what it measured`,
    );
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks < AFTER_INTERRUPT_MS / TICK_MS) return;
      clearInterval(timer);
      client.abort(failure);
    }, TICK_MS).unref();
  }

  private async open(): Promise<Host> {
    const { invocation, settings, target } = this.parts;
    const host = await openCommandHost({ settings, place: target.place, logger: invocation.logger });
    host.once('detached', (error) => this.client?.abort(failureOf(error) as Failure));
    return host;
  }

  private async test(host: Host): Promise<PerfClientOutcome> {
    const { terms, target, invocation } = this.parts;
    const peer = await host.resolve(target.to);
    const client: PerfClient = new PerfClient({
      request: terms.request,
      host,
      peer,
      logger: invocation.logger,
      driver: () => host.statistics().driver,
      onStart: () => {
        this.printer.begin(this.ends(host, peer));
        this.log.start(() => client.sample());
      },
      onEnd: () => this.log.stop(),
    });
    this.client = client;
    if (this.isInterrupted) client.interrupt();
    return client.finished;
  }

  private ends(host: Host, peer: number) {
    if (this.parts.terms.to === null) return null;
    const { address, port } = host.info.local;
    return { local: { host: address, port }, remote: parseAddress(host.peerName(peer)) };
  }

  private resultOf({
    client,
    server,
    retransmits,
    exchange,
    serverOutput,
  }: PerfClientOutcome): Omit<ClientResult, 'peer'> {
    const { request } = this.parts.terms;
    const { log } = this;
    const kept = { intervals: log.intervals, intervalsOmitted: log.omitted };
    const shared = { exchange, retransmits, serverOutput, ...kept };
    const sides = { client, server };
    switch (request.direction) {
      case 'forward':
        return { ...shared, reports: [this.reportOf(client, server, sides)] };
      case 'both':
        return { ...shared, reports: [this.reportOf(client, server, sides), this.reportOf(server, client, sides)] };
      case 'exchange':
        return { ...shared, reports: [this.reportOf(client, server, sides)] };
      default:
        return { ...shared, reports: [this.reportOf(server, client, sides)] };
    }
  }

  /** Of the data from one side to the other. */
  private reportOf(
    from: SideResults,
    to: SideResults,
    sides: { client: SideResults; server: SideResults },
  ): PerfReport {
    const { client, server } = sides;
    const { request } = this.parts.terms;
    const [received, sent] = [to.received, from.sent];
    if (received === null || sent === null)
      throw new Failure(ExitCode.failed, 'the server did not say what it measured');
    return {
      request,
      algorithm: request.window || to.algorithm,
      frameBytes: from.frameBytes,
      datapath: { client: client.datapath, server: server.datapath },
      isUnlimited: client.linkBps === null && server.linkBps === null,
      received,
      sent,
      cpu: { client: client.cpu, server: server.cpu },
      driver: { client: client.driver, server: server.driver },
    };
  }
}
